/** `npm run db:backup -- FILE`: a consistent, checked copy, also while a server runs and writes. */

import { backUp } from '../storage/sqlite/backup.ts';
import { readMigrations } from '../storage/sqlite/migrations.ts';
import { MIGRATIONS_FOLDER } from '../storage/sqlite/migrations-folder.ts';
import { type Command, parseWords } from './command.ts';

export const backUpDatabase: Command = ({ databasePath, words, say }) => {
  const usage = 'npm run db:backup -- FILE';
  const [file = ''] = parseWords(words, { usage, count: 1, options: {} }).positionals;
  const { tipCount, past } = backUp(databasePath, file, readMigrations(MIGRATIONS_FOLDER));
  say(`${file} holds all of ${databasePath}, checked: a ledger of ${tipCount} tips.`);
  say(`Its past, to note elsewhere: ${past}`);
  return true;
};
