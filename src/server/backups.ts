/**
 * Looks after the data in processes of their own: a backup a day, and all of the data read through once after a start. What is
 * wrong is told in the log and by the troubles of `/readyz`.
 */
import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import { runApart } from './apart.ts';
import type { Troubles } from './api/http/probes.ts';
import { BACKUP_PATIENCE_MS, type BackupSchedule, createBackupSchedule } from './backup-schedule.ts';
import { type Config, readEnvironment } from './config.ts';
import { findDiffering } from './storage/checks/past.ts';
import { extensionOfBackups } from './storage/open.ts';

const LOOK_INTERVAL_MS = 600_000;
/** Those who waited for a start are served before all of the data is read. */
const READING_DELAY_MS = 5_000;
/** In what a command says, the past of a ledger. */
const PAST = / (\d+:[0-9a-f]{32})\n/;

export interface CareDependencies {
  readonly config: Pick<Config, 'backupFolder' | 'database'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly troubles: Troubles;
  /** Whether the database was made at this start. */
  readonly isNew: boolean;
}

/** Begins to look after the data of a running process. @returns a function that stops it, and what is under way. */
export function startCaring(deps: CareDependencies): () => void {
  const { config, log, isNew, clock } = deps;
  const stopping = new AbortController();
  const schedule =
    config.backupFolder === null
      ? null
      : createBackupSchedule({
          folder: config.backupFolder,
          extension: extensionOfBackups(config.database),
          ...{ clock, isNew },
          ...commandsFor(stopping.signal),
        });
  const keeper = schedule && createBackupKeeper(schedule, deps, stopping.signal);
  if (schedule === null) tellOfNone(config, log);
  if (isNew) tellOfNew(schedule, log);

  // Of PostgreSQL, which several processes may start on, the process that makes the backups reads all.
  let mustRead = config.database.engine === 'sqlite' || schedule !== null;
  async function readThrough(): Promise<void> {
    if (!mustRead) return;
    mustRead = false;
    mustRead = !(await readAllData(schedule, deps, stopping.signal));
  }
  void keeper?.tick();
  // What the reading has learnt of the backups may make one due.
  const reading = setTimeout(() => void readThrough().then(() => keeper?.tick()), READING_DELAY_MS).unref();
  const looking = setInterval(() => {
    void keeper?.tick();
    void readThrough();
  }, LOOK_INTERVAL_MS).unref();
  return () => {
    clearTimeout(reading);
    clearInterval(looking);
    stopping.abort();
  };
}

/** What the schedule needs done by commands. They read the same settings as this process. */
function commandsFor(signal: AbortSignal) {
  const run = { patienceMs: BACKUP_PATIENCE_MS, signal };
  return {
    async backUp(file: string, noted: readonly string[]) {
      const words = ['db-backup', file, ...noted.flatMap((past) => ['--digest', past])];
      const { code, stdout, stderr } = await runApart({ ...run, words });
      if (code !== 0) throw new Error(stderr.trim() || `db-backup ended with ${code}`);
      const [, past] = PAST.exec(stdout) ?? [];
      if (past === undefined) throw new Error('db-backup did not tell the past of the backup');
      return { past, differing: findDiffering(stdout) };
    },
    async readPast(file: string) {
      // A dump cannot be read without restoring it.
      if (!file.endsWith('.db')) return null;
      const environment = { ...readEnvironment(), DATABASE_URL: file };
      try {
        const { code, stdout } = await runApart({ ...run, words: ['db-check'], environment });
        return code === 0 ? (PAST.exec(stdout)?.[1] ?? null) : null;
      } catch (error) {
        // A file that cannot be read to its end stops no backup.
        if (signal.aborted) throw error;
        return null;
      }
    },
  };
}

/**
 * Reads all of the data once, and compares its past with those of the backups.
 * @returns whether it could be read; what is wrong with it has been told then.
 */
async function readAllData(
  schedule: BackupSchedule | null,
  { log, troubles }: Pick<CareDependencies, 'log' | 'troubles'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const noted = notedIn(schedule);
    const words = ['db-check', ...noted.flatMap((past) => ['--digest', past])];
    const { code, stdout, stderr } = await runApart({ words, patienceMs: BACKUP_PATIENCE_MS, signal });
    const differing = findDiffering(stdout);
    const problems = code === 0 ? [] : stdout.split('\n').filter((line) => isProblem(line));
    if (code !== 0 && problems.length + differing.length === 0)
      throw new Error(stderr.trim() || `db-check ended with ${code}`);
    if (problems.length > 0) {
      troubles.begin('data');
      log.error({ problems }, 'the data is damaged');
      return true;
    }
    schedule?.learn(noted, differing);
    troubles.end('data');
    log.info('all of the data was read through, and is whole');
    return true;
  } catch (err) {
    if (signal.aborted) return true;
    troubles.begin('data');
    log.error({ err }, 'could not read through the data');
    return false;
  }
}

/** None while the folder cannot be read, which the backup that is due will tell. */
function notedIn(schedule: BackupSchedule | null): readonly string[] {
  try {
    return schedule?.noted() ?? [];
  } catch {
    return [];
  }
}

/** None while the folder cannot be read. */
function countIn(schedule: BackupSchedule | null): number {
  try {
    return schedule?.count() ?? 0;
  } catch {
    return 0;
  }
}

/** Whether a line of `db-check` says what is wrong with the data, and not how it differs from a note. */
function isProblem(line: string): boolean {
  return line !== '' && findDiffering(line).length === 0;
}

export interface BackupKeeper {
  /** Makes the backup that is due, and tells what is wrong with the backups. To be called every ten minutes. Never throws. */
  tick(): Promise<void>;
}

/** Runs a schedule and tells what comes of it. @param signal ends what is under way, which is nobody's trouble then. */
export function createBackupKeeper(
  schedule: BackupSchedule,
  { log, troubles }: Pick<CareDependencies, 'log' | 'troubles'>,
  signal: AbortSignal,
): BackupKeeper {
  let toldOthers = '';
  let isToldLate = false;

  /** One that hangs is late as well. */
  function tellLate(): void {
    const isLate = schedule.isLate();
    if (isLate) troubles.begin('late');
    else troubles.end('late');
    if (isLate && !isToldLate) log.error('the newest backup is older than 26 hours');
    isToldLate = isLate;
  }

  function tellOthers(): void {
    const files = schedule.others();
    if (files.length > 0) troubles.begin('past');
    else troubles.end('past');
    if (files.length > 0 && files.join() !== toldOthers)
      log.warn(
        { files },
        'these backups are of another past than that of the database: they are neither counted nor deleted',
      );
    toldOthers = files.join();
  }

  return {
    async tick() {
      try {
        tellLate();
        const written = await schedule.run();
        if (written !== null) {
          troubles.end('backup');
          log.info(written, 'backup written');
        }
        tellLate();
        tellOthers();
      } catch (err) {
        if (signal.aborted) return;
        troubles.begin('backup');
        log.error({ err }, 'could not write the backup that is due');
      }
    },
  };
}

function tellOfNone({ database }: CareDependencies['config'], log: Logger): void {
  const sentence = 'BACKUP_FOLDER is not set: this process makes no backups';
  // Of several processes on one PostgreSQL one makes the backup, which need not be this one.
  if (database.engine === 'sqlite') log.warn(sentence);
  else log.info(sentence);
}

function tellOfNew(schedule: BackupSchedule | null, log: Logger): void {
  const count = countIn(schedule);
  if (count === 0) log.info('the database is new');
  else
    log.warn(
      { backups: count },
      'the database is new, and BACKUP_FOLDER has backups of another: is DATABASE_URL right, and is its disk there?',
    );
}
