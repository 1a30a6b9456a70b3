/** Second factors as rows of every table that they have. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { newPasskeyId } from '#shared/ids.ts';
import { START_MS } from './people.ts';

/** A passkey and an authenticator app with their recovery codes, and a challenge that waits. */
export async function writeFactors({ factors }: Storage, { id }: Account): Promise<void> {
  const holder = { kind: 'account', id } as const;
  const passkey = {
    id: newPasskeyId(randomBytes),
    holderKind: holder.kind,
    holderId: id,
    credentialId: 'Y3JlZGVudGlhbA',
    publicKey: randomBytes(77),
    counter: 3,
    transports: ['internal', 'hybrid'],
    rpId: 'tips.example.com',
    name: 'Phone',
    createdAtMs: START_MS,
    lastUsedAtMs: START_MS + 1,
  } as const;
  const first = { recoveryHashes: [randomBytes(32), randomBytes(32)], nowMs: START_MS };
  expect(await factors.addPasskey(passkey, 10, first)).toBe('added_first');
  const secret = randomBytes(48);
  await factors.beginTotp(holder, secret, START_MS);
  expect(await factors.confirmTotp(holder, secret, 59_000_000, first)).toBe('added');
  await factors.addChallenge(
    {
      challenge: 'Y2hhbGxlbmdl',
      holderKind: 'account',
      holderId: null,
      purpose: 'login',
      expiresAtMs: START_MS + 1,
    },
    START_MS,
    9,
  );
}
