/**
 * The backup a day that the server writes by itself, if wished: when one is due, how many are kept, and what happens
 * when the folder cannot be written.
 */
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createBackupSchedule } from '#server/storage/backup-schedule.ts';
import { runToEnd, startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

const START_MS = Date.UTC(2026, 4, 15, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAST = `7:${'0123456789abcdef'.repeat(2)}`;

afterAll(stopEverything);

/** A schedule whose backups are as old as the clock says. */
function createScene() {
  const folder = join(temporaryFolder(), 'backups');
  const clock = { nowMs: START_MS };
  const backUp = async (file: string) => {
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, 'a backup');
    utimesSync(file, clock.nowMs / 1_000, clock.nowMs / 1_000);
    return PAST;
  };
  const schedule = createBackupSchedule({ folder, extension: '.db', clock: () => clock.nowMs, backUp });
  return { folder, clock, schedule, backUp, names: () => readdirSync(folder).sort() };
}

describe('a backup', () => {
  test('is written at once when there is none, then when the newest is a day old', async () => {
    const { folder, clock, schedule, names } = createScene();
    expect(await schedule.run()).toEqual({
      file: join(folder, 'tipwell-000001-2026-05-15.db'),
      past: PAST,
    });
    clock.nowMs += DAY_MS - 1;
    expect(await schedule.run()).toBeNull();
    clock.nowMs += 1;
    expect(await schedule.run()).toMatchObject({
      file: join(folder, 'tipwell-000002-2026-05-16.db'),
    });
    expect(names()).toHaveLength(2);
  });

  test('is named after what it is, and counted with the files of another engine', async () => {
    const { folder, clock, schedule, names, backUp } = createScene();
    await schedule.run();
    clock.nowMs += DAY_MS;
    const now = () => clock.nowMs;
    const dumps = createBackupSchedule({ folder, extension: '.dump', clock: now, backUp });
    for (let day = 0; day < 14; day += 1) {
      expect(await dumps.run()).not.toBeNull();
      clock.nowMs += DAY_MS;
    }
    expect(names()).toHaveLength(14);
    expect(names()[0]).toBe('tipwell-000002-2026-05-16.dump');
  });

  test('is not begun while another is being written', async () => {
    const folder = temporaryFolder();
    let finish = () => {};
    const backUp = () =>
      new Promise<null>((resolve) => {
        finish = () => resolve(null);
      });
    const schedule = createBackupSchedule({ folder, extension: '.db', clock: () => START_MS, backUp });
    const first = schedule.run();
    expect(await schedule.run()).toBeNull();
    finish();
    expect(await first).not.toBeNull();
  });

  test('that failed is tried again, and takes no earlier one away', async () => {
    const { folder, clock, schedule, names } = createScene();
    await schedule.run();
    clock.nowMs += DAY_MS;
    const failing = createBackupSchedule({
      folder,
      extension: '.db',
      clock: () => clock.nowMs,
      backUp: () => Promise.reject(new Error('no space left')),
    });
    for (let attempt = 0; attempt < 20; attempt += 1)
      await expect(failing.run()).rejects.toThrow('no space left');
    expect(names()).toEqual(['tipwell-000001-2026-05-15.db']);
    expect(await schedule.run()).not.toBeNull();
  });
});

describe('of the backups', () => {
  test('the newest fourteen are kept, and files that are none are left alone', async () => {
    const { folder, clock, schedule, names } = createScene();
    mkdirSync(folder, { recursive: true });
    const others = ['tipwell.db', 'notes.txt', 'tipwell-2026-05-15.db', 'other-000001-2026-05-15.db'];
    for (const name of others) writeFileSync(join(folder, name), 'not a backup of ours');
    for (let day = 0; day < 20; day += 1) {
      await schedule.run();
      clock.nowMs += DAY_MS;
    }
    const backups = names().filter((name) => !others.includes(name));
    expect(backups).toHaveLength(14);
    expect(backups[0]).toBe('tipwell-000007-2026-05-21.db');
    expect(backups.at(-1)).toBe('tipwell-000020-2026-06-03.db');
    expect(names()).toHaveLength(14 + others.length);
  });

  test('none is lost by a clock that is turned back: the newest stays the newest', async () => {
    const { clock, schedule, names } = createScene();
    for (let day = 0; day < 14; day += 1) {
      await schedule.run();
      clock.nowMs += DAY_MS;
    }
    clock.nowMs = START_MS - 365 * DAY_MS;
    await schedule.run();
    expect(names().at(-1)).toBe('tipwell-000015-2025-05-15.db');
    expect(names()).toHaveLength(14);
    clock.nowMs += HOUR_MS;
    expect(await schedule.run()).toBeNull();
  });

  test('what an interrupted one left is cleared away by the next', async () => {
    const { folder, schedule, names } = createScene();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'tipwell-000001-2026-05-14.db.unfinished'), 'half');
    await schedule.run();
    expect(names()).toEqual(['tipwell-000001-2026-05-15.db']);
  });
});

describe('a server', () => {
  test('with BACKUP_FOLDER writes one that checks out, at its start and not again at the next', async () => {
    const folder = join(temporaryFolder(), 'backups');
    const server = await startServer({ BACKUP_FOLDER: folder });
    const finished = () => readdirSync(folder).filter((name) => name.endsWith('.db'));
    await vi.waitFor(() => expect(finished()).toHaveLength(1), { timeout: 20_000, interval: 50 });
    const [name = ''] = finished();
    expect(name).toMatch(/^tipwell-000001-\d{4}-\d{2}-\d{2}\.db$/);
    expect(await runToEnd('db-check', { DATABASE_URL: join(folder, name) })).toMatchObject({ code: 0 });
    expect(await server.stop()).toEqual({ code: 0, signal: null });

    const again = await startServer({ BACKUP_FOLDER: folder, DATABASE_URL: server.databasePath });
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
    await again.stop();
    expect(finished()).toEqual([name]);
  });

  test('whose BACKUP_FOLDER cannot be written says so in its log and at /readyz, and serves on', async () => {
    const blocked = join(temporaryFolder(), 'a file, no folder');
    writeFileSync(blocked, '');
    const server = await startServer({ BACKUP_FOLDER: blocked, LOG_LEVEL: 'error' });
    await vi.waitFor(() => expect(server.stderr()).toContain('could not write the backup that is due'), {
      timeout: 20_000,
      interval: 50,
    });
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      expect.stringMatching(
        /^ok\nThe daily backup has failed or found something wrong since \S+Z; the log says what\.$/,
      ),
    ]);
    expect(statSync(blocked).size).toBe(0);
  });

  test('without BACKUP_FOLDER writes none', async () => {
    const folder = temporaryFolder();
    const server = await startServer({ DATABASE_URL: join(folder, 'tipwell.db') });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
    expect(readdirSync(folder).filter((name) => name.startsWith('tipwell-'))).toEqual([]);
  });
});
