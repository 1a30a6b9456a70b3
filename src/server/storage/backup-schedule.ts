/**
 * A backup a day into one folder: numbered, so that no clock can make a new one look old, and the newest fourteen kept.
 * How a backup is made is not decided here.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brand } from '#shared/brand.ts';
import type { Clock } from '#shared/calendar.ts';

const INTERVAL_MS = 86_400_000;
const MAX_KEPT = 14;

const PREFIX = brand.name.toLowerCase();
const FILE = new RegExp(`^${PREFIX}-(\\d{6,})-\\d{4}-\\d{2}-\\d{2}\\.(?:db|dump)(\\.unfinished)?$`);

export interface BackupSchedule {
  /**
   * Makes a backup if the newest is a day old, and deletes those beyond the newest fourteen; files that are not its own
   * are left alone. To be called now and then; while one is being made it does nothing.
   * @returns what was written; null when none was due.
   */
  run(): Promise<WrittenBackup | null>;
}

export interface WrittenBackup {
  readonly file: string;
  /** What to note of its ledger elsewhere, as `npm run db:check -- --digest` takes it; null when that was not told. */
  readonly past: string | null;
}

interface NumberedFile {
  readonly path: string;
  readonly number: number;
  readonly isFinished: boolean;
}

/** @param deps.backUp writes a backup to a file that does not exist yet and that appears only once it is complete; answers what to note of its ledger. */
export function createBackupSchedule(deps: {
  readonly folder: string;
  /** How the names of new backups end. Those of another engine's, from before a move, are counted and deleted with them. */
  readonly extension: '.db' | '.dump';
  readonly clock: Clock;
  readonly backUp: (file: string) => Promise<string | null>;
}): BackupSchedule {
  const { folder, extension, clock, backUp } = deps;
  let isRunning = false;

  /** The newest first. */
  function existing(): NumberedFile[] {
    return readdirSync(folder)
      .flatMap((name) => {
        const [, number, unfinished] = FILE.exec(name) ?? [];
        if (number === undefined) return [];
        return [{ path: join(folder, name), number: Number(number), isFinished: unfinished === undefined }];
      })
      .sort((one, other) => other.number - one.number);
  }

  function isDue(newest: NumberedFile | undefined, now: number): boolean {
    if (!newest) return true;
    const writtenAt = statSync(newest.path).mtimeMs;
    // A backup from the future: the clock was turned back, and nobody knows how old the backup is.
    return writtenAt > now || now - writtenAt >= INTERVAL_MS;
  }

  async function makeIfDue(): Promise<WrittenBackup | null> {
    // Backups are people's data: a folder that is made here is for this user alone.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const now = clock();
    const newest = existing().find(({ isFinished }) => isFinished);
    if (!isDue(newest, now)) return null;
    const number = String((newest?.number ?? 0) + 1).padStart(6, '0');
    const file = join(folder, `${PREFIX}-${number}-${new Date(now).toISOString().slice(0, 10)}${extension}`);
    const past = await backUp(file);
    // Old backups are deleted after the new one was written, so that a full disk keeps those that it has.
    const files = existing();
    const kept = files.filter(({ isFinished }) => isFinished).slice(0, MAX_KEPT);
    for (const old of files) if (!kept.includes(old)) rmSync(old.path, { force: true });
    return { file, past };
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
  };
}
