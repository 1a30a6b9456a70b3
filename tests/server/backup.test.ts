/**
 * Backups that a tired operator can trust: complete and consistent while a server writes, checked before they
 * are trusted, restored without losing what was there before. Everything runs as the commands do, on real
 * files.
 */
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { databaseAt } from '#server/storage/open.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { PAYMENT_STATES } from '#shared/payments.ts';
import { backUpUnderLoad, tipsIn } from '#tests/support/backups-under-load.ts';
import { goOn, writeBooks } from '#tests/support/books.ts';
import { runHere } from '#tests/support/commands.ts';
import { dump } from '#tests/support/database-dump.ts';
import { exchangeTips, forge } from '#tests/support/forgery.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { runToEnd, temporaryFolder } from '#tests/support/running-server.ts';
import { expectUndone, takesBack } from '#tests/support/undone-acts.ts';

/**
 * The data of a server in this process, with a customer who tips a provider; a server of its own would take a
 * second to start.
 */
async function openWithPeople() {
  const path = createMigratedFile();
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  const scene = await createPeople(storage).setTheScene();
  const tip = async (amountCents = 1_000): Promise<string> => {
    const given = scene.tip({ amountCents, createdAtMs: Date.now() });
    expect((await storage.recordTip(given)).outcome).toBe('recorded');
    return given.id;
  };
  return { path, tip, env: { DATABASE_URL: path }, close: storage.close };
}

/**
 * A module with which a process leaves a copy of a folder, as a kill would leave the folder itself, each time that
 * it is about to change one, and kills itself when it would end.
 */
function leavingEachMoment(folder: string, to: string): string {
  const source = `
    import { execFileSync } from 'node:child_process';
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let count = 0;
    for (const name of ['linkSync', 'renameSync', 'rmSync']) {
      const change = fs[name];
      fs[name] = (...words) => {
        count += 1;
        // Two names of one file have to be that in the copy as well.
        execFileSync('cp', ['-a', ${JSON.stringify(folder)}, ${JSON.stringify(to)} + '/' + count]);
        return change(...words);
      };
    }
    syncBuiltinESMExports();
    process.on('exit', () => process.kill(process.pid, 'SIGKILL'));`;
  return `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`;
}

describe('a backup', () => {
  test('made while tips are recorded holds every tip acknowledged before it began, and adds up', async () => {
    const figures = await backUpUnderLoad({ backups: 1, givers: 2, tipsBetween: 1, isRestored: false });
    expect(figures.acknowledgedMeanwhile).toBeGreaterThan(0);
  });

  test('never overwrites a file', async () => {
    const { env, close } = await openWithPeople();
    await close();
    const file = join(temporaryFolder(), 'precious.db');
    writeFileSync(file, 'precious');
    const backup = await runHere('db-backup', env, [file]);
    expect(backup.code).toBe(1);
    expect(backup.stderr).toMatch(/none is written over/);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test('takes no name beside the database that SQLite or a restore writes over', async () => {
    const { path, env, close } = await openWithPeople();
    await close();
    for (const suffix of ['-wal', '-shm', '-journal', '.incoming', '.before-restore-wal']) {
      const backup = await runHere('db-backup', env, [`${path}${suffix}`]);
      expect(backup, suffix).toMatchObject({ code: 1, stderr: expect.stringMatching(/written over/) });
      expect(existsSync(`${path}${suffix}`), suffix).toBe(false);
    }
    expect(await runHere('db-backup', env, [`${path}.backup`])).toMatchObject({ code: 0 });
  });

  test('leaves nothing half-finished where it cannot be written', async () => {
    const { env, close } = await openWithPeople();
    await close();
    const folder = temporaryFolder();
    const backup = await runHere('db-backup', env, [join(folder, 'missing', 'backup.db')]);
    expect(backup.code).toBe(1);
    expect(backup.stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a ledger that does not add up is refused', async () => {
    const { path, tip, env, close } = await openWithPeople();
    await tip();
    await close();
    const database = new SqliteDatabase(path);
    database.exec('UPDATE accounts SET total_tips_received_cents = 1 WHERE total_tips_received_cents > 0');
    database.close();
    const folder = temporaryFolder();
    const backup = await runHere('db-backup', env, [join(folder, 'backup.db')]);
    expect(backup.code).toBe(1);
    expect(backup.stderr).toMatch(/total received/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    'db-backup',
    'account',
    'invite',
    'operator',
  ] as const)('%s says with --help how it is called, and succeeds', async (name) => {
    const { path } = await openWithPeople();
    for (const asked of [['--help'], ['-h'], ['revoke', '--help']]) {
      const { code, stdout, stderr } = await runHere(name, { DATABASE_URL: path }, asked);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: npm run [^\n]+\n$/);
    }
  });

  test('commands without the words that they need show how they are called, and fail', async () => {
    expect(await runHere('db-backup', {})).toMatchObject({
      code: 1,
      stderr: 'Usage: npm run db:backup -- FILE [--digest COUNT:HEX]\n',
    });
    expect(await runHere('db-restore', {}, ['a', 'b'])).toMatchObject({
      code: 1,
      stderr:
        'Usage: npm run db:restore -- FILE [--keep-sessions] [--other-past] [--digest COUNT:HEX] [--reason TEXT]\n',
    });
  });
});

describe('restoring', () => {
  /**
   * A database with three accounts, of which two then change their password, one logs out, and a fourth
   * comes.
   */
  async function writeOn() {
    const { path } = await prepareLedger(['pat', 'cam', 'sam']);
    change(
      path,
      `INSERT INTO secrets VALUES ('device_mark', zeroblob(32)), ('giver_pseudonym', zeroblob(32));
       INSERT INTO push_devices SELECT 'dev_1', user_id, token_hash, 'https://push.example.com/a', zeroblob(65), zeroblob(16), 0, 0, 0, 0, 0, 0
         FROM sessions LIMIT 1;
       INSERT INTO mails SELECT 'mail_1', id, 'new_device', email, '{}', 0, 0, 0, 0 FROM accounts LIMIT 1;
       INSERT INTO mail_links SELECT zeroblob(32), 'password', id, email_key, 0 FROM accounts LIMIT 1;
       INSERT INTO invitations VALUES ('inv_1', zeroblob(32), NULL, 2, 1, 0);
       INSERT INTO webhooks SELECT 'whk_1', id, 'https://till.example.com/a', 'tip.received', zeroblob(32), NULL, NULL,
         0, 0, 0, NULL, NULL, 1, NULL, 0, 0, 0, 0 FROM accounts LIMIT 1;
       INSERT INTO operators VALUES ('opr_1', 'ops@example.com', 'ops@example.com', NULL, 0, 0);
       INSERT INTO operator_sessions VALUES (zeroblob(32), 'opr_1', 0, 0, 9000000000000, 0, '192.0.2.1', '');
       INSERT INTO operator_links VALUES (zeroblob(32), 'opr_1', 9000000000000);
       INSERT INTO api_keys SELECT 'key_1', id, zeroblob(32), 'Till', 'tips:read', '', 'abcd', 0, 9000000000000, NULL
         FROM accounts LIMIT 1`,
    );
    const file = join(temporaryFolder(), 'backup.db');
    expect((await runHere('db-backup', { DATABASE_URL: path }, [file])).code).toBe(0);
    change(
      path,
      `UPDATE accounts SET password_hash = 'new' WHERE username IN ('pat', 'cam');
       DELETE FROM sessions WHERE user_id = (SELECT id FROM accounts WHERE username = 'cam');
       INSERT INTO accounts (id, email, email_key, username, full_name, is_service_provider, password_hash,
         total_tips_received_cents, total_tips_given_cents, created_at_ms)
         SELECT 'usr_new', 'new@example.com', 'new@example.com', 'new', 'New', is_service_provider, password_hash, 0, 0, created_at_ms
         FROM accounts WHERE username = 'sam';`,
    );
    return { path, file };
  }

  let written: ReturnType<typeof writeOn> | undefined;

  /** Copies of such a database, with whatever lies beside it, and of a backup from before the changes. */
  async function livesOn() {
    written ??= writeOn();
    const made = await written;
    const folder = temporaryFolder();
    cpSync(dirname(made.path), folder, { recursive: true });
    const path = join(folder, basename(made.path));
    const file = join(temporaryFolder(), 'backup.db');
    copyFileSync(made.file, file);
    return { path, env: { DATABASE_URL: path }, file };
  }

  function change(path: string, statements: string): void {
    new SqliteDatabase(path, { fileMustExist: true }).exec(statements).close();
  }

  function read(path: string, query: string): unknown[] {
    const database = new SqliteDatabase(path, { readonly: true });
    try {
      return database.prepare(query).pluck().all();
    } finally {
      database.close();
    }
  }

  function dumpOf(path: string) {
    const database = openDatabase(path, { mustExist: true, readonly: true });
    try {
      return dump(database);
    } finally {
      database.close();
    }
  }

  test('revives no session and no mark of a device, and says which passwords it brought back', async () => {
    const { path, env, file } = await livesOn();
    const { code, stdout } = await runHere('db-restore', env, [file]);
    expect(code).toBe(0);
    expect(stdout).toContain('All sessions have ended (3): everybody logs in again.\n');
    expect(stdout).toContain('All API keys have ended (1): their owners make new ones.\n');
    expect(stdout).toContain(
      'All webhooks are off (1): their owners switch them on again in their profile.\n',
    );
    expect(stdout).toContain(
      'No device gets notifications (1): their owners turn them on again in their profile.\n',
    );
    expect(stdout).toContain('All invitations have ended (1): make new ones.\n');
    expect(stdout).toContain(
      'The passwords are those of the backup: 2 accounts changed theirs since, and 1 account came later and is not in it.\n',
    );
    expect(read(path, 'SELECT name FROM secrets')).toEqual(['giver_pseudonym']);
    for (const table of ['sessions', 'push_devices', 'mails', 'mail_links', 'invitations', 'api_keys'])
      expect(read(path, `SELECT count(*) FROM ${table}`)).toEqual([0]);
    for (const table of ['operator_sessions', 'operator_links'])
      expect(read(path, `SELECT count(*) FROM ${table}`)).toEqual([0]);
    expect(read(path, 'SELECT id FROM operators')).toEqual(['opr_1']);
    expect(read(path, 'SELECT off_reason FROM webhooks')).toEqual(['restored']);
    // The backup itself is as it was.
    expect(read(file, 'SELECT count(*) FROM sessions')).toEqual([3]);
    expect(read(file, 'SELECT count(*) FROM push_devices')).toEqual([1]);
  });

  test('tells what operators did since, and lets in nobody whom they removed', async () => {
    const { path, env, file, undo } = await takesBack(createMigratedFile());
    const { code, stdout, stderr } = await undo();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expectUndone(stdout);
    expect(read(path, 'SELECT email FROM operators')).toEqual(['ops@example.com']);
    expect(read(path, `SELECT count(*) FROM passkeys WHERE holder_kind = 'operator'`)).toEqual([0]);
    // So does the next restore, which finds the log of the first.
    const again = await runHere('db-restore', env, [file]);
    expect(again.stdout).toContain('1 act of an operator is not in the backup. Do again what still holds:\n');
    expect(again.stdout).toContain('Operators who were removed since are not brought back: 1.\n');
    expect(read(path, 'SELECT email FROM operators')).toEqual(['ops@example.com']);
    expect((await runHere('audit', env, ['check'])).code).toBe(0);
    await runHere('db-restore', env, [file, '--keep-sessions']);
    expect(read(path, 'SELECT email FROM operators')).toHaveLength(2);
  });

  test('keeps sessions and marks when it is told to, as for moving', async () => {
    const { env, file } = await livesOn();
    const path = join(temporaryFolder(), 'tipwell.db');
    const { code, stdout } = await runHere('db-restore', { ...env, DATABASE_URL: path }, [
      file,
      '--keep-sessions',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('Sessions go on as they were when the backup was made: 3.\n');
    expect(stdout).toContain('API keys work as they did when the backup was made: 1.\n');
    expect(read(path, 'SELECT id FROM api_keys')).toEqual(['key_1']);
    expect(read(path, 'SELECT operator_id FROM operator_sessions')).toEqual(['opr_1']);
    expect(read(path, 'SELECT off_reason FROM webhooks')).toEqual([null]);
    expect(stdout).toContain('The passwords are those of the backup.\n');
    expect(read(path, 'SELECT name FROM secrets ORDER BY name')).toEqual(['device_mark', 'giver_pseudonym']);
    // The server may be a copy, which must wake up nobody’s phone, and mail nobody.
    for (const table of ['push_devices', 'mails', 'mail_links', 'invitations'])
      expect(read(path, `SELECT count(*) FROM ${table}`)).toEqual([0]);
    const sessions = `SELECT json_array(hex(token_hash), user_id, created_at_ms, expires_at_ms) FROM sessions ORDER BY 1`;
    expect(read(path, sessions)).toEqual(read(file, sessions));
    expect(read(path, sessions)).toHaveLength(3);
  });

  test('brings back payments in every state and tips of guests as they were, which then go on', async () => {
    const { path, tipCount, ...books } = await writeBooks();
    const env = { DATABASE_URL: path };
    const file = join(temporaryFolder(), 'backup.db');
    const written = await runHere('db-backup', env, [file]);
    expect(written).toMatchObject({ code: 0, stderr: '' });
    const noted = new RegExp(`: (${tipCount}:[0-9a-f]{32})\n`).exec(written.stdout)?.[1] ?? '';
    const before = dumpOf(path);
    expect(before['payments']?.map(({ state }) => state)).toEqual(
      expect.arrayContaining([...PAYMENT_STATES]),
    );
    // The same tips, of which one is said not to have been paid.
    forge(path, `UPDATE transactions SET payment_mode = 'simulated' WHERE sequence = 2`);
    const refused = await runHere('db-restore', env, [file]);
    expect(refused.stderr).toContain('from tip 2 on they differ');
    const checked = await runHere('db-check', env, ['--digest', noted]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(
      'Violated: a payment that was authorised or succeeded is a tip as it was paid',
    );
    expect(checked.stdout).toContain('Rewritten: ');

    const restored = await runHere('db-restore', env, [file, '--other-past', '--keep-sessions']);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    // A copy that is only tried out must not wake or mail anybody.
    const audit_log = [
      ...(before['audit_log'] ?? []),
      expect.objectContaining({ action: 'database_restored' }),
    ];
    const gone = { factor_challenges: [], push_devices: [], mails: [], mail_links: [], invitations: [] };
    expect(dumpOf(path)).toEqual({ ...before, ...gone, audit_log });
    expect((await runHere('db-check', env, ['--digest', noted])).code).toBe(0);
    const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    await goOn(storage, books);
    await storage.close();
    expect((await runHere('db-check', env, ['--digest', noted])).code).toBe(0);
  });

  test('says up to when the ledger goes, and what to note of it', async () => {
    const { tip, env, close } = await openWithPeople();
    await tip();
    const file = join(temporaryFolder(), 'backup.db');
    const backup = await runHere('db-backup', env, [file]);
    await close();
    const { stdout } = await runHere('db-restore', env, [file]);
    const today = new Date().toISOString().slice(0, 7);
    expect(stdout).toMatch(
      new RegExp(`: a ledger of 1 tip, the newest of ${today}-\\d\\d \\d\\d:\\d\\d UTC\\.\n`),
    );
    const noted = /Its past, to note elsewhere: (1:[0-9a-f]{32})\n/;
    expect(noted.exec(stdout)?.[1]).toBe(noted.exec(backup.stdout)?.[1] ?? 'none');
    expect(stdout).toContain('none has changed since.');
    expect(stdout).toContain('.before-restore, and has no tip that is gone now.\n');
    expect(stdout).not.toContain('not in the backup');
  });

  test('refuses a backup with another past, changes nothing, and takes it when it is told to', async () => {
    const { path, tip, env, close } = await openWithPeople();
    for (const amountCents of [1_000, 2_000, 2_000]) await tip(amountCents);
    const file = join(temporaryFolder(), 'backup.db');
    const backup = await runHere('db-backup', env, [file]);
    const noted = /: (3:[0-9a-f]{32})\n/.exec(backup.stdout)?.[1] ?? '';
    await tip();
    await close();
    // What was given second becomes what was given third, and the other way round: all sums stay.
    forge(file, exchangeTips(2, 3));
    const before = tipsIn(path);
    const refused = await runHere('db-restore', env, [file]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^The backup tells another past .+ from tip 2 on they differ\. .+ not in the backup: 1\. .+ --other-past\.\n$/,
    );
    const alsoNoted = await runHere('db-restore', env, [file, '--other-past', '--digest', noted]);
    expect(alsoNoted).toMatchObject({ code: 1, stderr: expect.stringContaining('Rewritten: 3:') });
    expect(tipsIn(path)).toEqual(before);
    expect(existsSync(`${path}.before-restore`)).toBe(false);
    const restored = await runHere('db-restore', env, [file, '--other-past']);
    expect(restored.code).toBe(0);
    expect(restored.stdout).toMatch(
      /^1 tip of the present database is not in the backup\.\n.+ is restored from /,
    );
    expect(restored.stdout).toContain(`.before-restore, and has 1 tip that the backup has not.\n`);
    expect(tipsIn(path)).toHaveLength(3);
  });

  test('takes a backup that is newer than the database, and proves what was noted', async () => {
    const { path, tip, env, close } = await openWithPeople();
    await tip();
    const older = join(temporaryFolder(), 'older.db');
    const noted = / (1:[0-9a-f]{32})\n/.exec((await runHere('db-backup', env, [older])).stdout)?.[1] ?? '';
    await tip();
    const newer = join(temporaryFolder(), 'newer.db');
    await runHere('db-backup', env, [newer]);
    await close();
    expect((await runHere('db-restore', env, [older])).code).toBe(0);
    const again = await runHere('db-restore', env, [newer, '--digest', noted]);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('Its first tip is the one that was noted.\n');
    expect(tipsIn(path)).toHaveLength(2);
  });

  test('replaces a damaged database, with which nothing can be compared, and says so', async () => {
    const { path, env, file } = await livesOn();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4_096, 12_288);
    writeFileSync(path, bytes);
    const { code, stdout } = await runHere('db-restore', env, [file]);
    expect(code).toBe(0);
    expect(stdout).toContain('could not be read, so nobody knows which have changed since.');
    expect(stdout).toContain('Nobody knows what operators did since: ');
    expect((await runHere('db-check', env)).code).toBe(0);
    expect(readFileSync(`${path}.before-restore`).equals(bytes)).toBe(true);
  });

  test('refuses where the present database cannot be read for another reason than damage, unless told to', async () => {
    const { path, env, file } = await livesOn();
    const holder = openDatabase(path, { mustExist: true });
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec('BEGIN IMMEDIATE; COMMIT');
    const refused = await runHere('db-restore', env, [file]);
    const folder = readdirSync(join(path, '..')).filter((name) => !name.endsWith('.lock'));
    expect(folder.filter((name) => /incoming|before-restore/.test(name))).toEqual([]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      'Nothing was changed: the present database could not be compared with the backup, and --other-past restores without that. ' +
        `Cannot open the database ${path}: database is locked\n`,
    );
    const restored = await runHere('db-restore', env, [file, '--other-past']);
    holder.close();
    expect(restored.code).toBe(0);
    expect(restored.stdout).toContain(
      'could not be read: nobody knows whether it has tips that are gone now',
    );
  });

  test('over a file without tables works, because it has nothing to compare', async () => {
    const { env, file } = await livesOn();
    const path = join(temporaryFolder(), 'empty.db');
    writeFileSync(path, '');
    expect((await runHere('db-restore', { ...env, DATABASE_URL: path }, [file])).code).toBe(0);
  });

  test('as root leaves the files to whom they belonged, who else could not open them', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root may give files to another user');
    const nobody = 65_534;
    const { path, env, file } = await livesOn();
    const ownersOf = (place: string) =>
      ['', '.lock'].map((suffix) => [statSync(place + suffix).uid, statSync(place + suffix).gid]);
    const owner = [nobody, nobody];
    chownSync(path, nobody, nobody);
    expect((await runHere('db-restore', env, [file])).code).toBe(0);
    expect(ownersOf(path)).toEqual([owner, owner]);
    // Where there is no database yet, the folder says whose it is.
    const folder = temporaryFolder();
    chownSync(folder, nobody, nobody);
    const fresh = join(folder, 'tipwell.db');
    expect((await runHere('db-restore', { ...env, DATABASE_URL: fresh }, [file])).code).toBe(0);
    expect(ownersOf(fresh)).toEqual([owner, owner]);
  });

  test('killed at any moment leaves the database or the backup, whole, for the next start', async () => {
    const { path, tip, env, close } = await openWithPeople();
    const old = [await tip()];
    const file = join(temporaryFolder(), 'backup.db');
    await runHere('db-backup', env, [file]);
    // Of a killed server: its newest tip is in the log alone.
    old.push(await tip());
    const place = join(temporaryFolder(), 'tipwell.db');
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${place}${suffix}`);
    await close();

    const left = temporaryFolder();
    const NODE_OPTIONS = `--import=${leavingEachMoment(dirname(place), left)}`;
    const killed = await runToEnd('db-restore', { DATABASE_URL: place, NODE_OPTIONS }, [file]);
    expect(killed.signal).toBe('SIGKILL');
    const moments = readdirSync(left).map((name) => join(left, name));
    expect(moments.length).toBeGreaterThan(10);
    // The last is that of the kill itself.
    for (const folder of [...moments, dirname(place)]) {
      const database = join(folder, 'tipwell.db');
      const storage = await databaseAt({ engine: 'sqlite', path: database }).openForServer(OPENING);
      await storage.close();
      const isRestored = tipsIn(database).length === 1;
      expect(tipsIn(database), folder).toEqual(isRestored ? old.slice(0, 1) : old);
      const aside = `${database}.before-restore`;
      expect(existsSync(aside), folder).toBe(isRestored);
      expect(readdirSync(folder), folder).not.toContain('tipwell.db.incoming');
      if (isRestored) expect(tipsIn(aside), folder).toEqual(old);
    }
    expect(tipsIn(place)).toHaveLength(1);
  });

  test('through a symbolic link leaves the link, and replaces the file that it leads to', async () => {
    const { path, file } = await livesOn();
    const link = join(temporaryFolder(), 'link.db');
    symlinkSync(path, link);
    const { code, stdout } = await runHere('db-restore', { DATABASE_URL: link }, [file]);
    expect(code).toBe(0);
    expect(stdout).toContain(`is kept as ${path}.before-restore, `);
    expect(readlinkSync(link)).toBe(path);
    expect(read(path, 'SELECT count(*) FROM accounts')).toEqual([3]);
    const itself = await runHere('db-restore', { DATABASE_URL: path }, [link]);
    expect(itself).toMatchObject({ code: 1, stderr: 'The backup is the database itself.\n' });
  });

  test('leaves a backup whose name a restore writes over, and one that was set aside, where they are', async () => {
    const { path, env, file } = await livesOn();
    const incoming = `${path}.incoming`;
    copyFileSync(file, incoming);
    const refused = await runHere('db-restore', env, [incoming]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/written over/) });
    expect(readFileSync(incoming)).toEqual(readFileSync(file));
    expect(await runHere('db-restore', env, [file])).toMatchObject({ code: 0 });
    const aside = `${path}.before-restore`;
    const { code, stdout } = await runHere('db-restore', env, [aside]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`${aside}-2`) });
    expect(existsSync(aside)).toBe(true);
  });

  test('of a file of the first version works, sessions and all', async () => {
    const { path, env } = await livesOn();
    const first = join(temporaryFolder(), 'first.db');
    const database = openDatabase(first);
    migrate(database, readMigrations('sqlite').slice(0, 1));
    database.close();
    const { code, stdout } = await runHere('db-restore', env, [first]);
    expect(code).toBe(0);
    expect(stdout).toContain('starting the server brings it up to date');
    expect(tipsIn(path)).toEqual([]);
  });

  test('brings back what the backup holds, and keeps what was there before', async () => {
    const { path, tip, env, close } = await openWithPeople();
    const kept = [await tip(), await tip(2_000)];
    const file = join(temporaryFolder(), 'backup.db');
    await runHere('db-backup', env, [file]);
    const later = await tip(3_000);
    await close();
    for (const aside of ['.before-restore', '.before-restore-2']) {
      const restored = await runHere('db-restore', env, [file]);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(restored.stdout).toContain(`${path}${aside}`);
      expect(tipsIn(path)).toEqual(kept);
    }
    expect(tipsIn(`${path}.before-restore`)).toEqual([...kept, later]);
    expect(existsSync(file)).toBe(true);
    const again = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    await again.proveWritable();
    await again.close();
  });

  test('keeps aside also what a killed server had not yet moved out of its log, and brings it back from there', async () => {
    const { path: served, tip, env, close } = await openWithPeople();
    const file = join(temporaryFolder(), 'backup.db');
    await runHere('db-backup', env, [file]);
    const unsaved = await tip();
    const path = join(temporaryFolder(), 'killed.db');
    for (const suffix of ['', '-wal']) copyFileSync(`${served}${suffix}`, `${path}${suffix}`);
    await close();
    const killed = { DATABASE_URL: path };
    expect((await runHere('db-restore', killed, [file])).code).toBe(0);
    expect(tipsIn(path)).toEqual([]);
    const aside = `${path}.before-restore`;
    expect(tipsIn(aside)).toEqual([unsaved]);
    expect((await runHere('db-restore', killed, [aside])).code).toBe(0);
    expect(tipsIn(path)).toEqual([unsaved]);
  });

  test('is refused while a server holds the database, and changes nothing', async () => {
    const { path, tip, env, close } = await openWithPeople();
    const id = await tip();
    const file = join(temporaryFolder(), 'backup.db');
    await runHere('db-backup', env, [file]);
    const restored = await runHere('db-restore', env, [file]);
    expect(restored.code).toBe(1);
    expect(restored.stderr).toMatch(/another Tipwell process is using it/);
    expect(tipsIn(path)).toEqual([id]);
    await tip();
    await close();
  });

  test.each([
    ['text', (file: string) => writeFileSync(file, 'no database at all')],
    ['not there', () => {}],
    ['a folder', (file: string) => mkdirSync(file)],
    [
      'another program’s database',
      (file: string) => new SqliteDatabase(file).exec('CREATE TABLE t (x)').close(),
    ],
    ['cut short', (file: string, good: string) => writeFileSync(file, readFileSync(good).subarray(0, 8_192))],
    [
      'a ledger that does not add up',
      (file: string, good: string) => {
        copyFileSync(good, file);
        new SqliteDatabase(file).exec('UPDATE accounts SET total_tips_given_cents = 5').close();
      },
    ],
    [
      'from a newer version',
      (file: string, good: string) => {
        copyFileSync(good, file);
        new SqliteDatabase(file).exec(`INSERT INTO schema_migrations VALUES (99, 'newer')`).close();
      },
    ],
  ])('refuses a backup that is %s, and changes nothing', async (_name, spoil) => {
    const { path, tip, env, close } = await openWithPeople();
    const id = await tip();
    const good = join(temporaryFolder(), 'good.db');
    await runHere('db-backup', env, [good]);
    await close();
    const bad = join(temporaryFolder(), 'bad.db');
    spoil(bad, good);
    const restored = await runHere('db-restore', env, [bad]);
    expect(restored.code).toBe(1);
    expect(restored.stderr.trim().split('\n')).toHaveLength(1);
    expect(restored.stderr).toContain(bad);
    expect(restored.stderr).not.toContain('db:restore');
    expect(tipsIn(path)).toEqual([id]);
    expect(existsSync(`${path}.before-restore`)).toBe(false);
    expect(existsSync(`${path}.incoming`)).toBe(false);
  });
});
