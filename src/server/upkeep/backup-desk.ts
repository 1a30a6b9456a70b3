/** The backups of this process for an operator: the last ones, one made now, and what a failure means. */
import type { KeptBackup } from '#server/backup-schedule.ts';
import type { BackupFailure, BackupKeeper } from '#server/backups.ts';
import type { Config } from '#server/config.ts';
import { isoTime } from '#shared/calendar.ts';
import type { BackupFailureShown, BackupShown, Backups } from '#shared/console/backups.ts';

const MAX_SAID_LENGTH = 500;

/** The meanings of what a failed backup said; the first that fits counts. */
const MEANINGS: readonly (readonly [said: RegExp, text: string, action: string])[] = [
  [
    /cannot be trusted|malformed|Damaged:|does not add up/i,
    'The copy was checked and found wrong: the data itself may be damaged.',
    'Keep the older backups. Run npm run db:check on the machine: it says what is damaged. Get help before you restore.',
  ],
  [
    /disk is full|no space left|ENOSPC|EDQUOT|quota exceeded/i,
    'The disk of the backups is full.',
    'Make room on it, or move older backups to another machine. Then make a backup here.',
  ],
  [
    /EACCES|EPERM|EROFS|permission denied|read-only/i,
    'The server may not write to the folder of the backups.',
    'Give the folder to the user that runs the server, and see whether its disk is mounted for writing. Then make a backup here.',
  ],
  [
    /does not answer/i,
    'The disk of the backups does not answer.',
    'See whether it is a network drive that is away. Then make a backup here.',
  ],
  [
    /did not come to an end/i,
    'The backup took more than two hours and was ended.',
    'See whether the disk of the backups answers, such as a network drive that is away. Then make a backup here.',
  ],
  [
    /pg_dump|pg_restore/i,
    'The program that copies PostgreSQL failed, or is not installed.',
    'What it said is below. Mend that on the machine, then make a backup here.',
  ],
  [
    /ENOENT|ENOTDIR|EEXIST|CANTOPEN|unable to open|EIO|SQLITE_IOERR/i,
    'The folder of the backups is not there, or cannot be used.',
    'See whether its disk is mounted and BACKUP_FOLDER is right. Then make a backup here.',
  ],
  [
    /ECONNREFUSED|timeout|terminated|connect/i,
    'The database did not answer.',
    'See whether PostgreSQL runs. Then make a backup here.',
  ],
];

export function explainFailure({ atMs, reason }: BackupFailure): BackupFailureShown {
  const [, text, action] = MEANINGS.find(([said]) => said.test(reason)) ?? [
    null,
    'The backup could not be written.',
    'What was said is below. Mend that, then make a backup here.',
  ];
  return { at: isoTime(atMs), text, action, said: reason.slice(0, MAX_SAID_LENGTH) };
}

export interface BackupDesk {
  read(): Promise<Backups>;
  /** Begins a backup. @returns `off` where this process makes none, `busy` while one is being made. */
  begin(): 'begun' | 'busy' | 'off';
  state(): 'free' | 'busy' | 'off';
}

export function createBackupDesk(
  keeper: BackupKeeper | null,
  { database, backupFolder }: Pick<Config, 'database' | 'backupFolder'>,
): BackupDesk {
  const engine = database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';

  async function listed(): Promise<Pick<Backups, 'kept' | 'unreadable'>> {
    try {
      return { kept: (await keeper?.list())?.map(shown) ?? [], unreadable: null };
    } catch (error) {
      return { kept: [], unreadable: error instanceof Error ? error.message : String(error) };
    }
  }
  const state = () => (keeper === null ? 'off' : keeper.begunAtMs() === null ? 'free' : 'busy');

  return {
    async read() {
      const list = await listed();
      const failure = keeper?.failure() ?? null;
      const begunAtMs = keeper?.begunAtMs() ?? null;
      return {
        engine,
        folder: keeper && backupFolder,
        ...list,
        begunAt: isoTime(begunAtMs),
        failure: failure && explainFailure(failure),
      };
    },
    state,
    begin() {
      if (keeper === null) return 'off';
      return keeper.begin() ? 'begun' : 'busy';
    },
  };
}

function shown({ name, bytes, madeAtMs, past, isOther }: KeptBackup): BackupShown {
  const tips = past === null ? null : Number(past.split(':')[0]);
  return { name, bytes, madeAt: isoTime(madeAtMs), past, tips, isOther };
}
