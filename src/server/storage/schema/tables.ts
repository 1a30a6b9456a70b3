/** All tables in the order of their references, so that an empty database can be filled in this order. */
import { getTableName } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import * as accounts from './accounts.ts';
import * as announcements from './announcements.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import * as codes from './codes.ts';
import * as devices from './devices.ts';
import * as events from './events.ts';
import * as factors from './factors.ts';
import * as invitations from './invitations.ts';
import * as ledger from './ledger.ts';
import * as mail from './mail.ts';
import * as messages from './messages.ts';
import * as operators from './operators.ts';
import * as payments from './payments.ts';
import * as terms from './terms.ts';
import * as webhooks from './webhooks.ts';

export const TABLES = [
  accounts.accounts,
  accounts.formerUsernames,
  accounts.closedUsernames,
  accounts.providerCategories,
  accounts.sessions,
  accounts.secrets,
  accounts.attempts,
  codes.photos,
  codes.qrCodes,
  codes.qrPictures,
  // A trigger lets a tip into the ledger only in the present currency.
  terms.termsVersions,
  payments.payoutAccounts,
  payments.webhookEvents,
  // A trigger lets a paid tip into the ledger only after its payment.
  payments.payments,
  ledger.tips,
  ledger.reversals,
  ledger.adjustments,
  ledger.tipEntries,
  ledger.tipQuarters,
  ledger.checkedAccounts,
  ledger.checkpoints,
  messages.tipMessages,
  messages.blockedGivers,
  messages.readyThankYous,
  devices.pushDevices,
  mail.mails,
  mail.mailLinks,
  mail.mailSettings,
  invitations.invitations,
  events.notedEvents,
  announcements.announcements,
  apiKeys.apiKeys,
  webhooks.webhooks,
  webhooks.webhookDeliveries,
  audit.auditLog,
  operators.operators,
  operators.operatorSessions,
  operators.operatorLinks,
  factors.passkeys,
  factors.totpSecrets,
  factors.recoveryCodes,
  factors.factorChallenges,
] as const;

/** Tables with rows that a server makes before anybody registers. */
export const MADE_AT_A_START = [
  accounts.secrets,
  accounts.attempts,
  // With Stripe's keys, a start lists the events of the last weeks, and takes those of unknown payments for handled.
  payments.webhookEvents,
  ledger.checkedAccounts,
  ledger.checkpoints,
] as const;

/** Tables out of which closing an account deletes or erases what is personal. */
export const ERASED_BY_CLOSING = [
  accounts.accounts,
  accounts.formerUsernames,
  accounts.sessions,
  accounts.attempts,
  codes.photos,
  codes.qrCodes,
  payments.payoutAccounts,
  messages.tipMessages,
  messages.blockedGivers,
  messages.readyThankYous,
  devices.pushDevices,
  mail.mails,
  mail.mailLinks,
  mail.mailSettings,
  invitations.invitations,
  events.notedEvents,
  apiKeys.apiKeys,
  webhooks.webhooks,
  webhooks.webhookDeliveries,
  factors.passkeys,
  factors.totpSecrets,
  factors.recoveryCodes,
  factors.factorChallenges,
] as const;

/** How many rows of a table are held at once where all are copied: one with a picture takes hundreds of kilobytes. */
export function rowsAtOnce(name: string): number {
  return name === getTableName(codes.photos) || name === getTableName(codes.qrPictures) ? 100 : 1_000;
}

/** The columns of the primary key. A ledger can be written again in its order only, because its rows follow on. */
export function keyOf(table: PgTable): readonly string[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const own = columns.filter(({ primary }) => primary);
  return [...own, ...primaryKeys.flatMap((key) => key.columns)].map(({ name }) => name);
}
