import { and, asc, count, eq, gt, inArray, isNotNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import { factorChallenges, passkeys, recoveryCodes, totpSecrets } from '../schema/factors.ts';
import { type Builder, insertOnce, is, matches, save, value } from './builder.ts';

export function factorStatements({ db }: Builder) {
  const ofHolder = ['holderKind', 'holderId'] as const;

  return {
    insertPasskey: insertOnce(db, passkeys),
    passkeysOf: db
      .select()
      .from(passkeys)
      .where(matches(passkeys, ...ofHolder))
      .orderBy(asc(passkeys.createdAtMs), asc(passkeys.id)),
    passkeyByCredential: db
      .select()
      .from(passkeys)
      .where(matches(passkeys, 'holderKind', 'credentialId')),
    notePasskeyUse: db
      .update(passkeys)
      .set({ counter: sql`${value('counter')}`, lastUsedAtMs: sql`${value('nowMs')}` })
      .where(
        and(
          is(passkeys.id, 'id'),
          or(
            lt(passkeys.counter, value('counter')),
            and(eq(passkeys.counter, 0), is(passkeys.counter, 'counter')),
          ),
        ),
      ),
    deletePasskey: db.delete(passkeys).where(matches(passkeys, 'id', ...ofHolder)),
    deletePasskeysOf: db.delete(passkeys).where(matches(passkeys, ...ofHolder)),
    passkeysElsewhere: db
      .select({ count: count() })
      .from(passkeys)
      .where(ne(passkeys.rpId, value('rpId'))),

    totpOf: db
      .select()
      .from(totpSecrets)
      .where(matches(totpSecrets, ...ofHolder)),
    saveTotp: save(db, totpSecrets, ...ofHolder),
    spendTotpStep: db
      .update(totpSecrets)
      .set({ lastStep: sql`${value('step')}` })
      .where(
        and(
          matches(totpSecrets, ...ofHolder),
          isNotNull(totpSecrets.secret),
          lt(totpSecrets.lastStep, value('step')),
        ),
      ),
    deleteTotpOf: db.delete(totpSecrets).where(matches(totpSecrets, ...ofHolder)),

    insertRecoveryCode: insertOnce(db, recoveryCodes),
    recoveryCodeCount: db
      .select({ count: count() })
      .from(recoveryCodes)
      .where(matches(recoveryCodes, ...ofHolder)),
    recoveryCodesOf: db
      .select({ codeHash: recoveryCodes.codeHash })
      .from(recoveryCodes)
      .where(matches(recoveryCodes, ...ofHolder)),
    deleteRecoveryCode: db.delete(recoveryCodes).where(matches(recoveryCodes, ...ofHolder, 'codeHash')),
    deleteRecoveryCodesOf: db.delete(recoveryCodes).where(matches(recoveryCodes, ...ofHolder)),

    insertChallenge: insertOnce(db, factorChallenges),
    challengeCount: db
      .select({ count: count() })
      .from(factorChallenges)
      .where(matches(factorChallenges, ...ofHolder)),
    takeChallenge: db
      .delete(factorChallenges)
      .where(
        and(
          matches(factorChallenges, 'challenge', ...ofHolder, 'purpose'),
          gt(factorChallenges.expiresAtMs, value('nowMs')),
        ),
      ),
    deleteExpiredChallenges: db
      .delete(factorChallenges)
      .where(lte(factorChallenges.expiresAtMs, value('nowMs'))),
    deleteOldestChallenges: db.delete(factorChallenges).where(
      inArray(
        factorChallenges.challenge,
        db
          .select({ challenge: factorChallenges.challenge })
          .from(factorChallenges)
          .where(matches(factorChallenges, ...ofHolder))
          .orderBy(asc(factorChallenges.expiresAtMs))
          .limit(value('atMost')),
      ),
    ),
    deleteChallengesOf: db.delete(factorChallenges).where(matches(factorChallenges, ...ofHolder)),
  };
}
