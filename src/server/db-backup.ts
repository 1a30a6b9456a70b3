/** `npm run db:backup -- FILE`: a consistent, checked copy, also while a server runs and writes. */
import { fileFrom, runCommand } from './command.ts';
import { backUp } from './storage/sqlite/backup.ts';

runCommand(({ databasePath, words, say }) => {
  const file = fileFrom(words, 'npm run db:backup -- FILE');
  const tipCount = backUp(databasePath, file);
  say(`${file} holds all of ${databasePath}, checked: a ledger of ${tipCount} tips.`);
  return true;
});
