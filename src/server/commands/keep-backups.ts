/**
 * `npm run db:keep-backups`: writes a backup a day into BACKUP_FOLDER until it is told to stop, as a server with this setting does, for
 * a machine or a container that runs no server. What is wrong is told in its log.
 */
import { once } from 'node:events';
import { pino } from 'pino';
import { createTroubles } from '../api/http/probes.ts';
import { startCaring } from '../backups.ts';
import { logOptions } from '../log-options.ts';
import { type Command, parseWords, UsageError } from './command.ts';

/** The longest that a timer takes: whoever only waits for a signal would end at once. */
const FOR_EVER_MS = 2 ** 31 - 1;

export const keepBackups: Command = async ({ config, words }) => {
  parseWords(words, { usage: 'npm run db:keep-backups', count: 0, options: {} });
  if (config.backupFolder === null) throw new UsageError('Set BACKUP_FOLDER to the folder of the backups.');
  const log = pino(logOptions(config), pino.destination({ fd: 2, sync: true }));
  const troubles = createTroubles(Date.now);
  const stopCaring = startCaring({ config, clock: Date.now, log, troubles, isNew: false });
  const waiting = setInterval(() => {}, FOR_EVER_MS);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  clearInterval(waiting);
  stopCaring();
  return true;
};
