/** `npm run db:keep-backups`: daily backups into BACKUP_FOLDER, for a machine or container without a server. */
import { once } from 'node:events';
import { pino } from 'pino';
import { createCare } from '../backups.ts';
import { openStandardError } from '../log-destination.ts';
import { logOptions } from '../log-options.ts';
import { createTroubles } from '../troubles.ts';
import { type Command, parseWords, UsageError } from './command.ts';

/** The longest delay of a timer. It keeps the process alive, which waiting for a signal alone does not. */
const FOR_EVER_MS = 2 ** 31 - 1;

export const keepBackups: Command = async ({ config, words }) => {
  parseWords(words, { usage: 'npm run db:keep-backups', count: 0, options: {} });
  if (config.backupFolder === null) throw new UsageError('Set BACKUP_FOLDER to the folder of the backups.');
  const log = pino(logOptions(config), openStandardError());
  const troubles = createTroubles(Date.now);
  const care = createCare({ config, clock: Date.now, log, troubles, isNew: false });
  care.start();
  const waiting = setInterval(() => {}, FOR_EVER_MS);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  clearInterval(waiting);
  care.stop();
  return true;
};
