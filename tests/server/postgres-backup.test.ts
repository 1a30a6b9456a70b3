/**
 * Backups of a PostgreSQL database by `npm run db:backup`, and what `npm run db:restore` does with them. Both
 * need pg_dump and pg_restore, which do not come with npm: where the machine has a whole PostgreSQL of
 * Debian's, that one is the server.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { connect } from '#server/storage/postgres/connection.ts';
import { UNHURRIED } from '#server/storage/postgres/ledger-check.ts';
import { findTools } from '#server/storage/postgres/tools.ts';
import { newPhotoName, newTransactionId, newUserId } from '#shared/ids.ts';
import { goOn, moveBooks, writeBooks } from '#tests/support/books.ts';
import { runHere } from '#tests/support/commands.ts';
import { makeEarlierDatabase } from '#tests/support/earlier-postgres.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople, START_MS } from '#tests/support/people.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { type PostgresServer, startPostgres } from '#tests/support/postgres-server.ts';
import { runToEnd, startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';
import { expectUndone, takesBack } from '#tests/support/undone-acts.ts';

/** The folder of an installed PostgreSQL that has all of its programs; undefined where there is none. */
const [installed] = globSync('/usr/lib/postgresql/*/bin/pg_dump')
  .map(dirname)
  .filter((folder) => ['initdb', 'postgres', 'pg_restore'].every((name) => existsSync(join(folder, name))));

/** What is committed matters here, and not what survives a loss of power. */
const UNHURRIED_BY_DISK = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
};

afterAll(stopEverything);

const at = (url: string) => databaseAt({ engine: 'postgres', url });

/** A folder with scripts in the place of programs of a version of PostgreSQL. */
function standIns(version: number, scripts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nif [ "$1" = --version ]; then echo '${name} (PostgreSQL) ${version}.0'; exit; fi\n${script}`,
      { mode: 0o755 },
    );
  return folder;
}

async function execute(url: string, statements: string): Promise<void> {
  const client = await connect(url);
  await client.query(statements);
  await client.end();
}

describe.skipIf(installed === undefined)('with the programs of an installed PostgreSQL', () => {
  let server: PostgresServer;
  let count = 0;

  /** Tests read it, and change copies of it. */
  let original: Awaited<ReturnType<typeof makeBackup>>;

  beforeAll(async () => {
    server = await startPostgres(UNHURRIED_BY_DISK, installed);
    original = await makeBackup();
  });
  afterAll(() => server.stop());

  /** An empty database on that server, or a copy of one that nobody is connected to. */
  async function createDatabase(template?: string): Promise<string> {
    count += 1;
    const from = template === undefined ? '' : ` TEMPLATE ${new URL(template).pathname.slice(1)}`;
    await execute(server.url('postgres'), `CREATE DATABASE tips_${count}${from}`);
    return server.url(`tips_${count}`);
  }

  /** A copy of the original database, and one of its backup. */
  async function createBackup() {
    const url = await createDatabase(original.url);
    const file = join(temporaryFolder(), 'tips.dump');
    copyFileSync(original.file, file);
    return { ...original, url, file };
  }

  /** A database with the books of `writeBooks`, and a backup of it. */
  async function makeBackup() {
    const books = await writeBooks();
    const url = await createDatabase();
    const { past } = await moveBooks(books.path, url);
    const file = join(temporaryFolder(), 'tips.dump');
    const written = await runHere('db-backup', { DATABASE_URL: url }, [file]);
    return { ...books, url, past, file, written };
  }

  /** Records another tip. */
  async function tipOnce(url: string, { tips }: Pick<Awaited<ReturnType<typeof writeBooks>>, 'tips'>) {
    const storage = await at(url).openForServer(OPENING);
    const [tip] = tips;
    if (!tip) throw new Error('there is no tip');
    const id = newTransactionId(randomBytes);
    expect((await storage.recordTip({ ...tip, id, idempotencyKey: null })).outcome).toBe('recorded');
    await storage.close();
  }

  test('a backup is checked and for this user alone, is written while a server runs and over no file, and none appears of a ledger that does not add up', async () => {
    const { file, past, written, tipCount } = original;
    expect(written).toMatchObject({ code: 0, stderr: '' });
    expect(written.stdout).toContain(`${file} holds all of `);
    expect(written.stdout).toContain(
      `checked: a ledger of ${tipCount} tips.\nIts past, to note elsewhere: ${past}\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(['tips.dump']);

    const { url, file: copy } = await createBackup();
    const env = { DATABASE_URL: url };
    const running = await at(url).openForServer(OPENING);
    // One connection stays from the first step on, as that of a server does for as long as it runs.
    await running.proveWritable();
    const second = join(temporaryFolder(), 'second.dump');
    expect((await runHere('db-backup', env, [second])).code).toBe(0);
    expect((await runHere('db-check', env)).code).toBe(0);
    const refused = await runHere('db-restore', env, [copy]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('another Tipwell process is using it'),
    ]);
    await running.close();

    const again = await runHere('db-backup', env, [copy]);
    expect(again.stderr).toBe(
      `There is a file ${copy} already (EEXIST), and none is written over: name another one.\n`,
    );
    await execute(url, 'UPDATE tipwell.accounts SET total_tips_given_cents = total_tips_given_cents + 1');
    const other = join(temporaryFolder(), 'other.dump');
    const { code, stderr } = await runHere('db-backup', env, [other]);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be trusted. Violated: the total given');
    expect(readdirSync(dirname(other))).toEqual([]);
  });

  test('a dump ends with a check that cannot be made, however long it would have gone on', async () => {
    const { url } = await createBackup();
    const address = new URL(url);
    // A role belongs to the whole server, which may be one that stays.
    const role = `half_blind_${randomBytes(4).toString('hex')}`;
    address.username = role;
    await execute(
      url,
      `CREATE ROLE ${role} LOGIN PASSWORD '${address.password}';
       GRANT USAGE ON SCHEMA tipwell TO ${role};
       GRANT ALL ON ALL TABLES IN SCHEMA tipwell TO ${role};
       REVOKE SELECT ON tipwell.accounts FROM ${role}`,
    );
    onTestFinished(() => execute(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
    const version = Number((await ask(url)).slice(0, -4));
    const programs = standIns(version, { pg_dump: 'exec sleep 600\n', pg_restore: 'exit 1\n' });
    const file = join(temporaryFolder(), 'tips.dump');
    const env = { DATABASE_URL: address.href, PATH: `${programs}:${process.env['PATH']}` };
    const { code, stderr } = await runToEnd('db-backup', env, [file]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('permission denied for table accounts'),
    });
    expect(readdirSync(dirname(file))).toEqual([]);
  });

  test('a restore puts the backup in the place of the data, which is kept aside, and ends sessions', async () => {
    const { url, file, past, ...books } = await createBackup();
    await tipOnce(url, books);
    await execute(
      url,
      `UPDATE tipwell.accounts SET password_hash = 'another' WHERE username = 'cam';
       INSERT INTO tipwell.accounts SELECT 'usr_new', 'n@x', 'n@x', 'new', 'New', NULL, false, 'none', 0, 0, 0, 0, NULL`,
    );
    const { code, stdout, stderr } = await runHere('db-restore', { DATABASE_URL: url }, [file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`a ledger of ${books.tipCount} tips, the newest of 20`);
    expect(stdout).toContain(`Its past, to note elsewhere: ${past}\n`);
    expect(stdout).toMatch(/^1 tip of the present database is not in the backup\.\n.+ is restored from /);
    expect(stdout).toContain(
      'kept as the schema tipwell_before_restore of the same database, and has 1 tip that the backup has not.\n',
    );
    expect(stdout).toContain(
      ': 1 account changed theirs since, and 1 account came later and is not in it.\n',
    );
    expect(stdout).toContain('All sessions have ended (1): everybody logs in again.\n');
    expect(stdout).toContain('All API keys have ended (1): their owners make new ones.\n');
    expect(await at(url).check([])).toEqual({
      problems: [],
      differences: [],
      auditProblems: [],
      tipCount: books.tipCount,
      past,
    });
    const storage = await at(url).openForServer(OPENING);
    const acts = await storage.audit.list({ after: 2, sinceMs: 0, atMost: 9 });
    expect(acts).toMatchObject([{ number: 3, action: 'database_restored', actorName: 'ops', host: 'bar' }]);
    expect(await storage.listSessions(books.customer.id, 0)).toEqual([]);
    expect(await storage.apiKeys.list(books.provider.id)).toEqual([]);
    const webhooks = await storage.webhooks.list(books.provider.id);
    expect(webhooks.map(({ offReason }) => offReason)).toEqual(['owner', 'restored']);
    expect(await storage.secret('giver_pseudonym', Buffer.alloc(32))).toEqual(
      Buffer.alloc(32, 'giver_pseudonym'),
    );
    expect(await storage.secret('device_mark', Buffer.alloc(32, 7))).toEqual(Buffer.alloc(32, 7));
    expect(await storage.secret('vapid', Buffer.alloc(32, 7))).toEqual(Buffer.alloc(32, 'vapid'));
    await storage.close();
    await tipOnce(url, books);
    const kept = await runHere('db-restore', { DATABASE_URL: url }, [file, '--keep-sessions']);
    expect({ code: kept.code, stderr: kept.stderr }).toEqual({ code: 0, stderr: '' });
    expect(kept.stdout).toContain(
      'kept as the schema tipwell_before_restore_2 of the same database, and has 1 tip',
    );
    expect(kept.stdout).toContain('Sessions go on as they were when the backup was made: 1.\n');
    const again = await at(url).openForServer(OPENING);
    expect(await again.listSessions(books.customer.id, 0)).toHaveLength(1);
    expect(await again.devices.list(books.customer.id, 0)).toEqual([]);
    await again.close();
  });

  test('a restore tells what operators did since, and lets in nobody whom they removed', async () => {
    const { path: url, undo } = await takesBack(await createDatabase());
    const { code, stdout, stderr } = await undo();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expectUndone(stdout);
    const storage = await at(url).openForCommand();
    expect(await storage.operators.list()).toMatchObject([{ email: 'ops@example.com' }]);
    await storage.close();
    expect((await runHere('audit', { DATABASE_URL: url }, ['check'])).code).toBe(0);
  });

  test('a restore fills a database that has nothing yet, also from the dump of a whole one, with tables of Tipwell alone, and payments go on there', async () => {
    const { past, ...books } = original;
    const source = await createDatabase(original.url);
    await execute(
      source,
      `CREATE TABLE public.notes (text text); CREATE SCHEMA shop; CREATE TABLE shop.tipwell (id int);`,
    );
    const dump = join(temporaryFolder(), 'whole.dump');
    execFileSync(join(installed ?? '', 'pg_dump'), ['-Fc', '-f', dump, source]);
    const url = await createDatabase();
    const words = [dump, '--digest', past];
    const { code, stdout, stderr } = await runHere('db-restore', { DATABASE_URL: url }, words);
    expect({ code, stderr, kept: stdout.includes('kept as') }).toEqual({ code: 0, stderr: '', kept: false });
    expect(await at(url).check([])).toMatchObject({ problems: [], past });
    const client = await connect(url);
    const { rows } = await client.query(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables
       WHERE schemaname NOT IN ('tipwell', 'pg_catalog', 'information_schema')`,
    );
    await client.end();
    expect(rows).toEqual([]);

    const [from, to] = [await at(books.url).openForCommand(), await at(url).openForServer(OPENING)];
    const { id } = books.payments.giver;
    expect(await to.payments.listPayments(id, null, 99)).toEqual(
      await from.payments.listPayments(id, null, 99),
    );
    for (const guest of Object.values(books.guests))
      expect(await to.findTransaction(null, guest.id)).toMatchObject({ giverId: null });
    expect(await to.payments.listPayoutAccounts(books.other.id)).toEqual(
      await from.payments.listPayoutAccounts(books.other.id),
    );
    await goOn(to, books);
    for (const storage of [from, to]) await storage.close();
    expect((await at(url).check([])).problems).toEqual([]);
  });

  test('programs of version 17 restore into a server before it, which lacks a parameter that they set', async ({
    skip,
  }) => {
    const url = await createDatabase();
    const version = Number((await ask(url)).slice(0, -4));
    skip(version >= 17, 'this server has the parameter');
    const folder = standIns(17, {
      pg_dump: 'exit 1\n',
      // What pg_restore 17.12 says and does, after the real one has done its work.
      pg_restore: `unknown='pg_restore: error: could not execute query: ERROR:  unrecognized configuration parameter "transaction_timeout"
Command was: SET transaction_timeout = 0;'
case "$*" in *--exit-on-error*) echo "$unknown" >&2; exit 1;; esac
echo "$unknown" >&2
${join(installed ?? '', 'pg_restore')} "$@" && echo 'pg_restore: warning: errors ignored on restore: 1' >&2
exit 1
`,
    });
    const entries = execFileSync(join(installed ?? '', 'pg_restore'), ['--list', original.file], {
      encoding: 'utf8',
    })
      .split('\n')
      .filter((line) => / tipwell /.test(line) && !/ SCHEMA /.test(line));
    const client = await connect(url, UNHURRIED);
    const tools = await findTools(client, url, 'Cannot restore', [folder]);
    await client.query('CREATE SCHEMA tipwell');
    await tools.restore(original.file, entries);
    expect(await at(url).check([])).toMatchObject({ problems: [], past: original.past });
    // A second error is none that was foreseen.
    await expect(tools.restore(original.file, entries)).rejects.toThrow('already exists');
    await client.end();
  });

  test('a restore of what is no whole backup, or has a changed schema or a wrong sum, is refused, and leaves all as it was', async () => {
    const { url, file, past } = await createBackup();
    const damaged = join(dirname(file), 'damaged.dump');
    for (const content of [readFileSync(file).subarray(0, -2_000), 'bread and butter']) {
      writeFileSync(damaged, content);
      const { code, stdout, stderr } = await runHere('db-restore', { DATABASE_URL: url }, [damaged]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('Cannot restore ');
      expect(stderr).not.toContain(new URL(url).password);
    }
    const forged = await createDatabase(original.url);
    for (const [forgery, sentence] of [
      ['UPDATE tipwell.tip_quarters SET count = count + 1', 'Violated: each bucket'],
      [
        'DROP TRIGGER tip_entries_never_change ON tipwell.tip_entries',
        'Changed: the trigger "tip_entries.tip_entries_never_change" is missing',
      ],
    ] as const) {
      await execute(forged, forgery);
      const dump = join(dirname(file), 'forged.dump');
      execFileSync(join(installed ?? '', 'pg_dump'), ['-Fc', '-n', 'tipwell', '-f', dump, forged]);
      const { code, stderr } = await runHere('db-restore', { DATABASE_URL: url }, [dump]);
      expect(code).toBe(1);
      expect(stderr).toContain(`${dump} cannot be trusted. ${sentence}`);
    }
    expect(await at(url).check([])).toMatchObject({ problems: [], past });
  });

  test('a restore that was broken off keeps servers away, and the next puts back what was there; what nobody can read is replaced, which is said', async () => {
    const { url, file, past } = await createBackup();
    await execute(
      url,
      `ALTER SCHEMA tipwell RENAME TO tipwell_before_restore; CREATE SCHEMA tipwell;
       CREATE TABLE tipwell.unfinished_restore (aside text);
       INSERT INTO tipwell.unfinished_restore VALUES ('tipwell_before_restore')`,
    );
    await expect(at(url).openForServer(OPENING)).rejects.toThrow('was broken off');
    const missing = await runHere('db-restore', { DATABASE_URL: url }, [import.meta.filename]);
    expect(missing.code).toBe(1);
    expect(await at(url).check([])).toMatchObject({ problems: [], past });

    // With what cannot be read, nothing can be compared.
    await execute(url, 'ALTER TABLE tipwell.accounts RENAME COLUMN password_hash TO torn');
    const { code, stdout, stderr } = await runHere('db-restore', { DATABASE_URL: url }, [file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      'tipwell_before_restore of the same database, and could not be read: nobody knows',
    );
    expect(stdout).toContain('could not be read, so nobody knows which have changed since.\n');
    expect(stdout).toContain('Nobody knows what operators did since: ');
    expect(await at(url).check([])).toMatchObject({ problems: [], past });
  });

  test('a backup of the version before is checked, and its restore takes the next start; one of another past is refused without --other-past', async () => {
    const url = await createDatabase();
    await makeEarlierDatabase(url, [{ amountCents: 1_000, createdAtMs: START_MS }]);
    const file = join(temporaryFolder(), 'earlier.dump');
    const written = await runHere('db-backup', { DATABASE_URL: url }, [file]);
    expect(written).toMatchObject({ code: 0, stderr: '' });
    const { past } = await at(url).check([]);
    const other = await createDatabase();
    const restored = await runHere('db-restore', { DATABASE_URL: other }, [file, '--digest', past]);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(await at(other).check([])).toEqual({
      problems: [],
      differences: [],
      auditProblems: [],
      tipCount: 1,
      past,
    });
    const storage = await at(other).openForServer(OPENING);
    await storage.close();
    expect(await at(other).check([])).toEqual({
      problems: [],
      differences: [],
      auditProblems: [],
      tipCount: 1,
      past,
    });
    const refused = await runHere('db-restore', { DATABASE_URL: other }, [original.file]);
    expect(refused.stderr).toContain(
      'tells another past than the database that it would replace: from tip 1 on they differ. Tips of the database that are not in the backup: 1.',
    );
    expect(await at(other).check([])).toMatchObject({ problems: [], past });
    // What was brought up to date meanwhile gives way to the backup, too.
    expect((await runHere('db-restore', { DATABASE_URL: other }, [file])).code).toBe(0);
    const forced = [original.file, '--other-past'];
    expect((await runHere('db-restore', { DATABASE_URL: other }, forced)).code).toBe(0);
    expect(await at(other).check([])).toMatchObject({ problems: [], past: original.past });
  });

  test('a backup made after an account was closed says nothing of who it was, and its restore leaves it closed', async () => {
    const url = await createDatabase();
    const storage = await at(url).openForServer(OPENING);
    const { provider, customer, code, tip } = await createPeople(storage).setTheScene();
    const { id } = provider;
    await storage.updateAccount(id, {
      username: 'patricia',
      fullName: 'Unforgettable',
      phone: '+1 555 0199',
    });
    const email = 'second@example.com';
    await storage.updateAccount(id, { email: { email, passwordHash: 'none' } });
    await storage.updateQrCode(id, code, { displayName: 'Patsy of the bar', greeting: 'Cheers darling' });
    const photo = { name: newPhotoName(randomBytes), jpeg: Buffer.from('a face') };
    await storage.setPhoto(id, code, photo);
    await storage.recordTip(tip());
    await storage.close();
    const words = [
      'pat@example.com',
      email,
      'patricia',
      'name of pat',
      'unforgettable',
      '555 0199',
      'patsy',
      'darling',
      photo.name,
      photo.jpeg.toString('hex'),
    ];
    const dump = () =>
      execFileSync(join(installed ?? '', 'pg_dump'), ['-n', 'tipwell', url], {
        encoding: 'utf8',
      }).toLowerCase();
    const before = dump();
    expect(words.filter((word) => !before.includes(word.toLowerCase()))).toEqual([
      'pat@example.com',
      'name of pat',
    ]);

    expect((await runHere('account', { DATABASE_URL: url }, ['close', email])).code).toBe(0);
    const after = dump();
    expect(words.filter((word) => after.includes(word.toLowerCase()))).toEqual([]);
    expect(after).toContain(customer.email);

    const file = join(temporaryFolder(), 'closed.dump');
    expect((await runHere('db-backup', { DATABASE_URL: url }, [file])).code).toBe(0);
    const other = await createDatabase();
    expect((await runHere('db-restore', { DATABASE_URL: other }, [file])).code).toBe(0);
    const restored = await at(other).openForServer(OPENING);
    expect(await restored.findCredentials(email)).toBeNull();
    expect(await restored.findQrCode(code)).toMatchObject({ status: 'retired' });
    for (const username of ['pat', 'patricia']) {
      const newcomer = { ...provider, id: newUserId(randomBytes), email, username, passwordHash: 'none' };
      expect(await restored.createAccount(newcomer)).toBe('username_taken');
    }
    await restored.close();
    expect((await at(other).check([])).problems).toEqual([]);
  });

  test('the daily backup of a server is a dump, compared with the notes of those that are there', async () => {
    const { url, file, past } = await createBackup();
    const folder = join(temporaryFolder(), 'backups');
    mkdirSync(folder);
    const addDump = (name: string, content: string | Buffer, noted: string) => {
      const dump = join(folder, name);
      writeFileSync(dump, content);
      writeFileSync(`${dump}.past`, noted);
      for (const written of [dump, `${dump}.past`]) utimesSync(written, 0, 0);
      return dump;
    };
    // As the server notes it itself, which is compared below.
    const noteOf = (whole: string) => `${whole}\n`;
    addDump('tipwell-000001-2026-05-14.dump', readFileSync(file), noteOf(past));
    const foreign = 'tipwell-000002-2026-05-15.dump';
    const another = addDump(foreign, 'a dump of another database', noteOf(`1:${'a'.repeat(32)}`));
    const server = await startServer({
      DATABASE_URL: url,
      PAYMENTS: 'simulated',
      BACKUP_FOLDER: folder,
      LOG_LEVEL: 'info',
    });
    // The server writes the backup that is due first, and then tells of the others.
    const told = `"files":["${another}"],"msg":"these backups are of another past`;
    await vi.waitFor(() => expect(server.stderr()).toContain(told), { timeout: 30_000 });
    await server.stop();
    expect(server.stderr()).toContain('backup written');
    expect(server.stderr()).not.toContain(new URL(url).password);
    const names = readdirSync(folder);
    const dump = expect.stringMatching(/^tipwell-000003-\d{4}-\d\d-\d\d\.dump$/);
    expect(names).toContainEqual(dump);
    const [note = ''] = names.filter((name) => /^tipwell-000003-.*\.dump\.past$/.test(name));
    expect(readFileSync(join(folder, note), 'utf8')).toBe(noteOf(past));
  });
});

test('without programs that fit, backups and restores say what to install, and change nothing', async () => {
  const url = await createMigratedDatabase();
  const version = Number((await ask(url)).slice(0, -4));
  if (globSync(`/usr/lib/postgresql/{${version},${version + 1}}/bin/pg_dump`).length > 0) return;
  const storage = await at(url).openForServer(OPENING);
  await storage.recordTip((await createPeople(storage).setTheScene()).tip());
  await storage.close();
  const { past } = await at(url).check([]);
  const folder = temporaryFolder();
  vi.stubEnv('PATH', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [command, words] of [
    ['db-backup', [join(folder, 'tips.dump')]],
    ['db-restore', [import.meta.filename]],
  ] as const) {
    const { code, stdout, stderr } = await runHere(command, { DATABASE_URL: url }, words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`takes pg_dump and pg_restore of PostgreSQL ${version} (or newer)`);
    expect(stderr).toContain(`postgresql-client-${version}`);
    expect(stderr).not.toContain(new URL(url).password || 'no password');
  }
  expect(readdirSync(folder)).toEqual([]);
  expect(await at(url).check([])).toMatchObject({ problems: [], past });
});

async function ask(url: string): Promise<string> {
  const client = await connect(url);
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  await client.end();
  return rows[0]?.server_version_num ?? '';
}
