/** `npm run db:restore -- FILE`: puts a backup in the place of the database, once it has been checked. */
import { join } from 'node:path';
import { type Command, fileFrom } from './command.ts';
import { restore } from './storage/sqlite/backup.ts';
import { readMigrations } from './storage/sqlite/migrations.ts';

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../drizzle');

export const restoreDatabase: Command = ({ databasePath, words, say }) => {
  const file = fileFrom(words, 'npm run db:restore -- FILE');
  const { tipCount, keptAside, isCurrent } = restore(file, databasePath, readMigrations(MIGRATIONS_FOLDER));
  say(`${databasePath} is restored from ${file}: a ledger of ${tipCount} tips.`);
  if (keptAside !== null) say(`What was there before is kept as ${keptAside}.`);
  if (!isCurrent) say('It was written by an older version; starting the server brings it up to date.');
  return true;
};
