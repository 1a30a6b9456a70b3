/** Password hashing: argon2id. A hash takes 19 MiB and some 30 ms of CPU: call it in a turn (work-queue.ts). */
import argon2 from 'argon2';
import { normalizePassword } from '#shared/accounts.ts';

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** For null, where there is no account, it answers false after the same time, so that the time tells nothing. */
  verify(hash: string | null, password: string): Promise<boolean>;
  isOutdated(hash: string): boolean;
}

/** @param cost less than OWASP's, for tests that are not about hashing. */
export async function createPasswords(
  cost: { readonly memoryCost?: number; readonly timeCost?: number } = {},
): Promise<Passwords> {
  const parameters = { ...PARAMETERS, ...cost };
  const decoy = await argon2.hash('no account has this password', parameters);

  return {
    hash: (password) => argon2.hash(normalizePassword(password), parameters),
    async verify(hash, password) {
      const matches = await argon2.verify(hash ?? decoy, normalizePassword(password));
      return matches && hash !== null;
    },
    isOutdated: (hash) => argon2.needsRehash(hash, parameters),
  };
}
