/** A backup of before operators took something back, on every engine, and what its restore says of that. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseConfig } from '#server/config.ts';
import { databaseAt } from '#server/storage/open.ts';
import { newPasskeyId } from '#shared/ids.ts';
import { runHere } from './commands.ts';
import { prepareLedger } from './prepared-ledger.ts';
import { temporaryFolder } from './running-server.ts';

const STAYS = 'ops@example.com';
const LEAVES = 'leaver@example.com';

/** @param place of a database file, or the address of an empty PostgreSQL database. */
export async function takesBack(place: string) {
  const { path, people } = await prepareLedger(['pat'], place);
  const env = { DATABASE_URL: path };
  const run = async (name: 'account' | 'code' | 'db-backup' | 'operator', words: string[]) =>
    expect(await runHere(name, env, words)).toMatchObject({ code: 0, stderr: '' });
  for (const email of [STAYS, LEAVES]) await run('operator', ['add', email]);
  const storage = await databaseAt(parseConfig(env).database).openForCommand();
  const leaver = (await storage.operators.find(LEAVES))?.operator;
  if (!leaver) throw new Error('there is no operator');
  const passkey = {
    id: newPasskeyId(randomBytes),
    holderKind: 'operator',
    holderId: leaver.id,
    credentialId: 'Y3JlZGVudGlhbA',
    publicKey: randomBytes(77),
    counter: 0,
    transports: ['internal'],
    rpId: 'tips.example.com',
    name: 'Laptop',
    createdAtMs: 0,
    lastUsedAtMs: null,
  } as const;
  const first = { recoveryHashes: [randomBytes(32)], nowMs: 0 };
  expect(await storage.factors.addPasskey(passkey, 10, first)).toBe('added_first');
  const file = join(temporaryFolder(), 'before.backup');
  await run('db-backup', [file]);

  await run('operator', ['remove', LEAVES]);
  await run('account', ['suspend', 'pat@example.com', '--reason', 'Stolen']);
  await run('code', ['stop', people[0]?.code ?? '', '--reason', 'Stolen']);
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  for (const action of [
    'backup_made',
    ...Array.from({ length: 20 }, () => 'report_settled' as const),
  ] as const)
    await storage.audit.note({ actor, action, subject: 'txn_1', reason: null, atMs: 1 });
  await storage.close();
  return { path, env, file, people, undo: () => runHere('db-restore', env, [file]) };
}

/** Expects a report of what `takesBack` did, without the backup, which nobody makes again. */
export function expectUndone(stdout: string): void {
  const lines = stdout.split('\n');
  const at = lines.indexOf('23 acts of operators are not in the backup. Do again what still holds:');
  expect(lines.slice(at, at + 23)).toEqual([
    expect.anything(),
    expect.stringMatching(/^ {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}Removed an operator: opr_\w+$/),
    expect.stringMatching(/UTC {2}Suspended an account: usr_\w+$/),
    expect.stringMatching(/UTC {2}Stopped a code: \w+$/),
    ...Array.from({ length: 17 }, () => '  1970-01-01 00:00 UTC  Settled a report: txn_1'),
    '  and 3 more',
    'Operators who were removed since are not brought back: 1.',
  ]);
}
