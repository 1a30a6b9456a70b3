/**
 * The backup a day that the server writes by itself, if wished: when one is due, how many are kept, and what
 * happens when the folder cannot be written.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  type BackupScheduleDependencies,
  createBackupSchedule,
  type MadeBackup,
} from '#server/backup-schedule.ts';
import { runHere } from '#tests/support/commands.ts';
import { READING_AT_ONCE } from '#tests/support/hurried-timers.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import {
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';

const START_MS = Date.UTC(2026, 4, 15, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PATIENCE = { timeout: 20_000, interval: 50 };

afterAll(stopEverything);

/** The lines of a server's log. */
function linesOf(server: RunningServer): { readonly level: number; readonly msg: string }[] {
  return server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

interface Database {
  /** Its past; what is noted of a ledger that it has grown from is among `earlier`. */
  past: string;
  earlier: string[];
}

const digest = (letter: string) => letter.repeat(32);
const pastOf = (count: number, letter = 'a') => `${count}:${digest(letter)}`;

/** A schedule whose backups are as old as the clock says, of a database that grows by a tip with each. */
function createScene(folder = join(temporaryFolder(), 'backups'), { isNew = false, letter = 'a' } = {}) {
  const clock = { nowMs: START_MS };
  const database: Database = { past: pastOf(0, letter), earlier: [] };
  const handed: (readonly string[])[] = [];
  const backUp = async (file: string, noted: readonly string[]) => {
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, 'a backup');
    utimesSync(file, clock.nowMs / 1_000, clock.nowMs / 1_000);
    handed.push(noted);
    database.past = pastOf(database.earlier.length + 1, letter);
    database.earlier.push(database.past);
    return {
      past: database.past,
      differing: noted.filter((note) => !database.earlier.includes(note)),
      problems: [],
    };
  };
  const readPast = async () => null;
  const start = (changes: Partial<BackupScheduleDependencies> = {}) =>
    createBackupSchedule({
      folder,
      extension: '.db',
      clock: () => clock.nowMs,
      isNew: false,
      backUp,
      readPast,
      ...changes,
    });
  const schedule = start({ isNew });
  return {
    folder,
    clock,
    database,
    handed,
    schedule,
    start,
    backUp,
    names: () =>
      readdirSync(folder)
        .filter((name) => !name.endsWith('.past'))
        .sort(),
    async runDays(days: number) {
      for (let day = 0; day < days; day += 1) {
        expect(await schedule.run()).not.toBeNull();
        clock.nowMs += DAY_MS;
      }
    },
  };
}

describe('a backup', () => {
  test('is written at once when there is none, then when the newest is a day old', async () => {
    const { folder, clock, schedule, names } = createScene();
    expect(await schedule.run()).toEqual({
      file: join(folder, 'tipwell-000001-2026-05-15.db'),
      past: pastOf(1),
      problems: [],
    });
    clock.nowMs += DAY_MS - 1;
    expect(await schedule.run()).toBeNull();
    clock.nowMs += 1;
    expect(await schedule.run()).toMatchObject({
      file: join(folder, 'tipwell-000002-2026-05-16.db'),
    });
    expect(names()).toHaveLength(2);
  });

  test('is one a day however often the process starts, whatever the clock of the disk or of the machine says', async () => {
    const { clock, start, names } = createScene();
    for (let starts = 0; starts < 5; starts += 1) await start().run();
    clock.nowMs -= 10 * HOUR_MS;
    for (let starts = 0; starts < 5; starts += 1) await start().run();
    expect(names()).toEqual(['tipwell-000001-2026-05-15.db']);
  });

  test('is named after what it is, and counted with the files of another engine', async () => {
    const { clock, start, names, runDays } = createScene();
    await runDays(1);
    const dumps = start({ extension: '.dump' });
    for (let day = 0; day < 14; day += 1) {
      expect(await dumps.run()).not.toBeNull();
      clock.nowMs += DAY_MS;
    }
    expect(names()).toHaveLength(14);
    expect(names()[0]).toBe('tipwell-000002-2026-05-16.dump');
  });

  test('is not begun while another is being written', async () => {
    let finish: (made: MadeBackup) => void = () => {};
    const written = new Promise<MadeBackup>((resolve) => {
      finish = resolve;
    });
    const schedule = createScene(temporaryFolder()).start({ backUp: () => written });
    const first = schedule.run();
    expect(await schedule.run()).toBeNull();
    finish({ past: pastOf(1), differing: [], problems: [] });
    expect(await first).not.toBeNull();
  });

  test('that failed is tried again, and takes no earlier one away', async () => {
    const { folder, clock, schedule, start, names } = createScene();
    await schedule.run();
    clock.nowMs += DAY_MS;
    const failing = start({ backUp: () => Promise.reject(new Error('no space left')) });
    for (let attempt = 0; attempt < 16; attempt += 1)
      await expect(failing.run()).rejects.toThrow('no space left');
    expect(names()).toEqual(['tipwell-000001-2026-05-15.db']);
    expect(readdirSync(folder).filter((name) => name.endsWith('.past'))).toHaveLength(1);
    expect(await schedule.run()).not.toBeNull();
  });

  test('leaves nothing of itself when it is killed, nor keeps what others left from being cleared away', async () => {
    const { folder, clock, start } = createScene();
    mkdirSync(folder, { recursive: true });
    const left = join(folder, 'tipwell-000001-2026-05-14.db.unfinished');
    writeFileSync(left, 'half');
    utimesSync(left, 0, 0);
    const killed = start({
      backUp(file) {
        expect(readdirSync(folder)).toEqual([`${basename(file)}.past`]);
        writeFileSync(`${file}.unfinished`, 'half');
        return Promise.reject(new Error('db-backup ended with null'));
      },
    });
    for (let attempt = 0; attempt < 16; attempt += 1) {
      await expect(killed.run()).rejects.toThrow('db-backup ended with null');
      clock.nowMs += HOUR_MS / 6;
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('has its past noted beside it, for this user alone', async () => {
    const { folder, schedule } = createScene();
    await schedule.run();
    const note = join(folder, 'tipwell-000001-2026-05-15.db.past');
    expect(readFileSync(note, 'utf8')).toBe(`${pastOf(1)}\n`);
    expect(statSync(note).mode & 0o077).toBe(0);
    expect(await schedule.noted()).toEqual([pastOf(1)]);
  });

  test('that is written while a comparison of those before is under way is not made again', async () => {
    const { clock, schedule, names, runDays } = createScene();
    await runDays(2);
    const before = await schedule.noted();
    await schedule.run();
    schedule.learn(before, []);
    clock.nowMs += HOUR_MS;
    expect(await schedule.run()).toBeNull();
    expect(names()).toHaveLength(3);
  });

  test('is late when it is more than 26 hours old, also while the next one hangs', async () => {
    const { clock, schedule, start } = createScene();
    expect(await schedule.isLate()).toBe(false);
    await schedule.run();
    clock.nowMs += 26 * HOUR_MS;
    const hanging = start({ backUp: () => new Promise(() => {}) });
    void hanging.run();
    expect(await hanging.isLate()).toBe(false);
    clock.nowMs += 1;
    expect(await hanging.isLate()).toBe(true);
  });
});

describe('of the backups', () => {
  test('the newest fourteen are kept with their notes, and files that are none are left alone', async () => {
    const { folder, names, runDays } = createScene();
    mkdirSync(folder, { recursive: true });
    const others = ['tipwell.db', 'notes.txt', 'tipwell-2026-05-15.db', 'other-000001-2026-05-15.db'];
    for (const name of others) writeFileSync(join(folder, name), 'not a backup of ours');
    await runDays(16);
    const backups = names().filter((name) => !others.includes(name));
    expect(backups).toHaveLength(14);
    expect(backups[0]).toBe('tipwell-000003-2026-05-17.db');
    expect(backups.at(-1)).toBe('tipwell-000016-2026-05-30.db');
    expect(names()).toHaveLength(14 + others.length);
    expect(readdirSync(folder).filter((name) => name.endsWith('.past'))).toHaveLength(14);
  });

  test('those of the days before are kept, however often somebody asks for one', async () => {
    const { schedule, clock, names, runDays } = createScene();
    await runDays(14);
    clock.nowMs -= DAY_MS / 2;
    for (let asked = 0; asked < 16; asked += 1) expect(await schedule.run(true)).not.toBeNull();
    const days = names().map((name) => name.slice(-'2026-05-15.db'.length));
    expect(new Set(days).size).toBe(14);
    expect(days).toHaveLength(13 + 14);
    expect(names().slice(-14)[0]).toContain('tipwell-000017-');
    expect(await schedule.run()).toBeNull();
  });

  test('none is lost by a clock that is turned back: the newest stays the newest', async () => {
    const { clock, schedule, names, runDays } = createScene();
    await runDays(14);
    clock.nowMs = START_MS - 365 * DAY_MS;
    await schedule.run();
    expect(names().at(-1)).toBe('tipwell-000015-2025-05-15.db');
    expect(names()).toHaveLength(14);
    clock.nowMs += HOUR_MS;
    expect(await schedule.run()).toBeNull();
  });

  test('what an interrupted one left is cleared away by the next, and not what another server is writing', async () => {
    const { folder, schedule, names, clock } = createScene();
    mkdirSync(folder, { recursive: true });
    const left = 'tipwell-000001-2026-05-14.db.unfinished';
    const beingWritten = 'tipwell-000002-2026-05-15.dump.unfinished';
    for (const [name, hours] of [[left, 2.01] as const, [beingWritten, 1.99] as const]) {
      writeFileSync(join(folder, name), 'half');
      const atSeconds = (clock.nowMs - hours * HOUR_MS) / 1_000;
      utimesSync(join(folder, name), atSeconds, atSeconds);
    }
    const begun = join(folder, 'tipwell-000001-2026-05-14.db.past');
    writeFileSync(begun, '');
    utimesSync(begun, 0, 0);
    await schedule.run();
    expect(names()).toEqual([beingWritten, 'tipwell-000003-2026-05-15.db']);
    expect(existsSync(begun)).toBe(false);
  });

  test('a fresh one without a note delays none unless it is of this past, and is told when it is of another', async () => {
    const { folder, clock, start, database, names } = createScene();
    mkdirSync(folder, { recursive: true });
    const name = 'tipwell-000005-2026-05-15.db';
    const copied = join(folder, name);
    const copy = () => {
      writeFileSync(copied, 'copied into the folder');
      utimesSync(copied, clock.nowMs / 1_000, clock.nowMs / 1_000);
    };
    database.earlier.push(pastOf(1));
    copy();
    const own = start({ readPast: async () => pastOf(1) });
    expect(await own.run()).toBeNull();
    own.learn(await own.noted(), []);
    expect(await own.run()).toBeNull();
    expect(names()).toEqual([name]);

    rmSync(`${copied}.past`);
    copy();
    const other = start({ readPast: async () => pastOf(7, 'c') });
    other.learn([], []);
    expect(await other.run()).not.toBeNull();
    expect(await other.others()).toEqual([copied]);
    expect(names()).toEqual([name, 'tipwell-000006-2026-05-15.db']);
  });

  test('one that was copied in is as old as its name says, whatever time the copy has', async () => {
    const { folder, clock, start, database, names } = createScene();
    mkdirSync(folder, { recursive: true });
    const copied = ['tipwell-000007-2026-05-06.db', 'tipwell-000008-2026-99-99.db'];
    for (const name of copied) {
      writeFileSync(join(folder, name), 'copied into the folder');
      writeFileSync(join(folder, `${name}.past`), `${pastOf(1)}\n`);
      utimesSync(join(folder, name), clock.nowMs / 1_000, clock.nowMs / 1_000);
    }
    database.earlier.push(pastOf(1));
    const schedule = start();
    const madeAt = async () => (await schedule.list()).map(({ madeAtMs }) => madeAtMs);
    expect(await madeAt()).toEqual([clock.nowMs, Date.UTC(2026, 4, 7)]);
    for (const suffix of ['', '.past']) rmSync(join(folder, `${copied[1]}${suffix}`));
    expect(await schedule.isLate()).toBe(true);
    expect(await schedule.run()).not.toBeNull();
    expect(names()).toEqual([copied[0], 'tipwell-000008-2026-05-15.db']);
  });

  test.each([
    '.db',
    '.dump',
  ])('a fresh %s whose past cannot be read counts for nothing, and is kept', async (extension) => {
    const { folder, clock, schedule, names } = createScene();
    mkdirSync(folder, { recursive: true });
    const unknown = Array.from(
      { length: 20 },
      (_, index) => `tipwell-0000${10 + index}-2026-05-15${extension}`,
    );
    for (const name of unknown) {
      writeFileSync(join(folder, name), '?');
      utimesSync(join(folder, name), clock.nowMs / 1_000, clock.nowMs / 1_000);
    }
    expect(await schedule.run()).not.toBeNull();
    expect(await schedule.run()).toBeNull();
    for (let day = 0; day < 16; day += 1) {
      clock.nowMs += DAY_MS;
      await schedule.run();
    }
    expect(names()).toEqual([...unknown, ...names().slice(-14)]);
    expect(names()).toHaveLength(34);
  });

  test('none is stopped by what has the name of one and is none', async () => {
    const { folder, clock, start, names } = createScene();
    mkdirSync(folder, { recursive: true });
    const long = `tipwell-${'9'.repeat(23)}-2026-05-15.db`;
    const folders = [
      'tipwell-000001-2026-05-15.db',
      'tipwell-000002-2026-05-14.db.past',
      'tipwell-000003-2026-05-15.db.unfinished',
      'tipwell-000900-2026-05-15.dump',
    ];
    writeFileSync(join(folder, long), 'a backup of ours?');
    for (const name of folders) mkdirSync(join(folder, name));
    symlinkSync('nowhere', join(folder, 'tipwell-000901-2026-05-15.db'));
    const linked = 'tipwell-000004-2026-05-14.db';
    for (const name of ['tipwell-000002-2026-05-14.db', linked])
      writeFileSync(join(folder, name), 'a backup');
    symlinkSync('written-elsewhere', join(folder, `${linked}.past`));
    const before = names();
    const schedule = start({ readPast: async () => pastOf(1) });
    expect(await schedule.isLate()).toBe(false);
    expect(await schedule.run()).toMatchObject({ file: join(folder, 'tipwell-000005-2026-05-15.db') });
    expect(await schedule.run()).toBeNull();
    for (let day = 0; day < 16; day += 1) {
      clock.nowMs += DAY_MS;
      expect(await schedule.run()).not.toBeNull();
    }
    expect(names().filter((name) => before.includes(name))).toEqual(before);
    expect(names()).toHaveLength(before.length + 14);
    expect(await schedule.count()).toBe(2 + 14);
  });

  test('none of another past is deleted, by however many of a new database', async () => {
    const real = createScene();
    await real.runDays(14);
    const kept = real.names();
    const empty = createScene(real.folder, { isNew: true, letter: 'b' });
    empty.clock.nowMs = real.clock.nowMs - DAY_MS + HOUR_MS;
    expect(await empty.schedule.others()).toHaveLength(14);
    // The newest in the folder is an hour old, and none of this database's.
    await empty.runDays(16);
    expect(empty.names()).toEqual([...kept, ...empty.names().slice(-14)]);
    expect(empty.names()).toHaveLength(28);
    // A later start, which does not find a new database, learns it of the past.
    const later = empty.start();
    await later.run();
    expect(await later.others()).toEqual(kept.map((name) => join(real.folder, name)).reverse());
  });

  test.each([
    'empty',
    'missing',
  ])('those of a new database are its own where the folder was %s', async (state) => {
    const folder = join(temporaryFolder(), 'backups');
    if (state === 'empty') mkdirSync(folder);
    const scene = createScene(folder, { isNew: true });
    await scene.runDays(16);
    expect(await scene.schedule.others()).toEqual([]);
    expect(scene.names()).toHaveLength(14);
  });

  test('two databases that share a folder each make one a day, and delete none of the other', async () => {
    const one = createScene();
    const other = createScene(one.folder, { letter: 'b' });
    await one.runDays(1);
    other.clock.nowMs = one.clock.nowMs - DAY_MS;
    other.schedule.learn(await other.schedule.noted(), await other.schedule.noted());
    for (let day = 0; day < 16; day += 1) {
      expect(await other.schedule.run()).not.toBeNull();
      other.clock.nowMs += DAY_MS;
      expect(await one.schedule.run()).not.toBeNull();
      one.clock.nowMs += DAY_MS;
    }
    expect(one.names()).toHaveLength(28);
  });

  test('servers that share a folder never write into one file, in whichever moment they begin', async () => {
    const { folder, start, names } = createScene();
    const files: string[] = [];
    const backUp = async (file: string) => {
      files.push(file);
      await expect.poll(() => files).toHaveLength(3);
      writeFileSync(file, 'a backup');
      return { past: pastOf(1), differing: [], problems: [] };
    };
    await Promise.all([1, 2, 3].map(() => start({ backUp }).run()));
    expect(files.sort()).toEqual(
      ['000001', '000002', '000003'].map((number) => join(folder, `tipwell-${number}-2026-05-15.db`)),
    );
    expect(names()).toHaveLength(3);
  });

  test('one without a note is deleted only once its past could be read, and is one of this database', async () => {
    const { folder, start, database, clock } = createScene();
    mkdirSync(folder, { recursive: true });
    const [unreadable, of, ofOther] = ['000001', '000002', '000003'].map((number) =>
      join(folder, `tipwell-${number}-2026-05-01.db`),
    );
    const pasts = new Map([
      [of, pastOf(1)],
      [ofOther, pastOf(1, 'c')],
    ]);
    for (const path of [unreadable, of, ofOther]) {
      writeFileSync(path ?? '', 'of an earlier version');
      utimesSync(path ?? '', 0, 0);
    }
    database.earlier.push(pastOf(1));
    const schedule = start({ readPast: async (path) => pasts.get(path) ?? null });
    for (let day = 0; day < 16; day += 1) {
      await schedule.run();
      clock.nowMs += DAY_MS;
    }
    expect([unreadable, of, ofOther].map((path) => existsSync(path ?? ''))).toEqual([true, false, true]);
    expect(await schedule.others()).toEqual([ofOther]);
  });
});

describe('a server', () => {
  test('with BACKUP_FOLDER reads the past of a backup without a note, counts no file that it cannot read, and writes one that checks out, at its start', async () => {
    const DATABASE_URL = createMigratedFile();
    const folder = join(temporaryFolder(), 'backups');
    mkdirSync(folder);
    const [real, fresh] = ['tipwell-000001-2026-05-15.db', 'tipwell-000002-2026-05-15.db'] as const;
    expect(await runHere('db-backup', { DATABASE_URL }, [join(folder, real)])).toMatchObject({ code: 0 });
    utimesSync(join(folder, real), 0, 0);
    writeFileSync(join(folder, fresh), '?');
    const server = await startServer({ BACKUP_FOLDER: folder, DATABASE_URL });
    const third = expect.stringMatching(/^tipwell-000003-\d{4}-\d{2}-\d{2}\.db(?:\.past)?$/);
    const expected = [real, `${real}.past`, fresh, third, third];
    await vi.waitFor(() => expect(readdirSync(folder).sort()).toEqual(expected), PATIENCE);
    const [name = ''] = readdirSync(folder).filter((file) => /^tipwell-000003-.+\.db$/.test(file));
    expect(await runHere('db-check', { DATABASE_URL: join(folder, name) })).toMatchObject({ code: 0 });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  test('whose BACKUP_FOLDER cannot be written says so in its log and at /readyz, and serves on', async () => {
    const blocked = join(temporaryFolder(), 'a file, no folder');
    writeFileSync(blocked, '');
    const server = await startServer({ BACKUP_FOLDER: blocked, LOG_LEVEL: 'error' });
    await vi.waitFor(
      () => expect(server.stderr()).toContain('could not write the backup that is due'),
      PATIENCE,
    );
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      expect.stringMatching(
        /^ok\nThe daily backup has failed, found something wrong, or its folder has not answered, since \S+Z; the log says what\.$/,
      ),
    ]);
    expect(statSync(blocked).size).toBe(0);
  });

  test('whose database is new says that the folder has backups of another, at /readyz until they are moved, and keeps them', async () => {
    const folder = join(temporaryFolder(), 'backups');
    const real = createScene(folder);
    await real.runDays(14);
    const kept = real.names();
    const now = Date.now() / 1_000;
    for (const name of kept) utimesSync(join(folder, name), now, now);
    const path = join(temporaryFolder(), 'new.db');
    const server = await startServer({
      DATABASE_URL: path,
      BACKUP_FOLDER: folder,
      LOG_LEVEL: 'info',
    });
    const ready = async () => (await fetch(`${server.url}/readyz`)).text();
    await vi.waitFor(
      async () =>
        expect(await ready()).toMatch(
          /^ok\nThe folder of the backups has held some of another past than that of the database since \S+Z; the log says what\.$/,
        ),
      PATIENCE,
    );
    const warnings = await vi.waitFor(() => {
      // The log of another process arrives after its answers.
      const lines = linesOf(server).filter(({ level }) => level === 40);
      expect(lines.map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/^the database is new, and BACKUP_FOLDER has backups of another/),
        expect.stringMatching(/^these backups are of another past/),
      ]);
      return lines;
    }, PATIENCE);
    expect(warnings).toMatchObject([{ backups: 14 }, { files: { length: 14 } }]);
    expect(real.names()).toEqual([...kept, expect.stringMatching(/^tipwell-000015-/)]);
    await server.stop();

    // A start that finds the new database learns of the backups by their notes.
    const env = { BACKUP_FOLDER: folder, DATABASE_URL: server.databasePath };
    const again = await startServer({ ...env, NODE_OPTIONS: READING_AT_ONCE });
    await vi.waitFor(
      async () => expect(await (await fetch(`${again.url}/readyz`)).text()).toContain('of another past'),
      PATIENCE,
    );
    await again.stop();
    expect(real.names()).toHaveLength(15);
  });
});
