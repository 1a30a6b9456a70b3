/** Hands over all rows of a file, in an order in which another engine can take them in. */
import { getTableName } from 'drizzle-orm';
import type { TableRows } from '../database.ts';
import { requireCurrent } from '../seen-migrations.ts';
import { requireSound } from './backup.ts';
import { type Database, holdDatabase, openDatabase } from './connection.ts';
import { pushDevices } from './device-schema.ts';
import { appliedTo, type Migration } from './migrations.ts';
import { paymentNotices, payments, payoutAccounts } from './payment-schema.ts';
import * as schema from './schema.ts';
import { blockedGivers, readyThankYous, tipWords } from './word-schema.ts';

/** None stands before those that its rows refer to. */
const TABLES = [
  schema.accounts,
  schema.formerUsernames,
  schema.closedUsernames,
  schema.providerCategories,
  schema.sessions,
  schema.secrets,
  schema.attempts,
  schema.photos,
  schema.qrCodes,
  schema.qrPictures,
  payoutAccounts,
  paymentNotices,
  // The ledger takes in a tip that was paid only where its payment is.
  payments,
  schema.transactions,
  schema.reversals,
  schema.entries,
  schema.tipBuckets,
  schema.checkedAccounts,
  schema.checkpoints,
  tipWords,
  blockedGivers,
  readyThankYous,
  pushDevices,
];

/** `ManagedDatabase.readAll` of the file at `path`, which is only read. */
export async function readAll<Result>(
  path: string,
  migrations: readonly Migration[],
  use: (tables: Iterable<TableRows>) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(path, { mustExist: true, readonly: true });
  try {
    const release = holdDatabase(path);
    try {
      requireCurrent(path, appliedTo(database), migrations);
      requireSound(path, migrations);
      // One view of all tables, whatever a command changes meanwhile.
      database.exec('BEGIN');
      return await use(tablesOf(database));
    } finally {
      release();
    }
  } finally {
    database.close();
  }
}

/** The rows of each table, read while they are asked for; one table at a time. */
function* tablesOf(database: Database): Generator<TableRows, void> {
  for (const table of TABLES.map(getTableName)) {
    const select = database.prepare<[], readonly unknown[]>(`SELECT * FROM "${table}"`).raw();
    const rows = select.iterate();
    try {
      yield { table, columns: select.columns().map(({ name }) => name), rows };
    } finally {
      // The connection is busy until the rows are read or given up.
      rows.return?.();
    }
  }
}
