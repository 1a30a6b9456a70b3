/** The steps of a restore between checking a backup and replacing the present data, on every engine. */
import { DatabaseRefused, type Restored, type RestoreOptions } from '../port/database.ts';
import type { AuditHead } from '../rules/audit.ts';
import { insertingAct } from './audit.ts';

/** The secret that signs device marks; the next start makes a new one. */
const DEVICE_MARK_SECRET = 'device_mark';

/** Runs a query for one number; null when it returns no row. */
export type Ask = (query: string) => number | null | Promise<number | null>;

/** The data of a checked backup that no server uses yet. Statements name its tables without a schema. */
export interface Incoming {
  readonly ask: Ask;
  hasTable(name: string): boolean | Promise<boolean>;
  run(statement: string): unknown;
  auditHead(): AuditHead | undefined | Promise<AuditHead | undefined>;
}

/**
 * Counts what the present data has and the backup lacks; tips are compared wherever they stand.
 * @param firstDifference the position of the first tip in which the two differ; null when there is none.
 */
export async function compareWithPresent(
  ask: Ask,
  backup: string,
  present: string,
  firstDifference: number | null,
) {
  const count = async (what: string) => (await ask(`SELECT count(*) FROM ${what}`)) ?? 0;
  const countMissing = (table: string) =>
    count(
      `${present}.${table} other WHERE NOT EXISTS (SELECT 1 FROM ${backup}.${table} one WHERE one.id = other.id)`,
    );
  const lostTips = await countMissing('transactions');
  const changedPasswords = await count(
    `${backup}.accounts one JOIN ${present}.accounts other USING (id) WHERE one.password_hash <> other.password_hash`,
  );
  return {
    firstDifference,
    lostTips,
    accounts: { changedPasswords, missing: await countMissing('accounts') },
  };
}

/**
 * Ends all sessions with their device marks, links of operators and API keys, and switches webhooks off, unless they
 * are kept. Removes all devices, mails and links, because a copy that is only tried out must not wake or mail anybody,
 * and invitations, which may have been spent or taken back since. Runs inside a transaction.
 * @throws DatabaseRefused when the backup contradicts the present past and that was not accepted.
 */
export async function settle(
  { ask, hasTable, run, auditHead }: Incoming,
  compared: Awaited<ReturnType<typeof compareWithPresent>> | null,
  { keepsSessions, acceptsOtherPast, tellLostTips, act }: RestoreOptions,
): Promise<Omit<Restored, 'tipCount' | 'past' | 'keptAside' | 'isCurrent'>> {
  if (compared !== null) {
    const { firstDifference, lostTips } = compared;
    if (firstDifference !== null && !acceptsOtherPast) {
      throw new DatabaseRefused(
        `The backup tells another past than the database that it would replace: from tip ${firstDifference} on they differ. Tips of the database that are not in the backup: ${lostTips}. Nothing was changed. If you know why, and want the past of the backup, add --other-past.`,
      );
    }
    tellLostTips(lostTips);
  }
  const newestTipAtMs = await ask('SELECT created_at_ms FROM transactions ORDER BY sequence DESC LIMIT 1');
  const count = async (table: string, where = 'true') =>
    (await hasTable(table)) ? ((await ask(`SELECT count(*) FROM ${table} WHERE ${where}`)) ?? 0) : 0;
  const counts = {
    sessionCount: await count('sessions'),
    apiKeyCount: await count('api_keys'),
    webhookCount: await count('webhooks', IS_ON),
    deviceCount: await count('push_devices'),
    invitationCount: await count('invitations', 'uses_left > 0'),
  };
  for (const table of ['push_devices', 'mails', 'mail_links', 'invitations', 'factor_challenges'])
    if (await hasTable(table)) await run(`DELETE FROM ${table}`);
  if (!keepsSessions) {
    for (const table of ['sessions', 'api_keys', 'operator_sessions', 'operator_links'])
      if (await hasTable(table)) await run(`DELETE FROM ${table}`);
    if (await hasTable('webhooks')) await run(switchingWebhooksOff(newestTipAtMs ?? 0));
    if (await hasTable('secrets')) await run(`DELETE FROM secrets WHERE name = '${DEVICE_MARK_SECRET}'`);
  }
  if (act && (await hasTable('audit_log'))) await run(insertingAct(await auditHead(), act));
  return {
    newestTipAtMs,
    ...counts,
    lostTips: compared?.lostTips ?? null,
    accounts: compared?.accounts ?? null,
  };
}

/** Of webhooks. */
const IS_ON = 'off_reason IS NULL';

/** @param atMs the time of the newest tip of the backup; 0 without tips. */
function switchingWebhooksOff(atMs: number): string {
  return `UPDATE webhooks SET off_reason = 'restored', off_at_ms = ${atMs} WHERE ${IS_ON}`;
}
