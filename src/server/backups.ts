/** Runs the daily backup, and checks all data once after a start, in processes of their own. */
import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import { runApart } from './apart.ts';
import { BACKUP_PATIENCE_MS, type BackupSchedule, createBackupSchedule } from './backup-schedule.ts';
import { type Config, readEnvironment } from './config.ts';
import { DriveUnanswered } from './drive.ts';
import { measure } from './measures.ts';
import { findDiffering } from './storage/checks/past.ts';
import { extensionOfBackups } from './storage/open.ts';
import type { Troubles } from './troubles.ts';

const LOOK_INTERVAL_MS = 600_000;
/** Clients that waited for the start are served before all data is read. */
export const READING_DELAY_MS = 5_000;
const PAST = / (\d+:[0-9a-f]{32})\n(.*)/s;

export interface CareDependencies {
  readonly config: Pick<Config, 'backupFolder' | 'database'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly troubles: Troubles;
  readonly isNew: boolean;
}

export interface Care {
  readonly backups: BackupKeeper | null;
  start(): void;
  stop(): void;
}

export function createCare(deps: CareDependencies): Care {
  const { config, log, clock } = deps;
  const stopping = new AbortController();
  const schedule =
    config.backupFolder === null
      ? null
      : createBackupSchedule({
          folder: config.backupFolder,
          extension: extensionOfBackups(config.database),
          clock,
          isNew: deps.isNew,
          ...commandsFor(stopping.signal),
        });
  const keeper = schedule && createBackupKeeper(schedule, deps, stopping.signal);

  // Several processes may start on one PostgreSQL; the one that makes the backups reads all data.
  let mustRead = config.database.engine === 'sqlite' || schedule !== null;
  async function readThrough(): Promise<void> {
    if (!mustRead) return;
    mustRead = false;
    mustRead = !(await readAllData(schedule, deps, stopping.signal));
  }
  const timers: NodeJS.Timeout[] = [];
  return {
    backups: keeper,
    start() {
      if (schedule === null) tellOfNone(config, log);
      if (deps.isNew) void tellOfNew(schedule, log);
      void keeper?.tick();
      const lookAll = () => void readThrough().then(() => keeper?.tick());
      const look = () => {
        void keeper?.tick();
        void readThrough();
      };
      timers.push(setTimeout(lookAll, READING_DELAY_MS).unref(), setInterval(look, LOOK_INTERVAL_MS).unref());
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      stopping.abort();
    },
  };
}

function commandsFor(signal: AbortSignal) {
  const run = { patienceMs: BACKUP_PATIENCE_MS, signal };
  return {
    async backUp(file: string, noted: readonly string[]) {
      const words = ['db-backup', file, ...noted.flatMap((past) => ['--digest', past])];
      const { code, stdout, stderr } = await runApart({ ...run, words });
      if (code !== 0) throw new Error(stderr.trim() || `db-backup ended with ${code}`);
      const [, past, after = ''] = PAST.exec(stdout) ?? [];
      if (past === undefined) throw new Error('db-backup did not tell the past of the backup');
      return { past, differing: findDiffering(stdout), problems: problemsIn(after) };
    },
    async readPast(file: string) {
      // A dump cannot be read without restoring it.
      if (!file.endsWith('.db')) return null;
      const environment = { ...readEnvironment(), DATABASE_URL: file };
      try {
        const { code, stdout } = await runApart({ ...run, words: ['db-check'], environment });
        return code === 0 ? (PAST.exec(stdout)?.[1] ?? null) : null;
      } catch (error) {
        // An unreadable file must not stop the backup.
        if (signal.aborted) throw error;
        return null;
      }
    },
  };
}

/** Reads all data once, compares its past with the backups', and reports problems. @returns whether it could. */
async function readAllData(
  schedule: BackupSchedule | null,
  { log, troubles }: Pick<CareDependencies, 'log' | 'troubles'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    // Without the notes of an unreadable folder, which the next due backup reports.
    const noted = (await schedule?.noted().catch(() => [])) ?? [];
    const words = ['db-check', ...noted.flatMap((past) => ['--digest', past])];
    const { code, stdout, stderr } = await runApart({ words, patienceMs: BACKUP_PATIENCE_MS, signal });
    const differing = findDiffering(stdout);
    const problems = code === 0 ? [] : problemsIn(stdout);
    if (code !== 0 && problems.length + differing.length === 0)
      throw new Error(stderr.trim() || `db-check ended with ${code}`);
    if (problems.length > 0) {
      tellDamage({ log, troubles }, problems, 'the data is damaged');
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

function problemsIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && findDiffering(line).length === 0);
}

function tellDamage(
  { log, troubles }: Pick<CareDependencies, 'log' | 'troubles'>,
  problems: readonly string[],
  sentence: string,
): void {
  troubles.begin('data');
  log.error({ problems }, sentence);
}

export interface BackupKeeper extends Pick<BackupSchedule, 'list' | 'freeBytes'> {
  /** Makes the backup that is due, and reports problems with backups. Call it every ten minutes. Never throws. */
  tick(): Promise<void>;
  /** Begins a backup for an operator. @returns false while one is being made. */
  begin(): boolean;
  /** When the backup under way was begun; null while there is none. */
  begunAtMs(): number | null;
  failure(): BackupFailure | null;
}

export interface BackupFailure {
  readonly atMs: number;
  readonly reason: string;
}

/** @param signal ends the backup under way without reporting that as a problem. */
export function createBackupKeeper(
  schedule: BackupSchedule,
  { log, troubles, clock }: Pick<CareDependencies, 'log' | 'troubles' | 'clock'>,
  signal: AbortSignal,
): BackupKeeper {
  let toldOthers = '';
  let isToldLate = false;
  let begunAtMs: number | null = null;
  let failure: BackupFailure | null = null;
  /** Whether what failed was a look at the folder, which is made up for by one that succeeds. */
  let isFolderAway = false;

  async function tellLate(): Promise<void> {
    measure('backup', { ageMs: await schedule.ageMs() });
    const isLate = await schedule.isLate();
    if (isLate) troubles.begin('late');
    else troubles.end('late');
    if (isLate && !isToldLate) log.error('the newest backup is older than 26 hours');
    isToldLate = isLate;
  }

  async function tellOthers(): Promise<void> {
    const files = await schedule.others();
    if (files.length > 0) troubles.begin('past');
    else troubles.end('past');
    if (files.length > 0 && files.join() !== toldOthers)
      log.warn(
        { files },
        'these backups are of another past than that of the database: they are neither counted nor deleted',
      );
    toldOthers = files.join();
  }

  async function make(isAsked: boolean): Promise<void> {
    const isFirst = begunAtMs === null;
    if (isFirst) begunAtMs = clock();
    let isWriting = false;
    const noteDue = () => {
      isWriting = true;
    };
    try {
      await tellLate();
      const written = isFirst ? await schedule.run(isAsked, noteDue) : null;
      isWriting = false;
      if (written !== null) {
        const { problems, ...backup } = written;
        failure = null;
        troubles.end('backup');
        log.info(backup, 'backup written');
        if (problems.length > 0) tellDamage({ log, troubles }, problems, 'the audit log was changed');
      } else if (isFirst && isFolderAway) {
        // It is back, and no backup is due.
        failure = null;
        troubles.end('backup');
      }
      await tellLate();
      await tellOthers();
    } catch (err) {
      if (signal.aborted) return;
      const isUnanswered = err instanceof DriveUnanswered;
      isFolderAway = isUnanswered || !isWriting;
      failure = { atMs: clock(), reason: err instanceof Error ? err.message : String(err) };
      troubles.begin('backup');
      log.error({ err }, sentenceOf(isUnanswered, isAsked));
    } finally {
      if (isFirst) begunAtMs = null;
    }
  }

  return {
    tick: () => make(false),
    begin() {
      if (begunAtMs !== null) return false;
      void make(true);
      return true;
    },
    begunAtMs: () => begunAtMs,
    failure: () => failure,
    list: schedule.list,
    freeBytes: schedule.freeBytes,
  };
}

function sentenceOf(isUnanswered: boolean, isAsked: boolean): string {
  if (isUnanswered) return 'could not look at the folder of the backups';
  return isAsked ? 'could not write a backup' : 'could not write the backup that is due';
}

function tellOfNone({ database }: CareDependencies['config'], log: Logger): void {
  const sentence = 'BACKUP_FOLDER is not set: this process makes no backups';
  // With several processes on one PostgreSQL another one may make the backups.
  if (database.engine === 'sqlite') log.warn(sentence);
  else log.info(sentence);
}

async function tellOfNew(schedule: BackupSchedule | null, log: Logger): Promise<void> {
  const count = (await schedule?.count().catch(() => 0)) ?? 0;
  if (count === 0) log.info('the database is new');
  else
    log.warn(
      { backups: count },
      'the database is new, and BACKUP_FOLDER has backups of another: is DATABASE_URL right, ' +
        'and is its disk there?',
    );
}
