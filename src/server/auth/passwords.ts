/**
 * Password hashing: argon2id with OWASP's parameters, at most two hashes at once, so that a flood of logins can
 * neither take the memory nor keep tips waiting.
 */
import argon2 from 'argon2';
import pLimit from 'p-limit';
import { normalizePassword } from '#shared/accounts.ts';
import { AppError } from '#shared/errors.ts';

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const MAX_CONCURRENT_HASHES = 2;
/** About two seconds of work; whoever comes later is asked to come back. */
const MAX_WAITING_HASHES = 64;

export interface Passwords {
  /** @throws AppError `busy` when too many are waiting. */
  hash(password: string): Promise<string>;
  /**
   * Verifies against a stored hash. With null, for an account that does not exist, it does the same work and answers
   * no, so that the time taken tells nothing.
   * @throws AppError `busy` when too many are waiting.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with weaker parameters than today's. */
  isOutdated(hash: string): boolean;
}

export async function createPasswords(): Promise<Passwords> {
  const limit = pLimit(MAX_CONCURRENT_HASHES);
  const decoy = await argon2.hash('no account has this password', PARAMETERS);

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (limit.pendingCount >= MAX_WAITING_HASHES) throw new AppError('busy');
    return limit(work);
  }

  return {
    hash: (password) => inTurn(() => argon2.hash(normalizePassword(password), PARAMETERS)),
    verify: (hash, password) =>
      inTurn(async () => {
        const matches = await argon2.verify(hash ?? decoy, normalizePassword(password));
        return matches && hash !== null;
      }),
    isOutdated: (hash) => argon2.needsRehash(hash, PARAMETERS),
  };
}
