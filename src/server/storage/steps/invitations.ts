/** Steps of invitations; the step that creates an account spends them (accounts.ts). */
import type { InvitationStorage } from '../port/invitations.ts';
import { changing, isNoted, noteAct } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { isStorable } from './storable.ts';

export function createInvitationSteps(engine: Engine): InvitationStorage {
  const { read, change } = engine;
  return {
    add: async (invitation, act) => {
      const row = { ...invitation, tokenHash: Buffer.from(invitation.tokenHash) };
      await changing(engine, act, ({ insertInvitation }) => insertInvitation.change(row));
    },

    find: async (tokenHash, nowMs) =>
      (await read(({ usableInvitation }) =>
        usableInvitation.one({ tokenHash: Buffer.from(tokenHash), nowMs }),
      )) ?? null,

    list: (nowMs) => read(({ usableInvitations }) => usableInvitations.all({ nowMs })),

    revoke: async (id, ...others) => isStorable(id) && transacting(engine)(revoke)(id, ...others),

    forgetEnded: (nowMs, atMost) =>
      change(({ deleteEndedInvitations }) => deleteEndedInvitations.change({ nowMs, atMost })),
  };
}

const revoke: StepOf<InvitationStorage['revoke']> = function* (statements, isRepeated, id, nowMs, act) {
  const isRevoked = (yield* statements.deleteUsableInvitation.change({ id, nowMs })) > 0;
  if (!isRevoked) return isRepeated && (yield* isNoted(statements, act));
  yield* noteAct(statements, isRepeated, act);
  return true;
};
