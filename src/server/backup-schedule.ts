/**
 * A daily backup into one folder, and one whenever an operator asks. Backups are numbered, so that a wrong clock cannot
 * make a new one look old. Each has a note of its ledger's past; those of another or an unknown past are neither
 * counted nor deleted.
 */
import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '#shared/calendar.ts';
import { SOFTWARE } from '#shared/software.ts';
import { unfinishedOf } from './storage/care/backup-file.ts';
import { parsePast, spellPast } from './storage/checks/past.ts';

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 24 * HOUR_MS;
/** With the 24 hours between backups, the newest is late after 26 hours. 100,000 tips took 2 to 4 s (measured). */
export const BACKUP_PATIENCE_MS = 2 * HOUR_MS;
const LATE_AFTER_MS = INTERVAL_MS + BACKUP_PATIENCE_MS;
const MAX_KEPT = 14;
const MAX_LISTED = 50;

const PREFIX = SOFTWARE.toLowerCase();
/** Six digits last 2,700 years at one a day; more than twelve are not exact enough to count up from. */
const NAME = `^${PREFIX}-(\\d{6,12})-(\\d{4}-\\d{2}-\\d{2})\\.(?:db|dump)`;
const FILE = new RegExp(`${NAME}(\\.unfinished)?$`);
const NOTE = new RegExp(`${NAME}\\.past$`);

export interface BackupSchedule {
  /**
   * Makes a backup if the newest of this past is a day old, or `isAsked`, and deletes those that are not kept.
   * @returns null when none was due, or while one is being made.
   */
  run(isAsked?: boolean): Promise<WrittenBackup | null>;
  isRunning(): boolean;
  /** The backups in the folder, by number, the newest first, at most fifty. */
  list(): KeptBackup[];
  /** The distinct notes of the backups in the folder, in the form of `--digest`. */
  noted(): string[];
  /** Learns which notes differ from the database's past: their backups are of another one, or of a rewritten past. */
  learn(compared: readonly string[], differing: readonly string[]): void;
  others(): string[];
  /** True when this past has a backup, and the newest is more than 26 hours old. */
  isLate(): boolean;
  /** The age of the newest backup of this past; null without one. */
  ageMs(): number | null;
  count(): number;
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
}

export interface MadeBackup {
  readonly past: WrittenBackup['past'];
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
}

export function createBackupSchedule(deps: BackupScheduleDependencies): BackupSchedule {
  const { folder, clock, isNew, backUp, readPast } = deps;
  const backups = createBackupFolder(deps);
  let isRunning = false;
  let differing: ReadonlySet<string> = new Set();
  let compared: ReadonlySet<string> | null = null;
  /** Backups older than the database; null before the folder is first read. */
  let strangers: ReadonlySet<string> | null = null;

  function finished(): NumberedFile[] {
    const found = backups.list().filter(({ isFinished }) => isFinished);
    strangers ??= new Set(isNew ? found.map(({ path }) => path) : []);
    return found;
  }
  const isOther = ({ path }: NumberedFile) =>
    (strangers?.has(path) ?? false) || differing.has(readNote(path) ?? '');
  /** Backups known to have this past; without a note that is unknown. */
  const own = () => finished().filter((file) => readNote(file.path) !== null && !isOther(file));

  function learn(notes: readonly string[], different: readonly string[]): void {
    // A backup may have been written during another comparison: what that did not see stays known.
    compared = new Set([...(compared ?? []), ...notes]);
    differing = new Set([...[...differing].filter((note) => !notes.includes(note)), ...different]);
  }

  function ageOfNewest(): number | null {
    // A backup that came into the folder since the last comparison may be another database's.
    const newest = own().find(({ path }) => compared?.has(readNote(path) ?? '') ?? true);
    const found = newest && statSync(newest.path, { throwIfNoEntry: false });
    return found ? clock() - found.mtimeMs : null;
  }

  async function noteAll(files: readonly NumberedFile[]): Promise<void> {
    for (const { path } of files) {
      if (readNote(path) !== null) continue;
      const past = await readPast(path);
      if (past !== null) writeNote(path, past);
    }
  }

  async function makeIfDue(isAsked: boolean): Promise<WrittenBackup | null> {
    // Backups hold personal data, so a folder that is created here is readable to this user alone.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Before anything is written, because what backups that were killed have left may have filled the disk.
    backups.clearAway();
    const newestOwn = own()[0]?.number ?? -1;
    await noteAll(finished().filter(({ number }) => number > newestOwn));
    const ageMs = ageOfNewest();
    // A clock that was turned back by less than a day delays the next backup and never adds one.
    if (!isAsked && ageMs !== null && Math.abs(ageMs) < INTERVAL_MS) return null;
    await noteAll(finished());
    const noted = notesIn(finished());
    const file = backups.reserveNext();
    const made = await backUp(file, noted).catch((error: unknown) => {
      // A process that was killed, as for want of memory, has removed nothing.
      for (const left of [noteOf(file), unfinishedOf(file)]) rmSync(left, { force: true });
      throw error;
    });
    writeNote(file, made.past);
    learn([...noted, made.past], made.differing);
    // Old backups are deleted after the new one is written, so that a full disk keeps them.
    for (const { path } of beyondKept(own())) {
      // A backup that came into the folder meanwhile has not been compared.
      if (!noted.includes(readNote(path) ?? '')) continue;
      rmSync(path, { force: true });
      rmSync(noteOf(path), { force: true });
    }
    return { file, past: made.past };
  }

  return {
    async run(isAsked = false) {
      if (isRunning) return null;
      isRunning = true;
      try {
        return await makeIfDue(isAsked);
      } finally {
        isRunning = false;
      }
    },
    isRunning: () => isRunning,
    list: () =>
      finished()
        .slice(0, MAX_LISTED)
        .flatMap((file) => {
          const found = statSync(file.path, { throwIfNoEntry: false });
          if (!found) return [];
          const { size: bytes, mtimeMs: madeAtMs } = found;
          const past = readNote(file.path);
          return [{ name: basename(file.path), bytes, madeAtMs, past, isOther: isOther(file) }];
        }),
    noted: () => notesIn(finished()),
    learn,
    others: () =>
      finished()
        .filter(isOther)
        .map(({ path }) => path),
    isLate: () => (ageOfNewest() ?? 0) > LATE_AFTER_MS,
    ageMs: ageOfNewest,
    count: () => finished().length,
  };
}

/** The files of a folder of backups, each with its note. */
function createBackupFolder({
  folder,
  extension,
  clock,
}: Pick<BackupScheduleDependencies, 'folder' | 'extension' | 'clock'>) {
  /** Unfinished ones as well; the highest number first. */
  function list(): NumberedFile[] {
    return entriesIn(folder)
      .flatMap((entry) => {
        const [, number, day, unfinished] = FILE.exec(entry.name) ?? [];
        if (number === undefined || day === undefined || !entry.isFile()) return [];
        const path = join(folder, entry.name);
        return [{ path, number: Number(number), day, isFinished: unfinished === undefined }];
      })
      .sort((one, other) => other.number - one.number);
  }

  /** The next number is free of folders and of notes whose backup was moved away, too. */
  function nextFile(): string {
    const names = entriesIn(folder).map(({ name }) => name);
    const day = new Date(clock()).toISOString().slice(0, 10);
    for (let number = (list()[0]?.number ?? 0) + 1; ; number += 1) {
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
  function reserveNext(): string {
    for (;;) {
      const file = nextFile();
      try {
        writeFileSync(noteOf(file), '', { flag: 'wx', mode: 0o600 });
        return file;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  }

  /** Deletes the remains of interrupted backups once nobody can still be writing them. */
  function clearAway(): void {
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      const [, unfinished] = FILE.exec(entry.name)?.slice(2) ?? [];
      const isLeft = unfinished !== undefined || (NOTE.test(entry.name) && isEmpty(path));
      if (isLeft && entry.isFile() && isAbandoned(path, clock())) rmSync(path, { force: true });
    }
  }

  return { list, reserveNext, clearAway };
}

/**
 * The backups to delete: all but the newest fourteen, and but the newest of each of fourteen days.
 * @param files the newest first.
 */
function beyondKept(files: readonly NumberedFile[]): readonly NumberedFile[] {
  const newestOfDays = new Map<string, NumberedFile>();
  for (const file of files)
    if (newestOfDays.size < MAX_KEPT && !newestOfDays.has(file.day)) newestOfDays.set(file.day, file);
  return files.filter((file, index) => index >= MAX_KEPT && newestOfDays.get(file.day) !== file);
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Another server on this folder may still be writing an unfinished backup until it is this old. */
function isAbandoned(path: string, nowMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && nowMs - found.mtimeMs > BACKUP_PATIENCE_MS;
}

function isEmpty(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.size === 0;
}

const notesIn = (files: readonly NumberedFile[]) => [
  ...new Set(files.flatMap(({ path }) => readNote(path) ?? [])),
];

function noteOf(path: string): string {
  return `${path}.past`;
}

/** A folder or link in the place of a note stays. */
function writeNote(path: string, past: string): void {
  const there = lstatSync(noteOf(path), { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) writeFileSync(noteOf(path), `${past}\n`, { mode: 0o600 });
}

function readNote(path: string): string | null {
  if (!lstatSync(noteOf(path), { throwIfNoEntry: false })?.isFile()) return null;
  try {
    const past = parsePast(readFileSync(noteOf(path), 'utf8'));
    return past && spellPast(past);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
