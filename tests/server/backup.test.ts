/**
 * Backups that a tired operator can trust: complete and consistent while a server writes, checked before they are
 * trusted, restored without losing what was there before. Everything runs as the commands do, on real files.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { backUpUnderLoad, startWithPeople, tipsIn } from '#tests/support/backups-under-load.ts';
import { runToEnd, startServer, temporaryFolder } from '#tests/support/running-server.ts';

describe('a backup', () => {
  test('is for its owner’s eyes only', async () => {
    const { env } = await startWithPeople();
    const file = join(temporaryFolder(), 'backup.db');
    expect(await runToEnd('db-backup', env, [file])).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('made while tips are recorded holds every tip acknowledged before it began, and adds up', async () => {
    const figures = await backUpUnderLoad({ backups: 3, givers: 4, tipsBetween: 1, isRestored: false });
    expect(figures.acknowledgedMeanwhile).toBeGreaterThan(0);
  });

  test('never overwrites a file', async () => {
    const { env } = await startWithPeople();
    const file = join(temporaryFolder(), 'precious.db');
    writeFileSync(file, 'precious');
    const backup = await runToEnd('db-backup', env, [file]);
    expect(backup.code).toBe(1);
    expect(backup.stderr).toMatch(/exists already/);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  test('leaves nothing half-finished where it cannot be written', async () => {
    const { env } = await startWithPeople();
    const folder = temporaryFolder();
    const backup = await runToEnd('db-backup', env, [join(folder, 'missing', 'backup.db')]);
    expect(backup.code).toBe(1);
    expect(backup.stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a ledger that does not add up is refused', async () => {
    const { server, tip, env } = await startWithPeople();
    await tip();
    await server.stop();
    const database = new SqliteDatabase(server.databasePath);
    database.exec('UPDATE accounts SET total_tips_received_cents = 1 WHERE total_tips_received_cents > 0');
    database.close();
    const folder = temporaryFolder();
    const backup = await runToEnd('db-backup', env, [join(folder, 'backup.db')]);
    expect(backup.code).toBe(1);
    expect(backup.stderr).toMatch(/total received/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says how it is called', async () => {
    expect(await runToEnd('db-backup')).toMatchObject({
      code: 1,
      stderr: 'Usage: npm run db:backup -- FILE\n',
    });
    expect(await runToEnd('db-restore', {}, ['a', 'b'])).toMatchObject({
      code: 1,
      stderr: 'Usage: npm run db:restore -- FILE\n',
    });
  });
});

describe('restoring', () => {
  test('brings back what the backup holds, and keeps what was there before', async () => {
    const { server, tip, env } = await startWithPeople();
    const kept = [await tip(), await tip(20)];
    const file = join(temporaryFolder(), 'backup.db');
    await runToEnd('db-backup', env, [file]);
    const later = await tip(30);
    await server.stop();
    for (const aside of ['.before-restore', '.before-restore-2']) {
      const restored = await runToEnd('db-restore', env, [file]);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(restored.stdout).toContain(`${server.databasePath}${aside}`);
      expect(tipsIn(server.databasePath)).toEqual(kept);
    }
    expect(tipsIn(`${server.databasePath}.before-restore`)).toEqual([...kept, later]);
    expect(existsSync(file)).toBe(true);
    const again = await startServer({ DATABASE_URL: server.databasePath });
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  });

  test('keeps aside also what a killed server had not yet moved out of its log', async () => {
    const { server, tip, env } = await startWithPeople();
    const file = join(temporaryFolder(), 'backup.db');
    await runToEnd('db-backup', env, [file]);
    const unsaved = await tip();
    await server.stop('SIGKILL');
    expect((await runToEnd('db-restore', env, [file])).code).toBe(0);
    expect(tipsIn(server.databasePath)).toEqual([]);
    expect(tipsIn(`${server.databasePath}.before-restore`)).toEqual([unsaved]);
  });

  test('is refused while a server holds the database, and changes nothing', async () => {
    const { tip, env, server } = await startWithPeople();
    const id = await tip();
    const file = join(temporaryFolder(), 'backup.db');
    await runToEnd('db-backup', env, [file]);
    const restored = await runToEnd('db-restore', env, [file]);
    expect(restored.code).toBe(1);
    expect(restored.stderr).toMatch(/another Tipwell process is using it/);
    expect(tipsIn(server.databasePath)).toEqual([id]);
    await tip();
  });

  test.each([
    ['text', (file: string) => writeFileSync(file, 'no database at all')],
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
    const { server, tip, env } = await startWithPeople();
    const id = await tip();
    const good = join(temporaryFolder(), 'good.db');
    await runToEnd('db-backup', env, [good]);
    await server.stop();
    const bad = join(temporaryFolder(), 'bad.db');
    spoil(bad, good);
    const restored = await runToEnd('db-restore', env, [bad]);
    expect(restored.code).toBe(1);
    expect(restored.stderr.trim().split('\n')).toHaveLength(1);
    expect(tipsIn(server.databasePath)).toEqual([id]);
    expect(existsSync(`${server.databasePath}.before-restore`)).toBe(false);
    expect(existsSync(`${server.databasePath}.incoming`)).toBe(false);
  });
});
