/** `npm run db:backup -- FILE`: a consistent, checked copy, also while a server runs and writes. */
import { type Command, fileFrom } from './command.ts';
import { backUp } from './storage/sqlite/backup.ts';

export const backUpDatabase: Command = ({ databasePath, words, say }) => {
  const file = fileFrom(words, 'npm run db:backup -- FILE');
  const tipCount = backUp(databasePath, file);
  say(`${file} holds all of ${databasePath}, checked: a ledger of ${tipCount} tips.`);
  return true;
};
