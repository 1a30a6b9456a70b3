/**
 * Files of the database are their owner's alone, whatever umask the server or a command was started with, and
 * those that an earlier version left open are closed. Folders that are somebody else's are left alone.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { runHere } from '#tests/support/commands.ts';
import { OPENING } from '#tests/support/opening.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { runToEnd, startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

const UMASK = process.umask();

afterEach(() => void process.umask(UMASK));
afterAll(stopEverything);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The modes of all that lies in a folder, by name. */
const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));

/** Another one takes from what is made, and whatever is left open by it is left open by this one. */
describe.skipIf(process.platform === 'win32')('with umask 000', () => {
  test('a server makes its folders 0700 and its files 0600', async () => {
    const above = join(temporaryFolder(), 'made');
    const folder = join(above, 'here');
    const backups = join(above, 'backups');
    process.umask(0);
    const server = await startServer({ DATABASE_URL: join(folder, 'tipwell.db'), BACKUP_FOLDER: backups });
    expect([modeOf(above), modeOf(folder)]).toEqual(['700', '700']);
    expect(modesIn(folder)).toEqual({
      'tipwell.db': '600',
      'tipwell.db-shm': '600',
      'tipwell.db-wal': '600',
      'tipwell.db.lock': '600',
    });
    await vi.waitFor(() => expect(readdirSync(backups).join()).toMatch(/\.db,[^,]+\.db\.past$/), {
      timeout: 20_000,
      interval: 50,
    });
    expect(modeOf(backups)).toBe('700');
    // The backup, and what is noted of its past.
    expect(Object.values(modesIn(backups))).toEqual(['600', '600']);
    await server.stop();
  });

  test('commands make files 0600, also of a backup that others may read', async () => {
    const { path } = await prepareLedger(['pat']);
    process.umask(0);
    const env = { DATABASE_URL: path };
    const folder = temporaryFolder();
    const file = join(folder, 'backup.db');
    expect((await runHere('db-backup', env, [file])).code).toBe(0);
    expect(modesIn(folder)).toEqual({ 'backup.db': '600' });
    chmodSync(file, 0o644);

    const target = join(temporaryFolder(), 'made', 'tipwell.db');
    for (let time = 0; time < 2; time += 1)
      expect((await runHere('db-restore', { DATABASE_URL: target }, [file])).code).toBe(0);
    expect(modeOf(join(target, '..'))).toBe('700');
    const modes = modesIn(join(target, '..'));
    expect(modes).toMatchObject({ 'tipwell.db': '600', 'tipwell.db.before-restore': '600' });
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
    expect(modeOf(file)).toBe('644');
  });
});

describe.skipIf(process.platform === 'win32')('what an earlier version left open', () => {
  test('is closed at the start, and nothing else in the folder', async () => {
    const { path } = await prepareLedger(['pat']);
    const folder = join(path, '..');
    const ours = ['.lock', '.before-restore', '.before-restore-wal', '.before-restore-2'];
    const others = ['notes.txt', 'tipwell.db.txt', 'tipwell.db-copy', 'another.db'];
    for (const suffix of ours) writeFileSync(`${path}${suffix}`, '');
    for (const name of others) writeFileSync(join(folder, name), '');
    symlinkSync(join(folder, 'notes.txt'), `${path}.before-restore-3`);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    chmodSync(folder, 0o755);
    const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    await storage.proveWritable();
    for (const suffix of ['', '-wal', '-shm', ...ours])
      expect(modeOf(`${path}${suffix}`), suffix).toBe('600');
    for (const name of others) expect(modeOf(join(folder, name)), name).toBe('644');
    // Others' files may lie in it: whoever chose it decides.
    expect(modeOf(folder)).toBe('755');
    await storage.close();
  });

  test('is closed with its folder where that is the default one', async () => {
    const folder = temporaryFolder();
    const { path } = await prepareLedger(['pat']);
    mkdirSync(join(folder, 'data'));
    copyFileSync(path, join(folder, 'data/tipwell.db'));
    chmodSync(join(folder, 'data/tipwell.db'), 0o644);
    chmodSync(join(folder, 'data'), 0o755);
    const { code } = await runToEnd('account', {}, ['unlock', 'pat@example.com'], folder);
    expect(code).toBe(0);
    expect(modeOf(join(folder, 'data'))).toBe('700');
    expect(modesIn(join(folder, 'data'))).toEqual({ 'tipwell.db': '600' });
  });

  test('is closed before it is kept aside', async () => {
    const { path } = await prepareLedger(['pat']);
    const file = join(temporaryFolder(), 'backup.db');
    expect((await runHere('db-backup', { DATABASE_URL: path }, [file])).code).toBe(0);
    chmodSync(path, 0o644);
    expect((await runHere('db-restore', { DATABASE_URL: path }, [file])).code).toBe(0);
    expect(modeOf(`${path}.before-restore`)).toBe('600');
  });

  test('is closed by nobody who only reads it', async () => {
    const { path } = await prepareLedger(['pat']);
    chmodSync(path, 0o640);
    const before = readFileSync(path);
    expect((await runHere('db-check', { DATABASE_URL: path })).code).toBe(0);
    expect(modeOf(path)).toBe('640');
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
