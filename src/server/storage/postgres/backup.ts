/**
 * Backups: a dump as of one settled moment, while servers write. What is dumped is checked in the same moment: its tables are
 * compared with those that the migrations make, and its ledger adds up.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseRefused, type Findings } from '../database.ts';
import type { NotedPast } from '../past.ts';
import { connectOrRefuse, nameOf } from './connection.ts';
import { beginSettled, inspectLedger, inspectSchema, requireTipwells, UNHURRIED } from './ledger-check.ts';
import type { Migration } from './migrations.ts';
import { findTools } from './tools.ts';

/** For this user alone. */
const FILE_MODE = 0o600;

/** `ManagedDatabase.backUp` of the database at `url`. */
export async function backUp(
  url: string,
  target: string,
  migrations: readonly Migration[],
  noted: readonly NotedPast[],
): Promise<Findings> {
  const file = resolve(target);
  if (existsSync(file))
    throw new DatabaseRefused(`${file} exists already; a backup never overwrites a file.`);
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  const client = await connectOrRefuse(url, UNHURRIED);
  try {
    await requireTipwells(client, url);
    const tools = await findTools(client, url, `Cannot back up ${nameOf(url)}`);
    await beginSettled(client);
    const changed = await inspectSchema(client, migrations);
    if (changed !== null) throw unsound(url, changed);
    const { rows } = await client.query<{ snapshot: string }>('SELECT pg_export_snapshot() AS snapshot');
    // Made before pg_dump opens it, so that it is never anybody else's.
    closeSync(openSync(unfinished, 'wx', FILE_MODE));
    const [findings] = await Promise.all([
      inspectLedger(client, noted),
      tools.dump(unfinished, rows[0]?.snapshot ?? ''),
    ]);
    if (findings.problems.length > 0) throw unsound(url, findings);
    await tools.list(unfinished);
    chmodSync(unfinished, FILE_MODE);
    flush(unfinished);
    renameSync(unfinished, file);
    flush(dirname(file));
    return findings;
  } finally {
    await client.end();
    rmSync(unfinished, { force: true });
  }
}

function unsound(url: string, { problems }: Findings): DatabaseRefused {
  return new DatabaseRefused(`${nameOf(url)} cannot be trusted. ${problems[0]}`);
}

/** Makes sure that a file, or the names in a folder, are on the disk. */
function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
