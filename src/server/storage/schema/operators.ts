/** Operators, who are no accounts, with their sessions and the links by which they get in. */
import { sql } from 'drizzle-orm';
import { check, index, uniqueIndex } from 'drizzle-orm/pg-core';
import type { OperatorId } from '#shared/ids.ts';
import { bytes, table, text, whole } from './columns.ts';

export const operators = table(
  'operators',
  {
    id: text('id').$type<OperatorId>().primaryKey(),
    email: text('email').notNull(),
    emailKey: text('email_key').notNull(),
    /** Null for an operator who logs in by passkey, or who has not enrolled. */
    passwordHash: text('password_hash'),
    createdAtMs: whole('created_at_ms').notNull(),
    enrolledAtMs: whole('enrolled_at_ms'),
  },
  (t) => [uniqueIndex('operators_email_key').on(t.emailKey)],
);

const operatorId = (name: string) =>
  text(name)
    .$type<OperatorId>()
    .notNull()
    .references(() => operators.id);

export const operatorSessions = table(
  'operator_sessions',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    operatorId: operatorId('operator_id'),
    createdAtMs: whole('created_at_ms').notNull(),
    lastUsedAtMs: whole('last_used_at_ms').notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
    confirmedAtMs: whole('confirmed_at_ms').notNull(),
    address: text('address').notNull(),
    device: text('device').notNull(),
  },
  (t) => [
    index('operator_sessions_operator').on(t.operatorId),
    index('operator_sessions_expiry').on(t.expiresAtMs),
    check('operator_sessions_token_hash', sql`length(${t.tokenHash}) = 32`),
  ],
);

/** The token of a link is stored as its hash only, and the row goes when the link is used. */
export const operatorLinks = table(
  'operator_links',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    operatorId: operatorId('operator_id'),
    expiresAtMs: whole('expires_at_ms').notNull(),
  },
  (t) => [
    index('operator_links_operator').on(t.operatorId),
    check('operator_links_token_hash', sql`length(${t.tokenHash}) = 32`),
  ],
);
