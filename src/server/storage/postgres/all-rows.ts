/** Reads all rows of a database in the order of references and of their keys, as of one moment. */
import { getTableName } from 'drizzle-orm';
import { type ClientBase, escapeIdentifier } from 'pg';
import { requireTrusted } from '../care/backup-file.ts';
import { readMigrations, requireCurrent } from '../care/migrations.ts';
import { type NotedPast, parsePast } from '../checks/past.ts';
import type { AllRows, TableRows } from '../port/database.ts';
import { keyOf, rowsAtOnce, TABLES } from '../schema/tables.ts';
import { prepareStatements } from './driver.ts';
import { beginSettled, inspectLedger, inspectSchema } from './ledger-check.ts';
import { appliedTo } from './migrations.ts';
import { runForOperator } from './operator.ts';
import { checkToTheEnd } from './recent-check.ts';
import { holdAlone, requireFinished } from './server-lock.ts';

export function readAll<Result>(
  url: string,
  use: (tables: AllRows, past: NotedPast) => Promise<Result>,
): Promise<Result> {
  return runForOperator(url, async (client, name) => {
    const migrations = readMigrations('postgres');
    await holdAlone(client, name);
    await requireFinished(client);
    requireCurrent(name, await appliedTo(client), migrations);
    // What no check has seen yet would be checked where its numbers may have no gaps.
    requireTrusted(name, await checkToTheEnd(client, prepareStatements(client)));
    await beginSettled(client);
    const changed = await inspectSchema(client, migrations);
    requireTrusted(name, changed?.problems ?? []);
    const { problems, past } = await inspectLedger(client, []);
    requireTrusted(name, problems);
    const noted = parsePast(past);
    if (noted === null) throw new Error(`${past} is no note of a past`);
    return use(tablesOf(client), noted);
  });
}

async function* tablesOf(client: ClientBase): AsyncGenerator<TableRows, void> {
  for (const [table, key] of TABLES.map((table) => [getTableName(table), keyOf(table)] as const)) {
    await client.query(
      `DECLARE "all rows" NO SCROLL CURSOR FOR
        SELECT * FROM tipwell.${escapeIdentifier(table)} ORDER BY ${key.map(escapeIdentifier).join(', ')}`,
    );
    const { fields } = await client.query('FETCH 0 FROM "all rows"');
    yield { table, columns: fields.map(({ name }) => name), rows: rowsOf(client, rowsAtOnce(table)) };
    await client.query('CLOSE "all rows"');
  }
}

async function* rowsOf(client: ClientBase, atOnce: number): AsyncGenerator<readonly unknown[], void> {
  for (;;) {
    const { rows } = await client.query<unknown[]>({
      text: `FETCH ${atOnce} FROM "all rows"`,
      rowMode: 'array',
    });
    yield* rows;
    if (rows.length < atOnce) return;
  }
}
