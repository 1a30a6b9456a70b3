/** Second factors of accounts and of operators, which are in tables of their own. */
import { sql } from 'drizzle-orm';
import { check, index, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { PasskeyId } from '#shared/ids.ts';
import type { Challenge, HolderKind } from '../port/factors.ts';
import { bytes, table, text, whole } from './columns.ts';

const holderKind = () => text('holder_kind').$type<HolderKind>().notNull();
const holderId = () => text('holder_id').notNull();

export const passkeys = table(
  'passkeys',
  {
    id: text('id').$type<PasskeyId>().primaryKey(),
    holderKind: holderKind(),
    holderId: holderId(),
    credentialId: text('credential_id').notNull(),
    publicKey: bytes('public_key').notNull(),
    counter: whole('counter').notNull(),
    /** Separated by spaces. */
    transports: text('transports').notNull(),
    rpId: text('rp_id').notNull(),
    name: text('name').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    lastUsedAtMs: whole('last_used_at_ms'),
  },
  (t) => [
    uniqueIndex('passkeys_credential').on(t.credentialId),
    index('passkeys_holder').on(t.holderKind, t.holderId),
    check('passkeys_holder_kind', sql`${t.holderKind} in ('account', 'operator')`),
    check('passkeys_counter', sql`${t.counter} >= 0`),
  ],
);

/** The secrets are sealed; one of the two is there. */
export const totpSecrets = table(
  'totp_secrets',
  {
    holderKind: holderKind(),
    holderId: holderId(),
    secret: bytes('secret'),
    waiting: bytes('waiting'),
    /** The newest step whose code was used; -1 for none. */
    lastStep: whole('last_step').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.holderKind, t.holderId] }),
    check('totp_secrets_holder_kind', sql`${t.holderKind} in ('account', 'operator')`),
    check('totp_secrets_any', sql`${t.secret} is not null or ${t.waiting} is not null`),
  ],
);

export const recoveryCodes = table(
  'recovery_codes',
  {
    holderKind: holderKind(),
    holderId: holderId(),
    codeHash: bytes('code_hash').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.holderKind, t.holderId, t.codeHash] }),
    check('recovery_codes_holder_kind', sql`${t.holderKind} in ('account', 'operator')`),
    check('recovery_codes_code_hash', sql`length(${t.codeHash}) = 32`),
  ],
);

export const factorChallenges = table(
  'factor_challenges',
  {
    challenge: text('challenge').primaryKey(),
    holderKind: holderKind(),
    /** Empty for a login. */
    holderId: holderId(),
    purpose: text('purpose').$type<Challenge['purpose']>().notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
  },
  (t) => [
    index('factor_challenges_expiry').on(t.expiresAtMs),
    check('factor_challenges_holder_kind', sql`${t.holderKind} in ('account', 'operator')`),
  ],
);
