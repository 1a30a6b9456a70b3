/** Invitations to make an account. The token of a link is stored as its hash only. */
import { sql } from 'drizzle-orm';
import { check, index, integer, uniqueIndex } from 'drizzle-orm/pg-core';
import type { InvitationId } from '#shared/ids.ts';
import { bytes, table, text, whole } from './columns.ts';

export const invitations = table(
  'invitations',
  {
    id: text('id').$type<InvitationId>().primaryKey(),
    tokenHash: bytes('token_hash').notNull(),
    emailKey: text('email_key'),
    maxUses: integer('max_uses').notNull(),
    usesLeft: integer('uses_left').notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
  },
  (t) => [
    uniqueIndex('invitations_token').on(t.tokenHash),
    index('invitations_email').on(t.emailKey),
    index('invitations_expiry').on(t.expiresAtMs),
    check('invitations_token_hash', sql`length(${t.tokenHash}) = 32`),
    check('invitations_uses_left', sql`${t.usesLeft} between 0 and ${t.maxUses}`),
  ],
);
