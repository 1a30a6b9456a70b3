/**
 * Backups of a server that writes all the while. What must hold is asserted here: each one is complete as of
 * a moment after it began, adds up, and, when restored, is a database that a server starts on.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { runHere } from './commands.ts';
import { prepareLedger } from './prepared-ledger.ts';
import { call } from './rest-client.ts';
import { type RunningServer, runToEnd, startServer, temporaryFolder } from './running-server.ts';

export interface BackupOptions {
  readonly backups: number;
  readonly givers: number;
  /** How many tips are acknowledged at least between two backups. */
  readonly tipsBetween: number;
  /** Whether each is restored in a place of its own, and a server started on it. */
  readonly isRestored: boolean;
  readonly report?: (line: string) => void;
}

export interface BackupFigures {
  readonly backups: number;
  readonly restored: number;
  readonly tipsInLast: number;
  readonly acknowledgedMeanwhile: number;
  readonly acknowledged: number;
}

async function startWithPeople() {
  const { path, people } = await prepareLedger(['pat', 'cam']);
  const server = await startServer({ DATABASE_URL: path });
  const [provider, customer] = people;
  assert.ok(provider && customer);
  const tip = async (amount = 10): Promise<string> => {
    const body = { receiver_qr_id: provider.code, amount, service_category: 'bartender' };
    const answer = await call<{ id: string }>(server, '/transactions', { token: customer.token, body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.id;
  };
  const env = { DATABASE_URL: server.databasePath };
  return { server, tip, env, provider };
}

export function tipsIn(path: string): string[] {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    return database.prepare<[], string>('SELECT id FROM transactions ORDER BY sequence').pluck().all();
  } finally {
    database.close();
  }
}

/** @throws AssertionError when a guarantee does not hold. */
export async function backUpUnderLoad(options: BackupOptions): Promise<BackupFigures> {
  const { backups, givers, tipsBetween, isRestored, report = () => {} } = options;
  const { server, tip, env, provider } = await startWithPeople();
  const acknowledged: string[] = [];
  let isDone = false;
  let tipsInLast = 0;
  let acknowledgedMeanwhile = 0;
  const load = Promise.all(
    Array.from({ length: givers }, async () => {
      while (!isDone) acknowledged.push(await tip());
    }),
  );
  const rounds = async () => {
    for (let round = 1; round <= backups; round += 1) {
      while (acknowledged.length < tipsBetween * round && !isDone) await sleep(5);
      const before = [...acknowledged];
      const file = join(temporaryFolder(), 'backup.db');
      const backup = await runToEnd('db-backup', env, [file]);
      assert.deepEqual({ code: backup.code, stderr: backup.stderr }, { code: 0, stderr: '' });
      assert.match(backup.stdout, /checked/);
      acknowledgedMeanwhile += acknowledged.length - before.length;
      tipsInLast = requireAll(file, before);
      const check = await runHere('db-check', { DATABASE_URL: file });
      assert.equal(check.code, 0, check.stdout + check.stderr);
      if (isRestored) await restoreAndStart(file, before, provider.token);
      rmSync(file);
      report(`backup ${round}: ${tipsInLast} tips, all ${before.length} acknowledged before it among them`);
    }
  };
  try {
    // A giver whose tip fails ends the run at once.
    await Promise.race([rounds(), load.then(() => assert.fail('the load ended early'))]);
  } finally {
    isDone = true;
  }
  await load;
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  return {
    backups,
    restored: isRestored ? backups : 0,
    tipsInLast,
    acknowledgedMeanwhile,
    acknowledged: acknowledged.length,
  };
}

function requireAll(path: string, expected: readonly string[]): number {
  const held = new Set(tipsIn(path));
  const missing = expected.filter((id) => !held.has(id));
  assert.deepEqual(missing, [], `tips acknowledged before the backup are not in ${path}`);
  return held.size;
}

/** In a place of its own, where another database lies that must be kept aside. */
async function restoreAndStart(backup: string, expected: readonly string[], token: string): Promise<void> {
  const other: RunningServer = await startServer();
  await other.stop();
  const env = { DATABASE_URL: other.databasePath };
  const restored = await runToEnd('db-restore', env, [backup, '--keep-sessions']);
  assert.deepEqual({ code: restored.code, stderr: restored.stderr }, { code: 0, stderr: '' });
  assert.match(restored.stdout, /kept as .*\.before-restore/);
  const count = requireAll(other.databasePath, expected);
  const server = await startServer(env);
  // Sessions are in the backup too, and were kept: whoever was logged in still is.
  const listed = await call<unknown[]>(server, '/transactions', { token });
  assert.equal(listed.status, 200);
  assert.equal(listed.body.length, count);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.equal((await runToEnd('db-check', env)).code, 0);
  for (const rest of ['', '.before-restore']) rmSync(`${other.databasePath}${rest}`);
}
