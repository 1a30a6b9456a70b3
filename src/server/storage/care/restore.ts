/** The steps of a restore between checking a backup and replacing the present data, on every engine. */
import type { AuditAction } from '../port/audit.ts';
import { DatabaseRefused, type Restored, type RestoreOptions, type UndoneAct } from '../port/database.ts';
import type { AuditHead } from '../rules/audit.ts';
import { insertingAct, quoted } from './audit.ts';

/** The secret that signs device marks; the next start makes a new one. */
const DEVICE_MARK_SECRET = 'device_mark';
/** Acts after which nothing is to be done again. */
const MERELY_TOLD: readonly AuditAction[] = [
  'account_exported',
  'backup_made',
  'database_moved',
  'database_restored',
];
const MAX_TOLD_ACTS = 20;

/** Runs a query for one number; null when it returns no row. */
export type Ask = (query: string) => number | null | Promise<number | null>;

/** A checked backup beside the present data. Statements name their tables with the schema. */
interface Beside {
  readonly backup: string;
  readonly present: string;
  readonly ask: Ask;
  listActs(query: string): readonly UndoneAct[] | Promise<readonly UndoneAct[]>;
  /** Data of an earlier version lacks tables. */
  hasTable(whose: 'backup' | 'present', name: string): boolean | Promise<boolean>;
}

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
export async function compareWithPresent(beside: Beside, firstDifference: number | null) {
  const { ask, backup, present } = beside;
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
    ...(await actsSince(beside)),
  };
}

/** Rows of the log are the same where number and hash are, since a hash is made of all rows before it. */
async function actsSince({ ask, listActs, hasTable, backup, present }: Beside) {
  if (!(await hasTable('present', 'audit_log')))
    return { undoneActs: { count: 0, oldest: [] }, removedOperators: [] };
  const isKnown = (await hasTable('backup', 'audit_log'))
    ? `EXISTS (SELECT 1 FROM ${backup}.audit_log one WHERE one.number = other.number AND one.hash = other.hash)`
    : 'false';
  const undone = `FROM ${present}.audit_log other
    WHERE action NOT IN (${MERELY_TOLD.map(quoted).join(', ')}) AND NOT ${isKnown}`;
  const columns = 'SELECT at_ms AS "atMs", action, subject';
  const removals = await listActs(
    `${columns} FROM ${present}.audit_log WHERE action = ${quoted('operator_removed' satisfies AuditAction)}`,
  );
  return {
    undoneActs: {
      count: (await ask(`SELECT count(*) ${undone}`)) ?? 0,
      oldest: await listActs(`${columns} ${undone} ORDER BY number LIMIT ${MAX_TOLD_ACTS}`),
    },
    removedOperators: removals.flatMap(({ subject }) => subject ?? []),
  };
}

/**
 * Ends all sessions with their device marks, links of operators and API keys, and switches webhooks off, unless they
 * are kept. Removes all devices, mails and links, because a copy that is only tried out must not wake or mail anybody,
 * and invitations, which may have been spent or taken back since. Unless sessions are kept, operators whom the present
 * data's log has as removed do not come back. Runs inside a transaction.
 * @throws DatabaseRefused when the backup contradicts the present past and that was not accepted.
 */
export async function settle(
  incoming: Incoming,
  compared: Awaited<ReturnType<typeof compareWithPresent>> | null,
  { keepsSessions, acceptsOtherPast, tellLostTips, act }: RestoreOptions,
): Promise<Omit<Restored, 'tipCount' | 'past' | 'keptAside' | 'isCurrent'>> {
  const { ask, hasTable, run, auditHead } = incoming;
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
  const removed = keepsSessions ? [] : await removeAgain(incoming, compared?.removedOperators ?? [], act);
  return {
    newestTipAtMs,
    ...counts,
    lostTips: compared?.lostTips ?? null,
    accounts: compared?.accounts ?? null,
    undoneActs: compared?.undoneActs ?? null,
    removedOperatorCount: removed.length,
  };
}

/** Each removal has its row in the log, by which the next restore knows of it. @returns the operators of the backup. */
async function removeAgain(
  { ask, hasTable, run, auditHead }: Incoming,
  ids: readonly string[],
  act: RestoreOptions['act'],
): Promise<string[]> {
  const removed: string[] = [];
  if (!(await hasTable('operators'))) return removed;
  for (const id of ids) {
    if ((await ask(`SELECT 1 FROM operators WHERE id = ${quoted(id)}`)) === null) continue;
    for (const table of ['passkeys', 'totp_secrets', 'recovery_codes'])
      if (await hasTable(table))
        await run(`DELETE FROM ${table} WHERE holder_kind = 'operator' AND holder_id = ${quoted(id)}`);
    await run(`DELETE FROM operators WHERE id = ${quoted(id)}`);
    if (act) await run(insertingAct(await auditHead(), { ...act, action: 'operator_removed', subject: id }));
    removed.push(id);
  }
  return removed;
}

/** Of webhooks. */
const IS_ON = 'off_reason IS NULL';

/** @param atMs the time of the newest tip of the backup; 0 without tips. */
function switchingWebhooksOff(atMs: number): string {
  return `UPDATE webhooks SET off_reason = 'restored', off_at_ms = ${atMs} WHERE ${IS_ON}`;
}
