/**
 * A daily backup into one folder, and one whenever an operator asks. Backups are numbered, so that a wrong clock cannot
 * make a new one look old. Each has a note of its ledger's past; those of another or an unknown past are neither
 * counted nor deleted.
 */
import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, isoDate } from '#shared/calendar.ts';
import { SOFTWARE } from '#shared/software.ts';
import { createDrive, freeBytesIn } from './drive.ts';
import { unfinishedOf } from './storage/care/backup-file.ts';
import { parsePast, spellPast } from './storage/checks/past.ts';

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 24 * HOUR_MS;
/** With the 24 hours between backups, the newest is late after 26 hours. 100,000 tips took 2 to 4 s (measured). */
export const BACKUP_PATIENCE_MS = 2 * HOUR_MS;
const LATE_AFTER_MS = INTERVAL_MS + BACKUP_PATIENCE_MS;
const MAX_KEPT = 14;
const MAX_LISTED = 50;
/** A disk that has to spin up answers after some ten seconds. */
const DRIVE_PATIENCE_MS = 30_000;
/** Somebody waits for the answer. */
const READER_PATIENCE_MS = 3_000;

const PREFIX = SOFTWARE.toLowerCase();
/** Six digits last 2,700 years at one a day; more than twelve are not exact enough to count up from. */
const NAME = `^${PREFIX}-(\\d{6,12})-(\\d{4}-\\d{2}-\\d{2})\\.(?:db|dump)`;
const FILE = new RegExp(`${NAME}(\\.unfinished)?$`);
const NOTE = new RegExp(`${NAME}\\.past$`);

/** What reads the folder throws when its drive does not answer. */
export interface BackupSchedule {
  /**
   * Makes a backup if the newest of this past is a day old, or `isAsked`, and deletes those that are not kept.
   * @param noteDue is called before one is begun.
   * @returns null when none was due, or while one is being made.
   */
  run(isAsked?: boolean, noteDue?: () => void): Promise<WrittenBackup | null>;
  /** The backups in the folder, by number, the newest first, at most fifty. */
  list(): Promise<KeptBackup[]>;
  /** The room that is left on the drive of the folder. */
  freeBytes(): Promise<number>;
  /** The distinct notes of the backups in the folder, in the form of `--digest`. */
  noted(): Promise<string[]>;
  /** Learns which notes differ from the database's past: their backups are of another one, or of a rewritten past. */
  learn(compared: readonly string[], differing: readonly string[]): void;
  others(): Promise<string[]>;
  /** True when this past has a backup, and the newest is more than 26 hours old. */
  isLate(): Promise<boolean>;
  /** The age of the newest backup of this past; null without one. */
  ageMs(): Promise<number | null>;
  count(): Promise<number>;
}

export interface KeptBackup {
  readonly name: string;
  readonly bytes: number;
  readonly madeAtMs: number;
  /** `COUNT:HEX`; null while it is unknown. */
  readonly past: string | null;
  readonly isOther: boolean;
}

export interface WrittenBackup {
  readonly file: string;
  /** The ledger's past for `npm run db:check -- --digest`, to be noted elsewhere. */
  readonly past: string;
  /** What is wrong with the audit log in it, in sentences. */
  readonly problems: readonly string[];
}

export interface MadeBackup extends Omit<WrittenBackup, 'file'> {
  /** The notes with which the ledger does not begin. */
  readonly differing: readonly string[];
}

interface NumberedFile {
  readonly path: string;
  readonly number: number;
  /** The day in its name, in UTC. */
  readonly day: string;
  readonly isFinished: boolean;
}

interface FinishedFile extends NumberedFile, Pick<KeptBackup, 'bytes' | 'madeAtMs' | 'past'> {}

export interface BackupScheduleDependencies {
  readonly folder: string;
  /** The extension of new backups. Those of the other engine, from before a move, are counted and deleted too. */
  readonly extension: '.db' | '.dump';
  readonly clock: Clock;
  readonly isNew: boolean;
  /**
   * Writes a backup to a new file, which appears only when complete, and compares its ledger with the notes. Nothing
   * is written any more once it has failed.
   */
  readonly backUp: (file: string, noted: readonly string[]) => Promise<MadeBackup>;
  /** Reads the past of a backup without a note, from an earlier version or copied in; null when unreadable. */
  readonly readPast: (file: string) => Promise<string | null>;
  readonly readFolder?: (folder: string) => Promise<Dirent[]>;
  readonly drivePatienceMs?: number | undefined;
}

export function createBackupSchedule(deps: BackupScheduleDependencies): BackupSchedule {
  const { clock, isNew, backUp, readPast } = deps;
  const backups = createBackupFolder(deps);
  let isRunning = false;
  let differing: ReadonlySet<string> = new Set();
  let compared: ReadonlySet<string> | null = null;
  /** Backups older than the database; null before the folder is first read. */
  let strangers: ReadonlySet<string> | null = null;

  async function finished(patienceMs?: number): Promise<FinishedFile[]> {
    const found = await backups.look(patienceMs);
    strangers ??= new Set(isNew ? found.map(({ path }) => path) : []);
    return found;
  }
  const isOther = ({ path, past }: FinishedFile) =>
    (strangers?.has(path) ?? false) || differing.has(past ?? '');
  /** Backups known to have this past; without a note that is unknown. */
  const own = async () => (await finished()).filter((file) => file.past !== null && !isOther(file));

  function learn(notes: readonly string[], different: readonly string[]): void {
    // A backup may have been written during another comparison: what that did not see stays known.
    compared = new Set([...(compared ?? []), ...notes]);
    differing = new Set([...[...differing].filter((note) => !notes.includes(note)), ...different]);
  }

  async function ageOfNewest(): Promise<number | null> {
    // A backup that came into the folder since the last comparison may be another database's.
    const newest = (await own()).find(({ past }) => compared?.has(past ?? '') ?? true);
    return newest ? clock() - newest.madeAtMs : null;
  }

  async function noteAll(files: readonly FinishedFile[]): Promise<void> {
    for (const file of files) {
      if (file.past !== null) continue;
      const past = await readPast(file.path);
      if (past !== null) await backups.writeNote(file.path, past);
    }
  }

  async function makeIfDue(isAsked: boolean, noteDue: () => void): Promise<WrittenBackup | null> {
    await backups.prepare();
    const newestOwn = (await own())[0]?.number ?? -1;
    await noteAll((await finished()).filter(({ number }) => number > newestOwn));
    const ageMs = await ageOfNewest();
    // A clock that was turned back by less than a day delays the next backup and never adds one.
    if (!isAsked && ageMs !== null && Math.abs(ageMs) < INTERVAL_MS) return null;
    noteDue();
    await noteAll(await finished());
    const noted = notesIn(await finished());
    const file = await backups.reserveNext();
    const made = await backUp(file, noted).catch(async (error: unknown) => {
      // A process that was killed, as for want of memory, has removed nothing. What stays now is cleared away later.
      await backups.remove(noteOf(file), unfinishedOf(file)).catch(() => {});
      throw error;
    });
    await backups.writeNote(file, made.past);
    learn([...noted, made.past], made.differing);
    // Old backups are deleted after the new one is written, so that a full disk keeps them.
    for (const { path, past } of beyondKept(await own())) {
      // A backup that came into the folder meanwhile has not been compared.
      if (noted.includes(past ?? '')) await backups.remove(path, noteOf(path));
    }
    return { file, past: made.past, problems: made.problems };
  }

  return {
    async run(isAsked = false, noteDue = () => {}) {
      if (isRunning) return null;
      isRunning = true;
      try {
        return await makeIfDue(isAsked, noteDue);
      } finally {
        isRunning = false;
      }
    },
    async list() {
      const found = await finished(READER_PATIENCE_MS);
      return found.slice(0, MAX_LISTED).map((file) => {
        const { path, bytes, madeAtMs, past } = file;
        return { name: basename(path), bytes, madeAtMs, past, isOther: isOther(file) };
      });
    },
    freeBytes: backups.freeBytes,
    noted: async () => notesIn(await finished()),
    learn,
    others: async () => (await finished()).filter(isOther).map(({ path }) => path),
    isLate: async () => ((await ageOfNewest()) ?? 0) > LATE_AFTER_MS,
    ageMs: ageOfNewest,
    count: async () => (await finished()).length,
  };
}

/** The files of a folder of backups, each with its note. */
function createBackupFolder({
  folder,
  extension,
  clock,
  readFolder = (path) => readdir(path, { withFileTypes: true }),
  drivePatienceMs = DRIVE_PATIENCE_MS,
}: BackupScheduleDependencies) {
  const drive = createDrive('the folder of the backups');
  const ask = <Answer>(question: () => Promise<Answer>, patienceMs = drivePatienceMs) =>
    drive.ask(question, Math.min(patienceMs, drivePatienceMs));
  const entries = async () => (await orMissing(readFolder(folder))) ?? [];

  /** Unfinished ones as well; the highest number first. */
  async function list(): Promise<NumberedFile[]> {
    return (await entries())
      .flatMap((entry) => {
        const [, number, day, unfinished] = FILE.exec(entry.name) ?? [];
        if (number === undefined || day === undefined || !entry.isFile()) return [];
        const path = join(folder, entry.name);
        return [{ path, number: Number(number), day, isFinished: unfinished === undefined }];
      })
      .sort((one, other) => other.number - one.number);
  }

  async function look(): Promise<FinishedFile[]> {
    const found: FinishedFile[] = [];
    for (const file of await list()) {
      const facts = file.isFinished ? await orMissing(stat(file.path)) : undefined;
      if (facts)
        found.push({
          ...file,
          bytes: facts.size,
          madeAtMs: Math.min(facts.mtimeMs, endOf(file.day)),
          past: await readNote(file.path),
        });
    }
    return found;
  }

  /** The next number is free of folders and of notes whose backup was moved away, too. */
  async function nextFile(): Promise<string> {
    const names = (await entries()).map(({ name }) => name);
    const day = isoDate(clock());
    for (let number = ((await list())[0]?.number ?? 0) + 1; ; number += 1) {
      const start = `${PREFIX}-${String(number).padStart(6, '0')}-`;
      const name = `${start}${day}${extension}`;
      if (!FILE.test(name))
        throw new Error(
          `No number is left for a backup after those in ${folder}: move the highest elsewhere`,
        );
      if (!names.some((taken) => taken.startsWith(start))) return join(folder, name);
    }
  }

  /** Begins the note of the next backup, so that no other server on this folder takes its name. */
  async function reserveNext(): Promise<string> {
    for (;;) {
      const file = await nextFile();
      try {
        await writeFile(noteOf(file), '', { flag: 'wx', mode: 0o600 });
        return file;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  }

  async function prepare(): Promise<void> {
    // Backups hold personal data, so a folder that is created here is readable to this user alone.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Before anything is written, because what backups that were killed have left may have filled the disk.
    await clearAway();
  }

  /** Deletes the remains of interrupted backups once nobody can still be writing them. */
  async function clearAway(): Promise<void> {
    for (const entry of await entries()) {
      const path = join(folder, entry.name);
      const [, unfinished] = FILE.exec(entry.name)?.slice(2) ?? [];
      const isLeft = unfinished !== undefined || (NOTE.test(entry.name) && (await isEmpty(path)));
      if (isLeft && entry.isFile() && (await isAbandoned(path, clock()))) await rm(path, { force: true });
    }
  }

  return {
    prepare: () => ask(prepare),
    /** The finished ones, the highest number first. */
    look: (patienceMs?: number) => ask(look, patienceMs),
    reserveNext: () => ask(reserveNext),
    writeNote: (path: string, past: string) => ask(() => writeNote(path, past)),
    remove: (...paths: readonly string[]) =>
      ask(async () => {
        for (const path of paths) await rm(path, { force: true });
      }),
    freeBytes: () => ask(() => freeBytesIn(folder), READER_PATIENCE_MS),
  };
}

/**
 * The backups to delete: all but the newest fourteen, and but the newest of each of fourteen days.
 * @param files the newest first.
 */
function beyondKept(files: readonly FinishedFile[]): readonly FinishedFile[] {
  const newestOfDays = new Map<string, FinishedFile>();
  for (const file of files)
    if (newestOfDays.size < MAX_KEPT && !newestOfDays.has(file.day)) newestOfDays.set(file.day, file);
  return files.filter((file, index) => index >= MAX_KEPT && newestOfDays.get(file.day) !== file);
}

/** @returns undefined where the file or folder is not there. */
async function orMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Another server on this folder may still be writing an unfinished backup until it is this old. */
async function isAbandoned(path: string, nowMs: number): Promise<boolean> {
  const found = await orMissing(stat(path));
  return found !== undefined && nowMs - found.mtimeMs > BACKUP_PATIENCE_MS;
}

const isEmpty = async (path: string) => (await orMissing(lstat(path)))?.size === 0;

const notesIn = (files: readonly FinishedFile[]) => [...new Set(files.flatMap(({ past }) => past ?? []))];

function noteOf(path: string): string {
  return `${path}.past`;
}

/** A copy of a backup may have the time of copying, which is later. A day that no calendar has says nothing. */
function endOf(day: string): number {
  const beginMs = Date.parse(day);
  return Number.isNaN(beginMs) ? Number.POSITIVE_INFINITY : beginMs + INTERVAL_MS;
}

/** A folder or link in the place of a note stays. */
async function writeNote(path: string, past: string): Promise<void> {
  const there = await orMissing(lstat(noteOf(path)));
  if (there === undefined || there.isFile()) await writeFile(noteOf(path), `${past}\n`, { mode: 0o600 });
}

async function readNote(path: string): Promise<string | null> {
  if (!(await orMissing(lstat(noteOf(path))))?.isFile()) return null;
  const text = await orMissing(readFile(noteOf(path), 'utf8'));
  const past = text === undefined ? null : parsePast(text);
  return past && spellPast(past);
}
