/**
 * A backup a day into one folder: numbered, so that no clock can make a new one look old, each with a note of its past, and the
 * newest fourteen kept. A backup of another past than that of the database, or of one that nobody knows, is never counted nor deleted.
 * How a backup is made is not decided here.
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
import { join } from 'node:path';
import { brand } from '#shared/brand.ts';
import type { Clock } from '#shared/calendar.ts';
import { parsePast, spellPast } from './storage/checks/past.ts';

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 24 * HOUR_MS;
/**
 * How long a backup may take: with the day after which one is due, the 26 hours after which the newest one is called late. 100,000
 * tips were measured to take 2 to 4 s.
 */
export const BACKUP_PATIENCE_MS = 2 * HOUR_MS;
const LATE_AFTER_MS = INTERVAL_MS + BACKUP_PATIENCE_MS;
const MAX_KEPT = 14;

const PREFIX = brand.name.toLowerCase();
/** At one a day the numbers have six digits for 2,700 years; those of more than twelve are not exact enough to count up from. */
const NAME = `^${PREFIX}-(\\d{6,12})-\\d{4}-\\d{2}-\\d{2}\\.(?:db|dump)`;
const FILE = new RegExp(`${NAME}(\\.unfinished)?$`);
const NOTE = new RegExp(`${NAME}\\.past$`);

export interface BackupSchedule {
  /**
   * Makes a backup if the newest of this past is a day old, and deletes those beyond the newest fourteen; what is no file or not its
   * own, and backups of another or of an unknown past, are left alone. To be called now and then; while one is being made it does nothing.
   * @returns what was written; null when none was due.
   */
  run(): Promise<WrittenBackup | null>;
  /** What was noted of the pasts of the backups in the folder, as `--digest` takes it, each once. */
  noted(): string[];
  /**
   * Tells what a comparison of these notes with the past of the database has come to: the backups of those that differ are another
   * database's, or of a past that was rewritten.
   */
  learn(compared: readonly string[], differing: readonly string[]): void;
  /** The backups of another past, as far as that was learnt. */
  others(): string[];
  /** Whether there is a backup of this past, and the newest is more than 26 hours old. */
  isLate(): boolean;
  /** How many backups there are. */
  count(): number;
}

export interface WrittenBackup {
  readonly file: string;
  /** What to note of its ledger elsewhere, as `npm run db:check -- --digest` takes it. */
  readonly past: string;
}

/** What a backup told. */
export interface MadeBackup {
  readonly past: WrittenBackup['past'];
  /** The notes that its ledger does not begin with. */
  readonly differing: readonly string[];
}

interface NumberedFile {
  readonly path: string;
  readonly number: number;
  readonly isFinished: boolean;
}

export interface BackupScheduleDependencies {
  readonly folder: string;
  /** How the names of new backups end. Those of another engine's, from before a move, are counted and deleted with them. */
  readonly extension: '.db' | '.dump';
  readonly clock: Clock;
  /** Whether the database was made at this start: whatever backups there are already are another one's. */
  readonly isNew: boolean;
  /** Writes a backup to a file that does not exist yet and that appears only once it is complete, and compares its ledger with the notes. */
  readonly backUp: (file: string, noted: readonly string[]) => Promise<MadeBackup>;
  /** Reads the past of a backup that has no note, as one of an earlier version or that was copied in; null where that cannot be read. */
  readonly readPast: (file: string) => Promise<string | null>;
}

export function createBackupSchedule(deps: BackupScheduleDependencies): BackupSchedule {
  const { folder, extension, clock, isNew, backUp, readPast } = deps;
  let isRunning = false;
  let differing: ReadonlySet<string> = new Set();
  /** The notes that were compared; null as long as none was. */
  let compared: ReadonlySet<string> | null = null;
  /** Backups that were there before the database was; found when the folder is first looked into. */
  let strangers: ReadonlySet<string> | null = null;

  /** The newest first. */
  function existing(): NumberedFile[] {
    return entriesIn(folder)
      .flatMap((entry) => {
        const [, number, unfinished] = FILE.exec(entry.name) ?? [];
        if (number === undefined || !entry.isFile()) return [];
        return [
          { path: join(folder, entry.name), number: Number(number), isFinished: unfinished === undefined },
        ];
      })
      .sort((one, other) => other.number - one.number);
  }

  /** The first look says which were there before a new database was, also when that is none. */
  function finished(): NumberedFile[] {
    const files = existing().filter(({ isFinished }) => isFinished);
    strangers ??= new Set(isNew ? files.map(({ path }) => path) : []);
    return files;
  }
  const notesIn = (files: readonly NumberedFile[]) => [
    ...new Set(files.flatMap(({ path }) => readNote(path) ?? [])),
  ];
  const isOther = ({ path }: NumberedFile) =>
    (strangers?.has(path) ?? false) || differing.has(readNote(path) ?? '');
  /** Those of this past, as far as is known. Nobody knows whether a backup without a note is. */
  const own = () => finished().filter((file) => readNote(file.path) !== null && !isOther(file));

  function learn(notes: readonly string[], different: readonly string[]): void {
    // A backup may have been written while another comparison was under way: what that did not see stays known.
    compared = new Set([...(compared ?? []), ...notes]);
    differing = new Set([...[...differing].filter((note) => !notes.includes(note)), ...different]);
  }

  function ageOfNewest(): number | null {
    // What has come into the folder since the last comparison may be another database's.
    const newest = own().find(({ path }) => compared?.has(readNote(path) ?? '') ?? true);
    // Somebody may have moved it meanwhile.
    const found = newest && statSync(newest.path, { throwIfNoEntry: false });
    return found ? clock() - found.mtimeMs : null;
  }

  /** Notes the pasts of those that have no note, as far as they can be read. */
  async function noteAll(files: readonly NumberedFile[]): Promise<void> {
    for (const { path } of files) {
      if (readNote(path) !== null) continue;
      const past = await readPast(path);
      if (past !== null) writeNote(path, past);
    }
  }

  /** The name of the next backup: of its number there is nothing yet, be it a folder or the note of a backup that was moved away. */
  function nextFile(): string {
    const names = entriesIn(folder).map(({ name }) => name);
    const day = new Date(clock()).toISOString().slice(0, 10);
    for (let number = (existing()[0]?.number ?? 0) + 1; ; number += 1) {
      const start = `${PREFIX}-${String(number).padStart(6, '0')}-`;
      const name = `${start}${day}${extension}`;
      if (!FILE.test(name))
        throw new Error(
          `No number is left for a backup after those in ${folder}: move the highest elsewhere`,
        );
      if (!names.some((taken) => taken.startsWith(start))) return join(folder, name);
    }
  }

  /** Begins the note of the next backup, so that no other server that shares the folder takes its name. @returns the name. */
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

  /** Deletes what backups left that were broken off, once nobody can be writing them any more. */
  function clearAway(): void {
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      const [, unfinished] = FILE.exec(entry.name)?.slice(1) ?? [];
      const isLeft = unfinished !== undefined || (NOTE.test(entry.name) && isEmpty(path));
      if (isLeft && entry.isFile() && isAbandoned(path, clock())) rmSync(path, { force: true });
    }
  }

  async function makeIfDue(): Promise<WrittenBackup | null> {
    // Backups are people's data: a folder that is made here is for this user alone.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const newestOwn = own()[0]?.number ?? -1;
    await noteAll(finished().filter(({ number }) => number > newestOwn));
    const ageMs = ageOfNewest();
    // A clock that was turned back by less than a day makes the next backup that much later, and never one more a day.
    if (ageMs !== null && Math.abs(ageMs) < INTERVAL_MS) return null;
    await noteAll(finished());
    const noted = notesIn(finished());
    const file = reserveNext();
    const made = await backUp(file, noted).catch((error: unknown) => {
      rmSync(noteOf(file), { force: true });
      throw error;
    });
    writeNote(file, made.past);
    learn([...noted, made.past], made.differing);
    // Old backups are deleted after the new one was written, so that a full disk keeps those that it has.
    clearAway();
    for (const { path } of own().slice(MAX_KEPT)) {
      // What came into the folder meanwhile has not been compared.
      if (!noted.includes(readNote(path) ?? '')) continue;
      rmSync(path, { force: true });
      rmSync(noteOf(path), { force: true });
    }
    return { file, past: made.past };
  }

  return {
    async run() {
      if (isRunning) return null;
      isRunning = true;
      try {
        return await makeIfDue();
      } finally {
        isRunning = false;
      }
    },
    noted: () => notesIn(finished()),
    learn,
    others: () =>
      finished()
        .filter(isOther)
        .map(({ path }) => path),
    isLate: () => (ageOfNewest() ?? 0) > LATE_AFTER_MS,
    count: () => finished().length,
  };
}

/** None where there is no such folder. */
function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether nobody can be writing an unfinished backup any more: another server that shares the folder may be. */
function isAbandoned(path: string, nowMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && nowMs - found.mtimeMs > BACKUP_PATIENCE_MS;
}

/** Whether it is a note that was begun and never written. */
function isEmpty(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.size === 0;
}

/** Where the past of a backup is noted. */
function noteOf(path: string): string {
  return `${path}.past`;
}

/** Where there is a folder or a link in the place of a note, nothing is noted. */
function writeNote(path: string, past: string): void {
  const there = lstatSync(noteOf(path), { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) writeFileSync(noteOf(path), `${past}\n`, { mode: 0o600 });
}

/** Null where there is no note. */
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
