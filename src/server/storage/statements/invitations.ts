import { and, asc, gt, inArray, lte, or, sql } from 'drizzle-orm';
import { invitations } from '../schema/invitations.ts';
import { allBut, type Builder, insertOnce, is, value } from './builder.ts';

export function invitationStatements({ db }: Builder) {
  const invitation = allBut(invitations, 'tokenHash');
  const isUsable = and(gt(invitations.usesLeft, 0), gt(invitations.expiresAtMs, value('nowMs')));
  const usable = db
    .select(invitation)
    .from(invitations)
    .where(and(is(invitations.tokenHash, 'tokenHash'), isUsable));

  return {
    insertInvitation: insertOnce(db, invitations),
    usableInvitation: usable,
    /** Locks until the transaction ends, so that two cannot spend one use. */
    lockInvitation: db
      .select(invitation)
      .from(invitations)
      .where(and(is(invitations.tokenHash, 'tokenHash'), isUsable))
      .for('update'),
    usableInvitations: db
      .select(invitation)
      .from(invitations)
      .where(isUsable)
      .orderBy(asc(invitations.expiresAtMs), asc(invitations.id)),
    spendInvitation: db
      .update(invitations)
      .set({ usesLeft: sql`${invitations.usesLeft} - 1` })
      .where(is(invitations.id, 'id')),
    deleteUsableInvitation: db.delete(invitations).where(and(is(invitations.id, 'id'), isUsable)),
    deleteInvitationsFor: db.delete(invitations).where(is(invitations.emailKey, 'emailKey')),
    deleteEndedInvitations: db.delete(invitations).where(
      inArray(
        invitations.id,
        db
          .select({ id: invitations.id })
          .from(invitations)
          .where(or(lte(invitations.usesLeft, 0), lte(invitations.expiresAtMs, value('nowMs'))))
          .limit(value('atMost')),
      ),
    ),
  };
}
