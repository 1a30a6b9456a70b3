/** What a restore does with the data of a backup, whichever engine keeps it, before that takes the place of the present data. */
import { DatabaseRefused, type Restored, type RestoreOptions } from '../port/database.ts';

/** The name of the key that signs device marks; the next start makes a new one. */
const DEVICE_MARK_SECRET = 'device_mark';

/** Answers a query for one number; null when it has no row. */
export type Ask = (query: string) => number | null | Promise<number | null>;

/** The data of a backup that is checked, and that nobody uses yet. Statements name its tables without their schema. */
export interface Incoming {
  readonly ask: Ask;
  hasTable(name: string): boolean | Promise<boolean>;
  run(statement: string): unknown;
}

/**
 * Counts what the present data has and a backup has not, tips in whatever place they have there.
 * @param ask reads both.
 * @param backup its schema, as the queries call it, and so `present`.
 * @param firstDifference the place of the first tip that the two tell differently; null when there is none.
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
 * Ends all sessions unless they are kept, with the marks that say that a device has logged in before; and always the devices that get
 * notices, which a copy for trying something out would wake up as well. It is to be run inside a transaction.
 * @param compared null when there was no data, or it could not be read: a damaged database is why people restore.
 * @throws DatabaseRefused when the two tell another past, unless that is accepted.
 */
export async function settle(
  { ask, hasTable, run }: Incoming,
  compared: Awaited<ReturnType<typeof compareWithPresent>> | null,
  { keepsSessions, acceptsOtherPast, tellLostTips }: RestoreOptions,
): Promise<Pick<Restored, 'newestTipAtMs' | 'sessionCount' | 'lostTips' | 'accounts'>> {
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
  const hasSessions = await hasTable('sessions');
  const sessionCount = hasSessions ? await ask('SELECT count(*) FROM sessions') : 0;
  if (await hasTable('push_devices')) await run('DELETE FROM push_devices');
  if (!keepsSessions) {
    if (hasSessions) await run('DELETE FROM sessions');
    if (await hasTable('secrets')) await run(`DELETE FROM secrets WHERE name = '${DEVICE_MARK_SECRET}'`);
  }
  return {
    newestTipAtMs,
    sessionCount: sessionCount ?? 0,
    lostTips: compared?.lostTips ?? null,
    accounts: compared?.accounts ?? null,
  };
}
