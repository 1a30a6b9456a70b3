/** `npm run db:check`: is the database file whole, and does the ledger add up? Reads only, also while a server runs. */
import type { Command } from './command.ts';
import { inspectDatabase } from './storage/sqlite/backup.ts';

export const checkDatabase: Command = ({ databasePath, say }) => {
  const { problems, tipCount } = inspectDatabase(databasePath);
  for (const problem of problems) say(problem);
  if (problems.length > 0) return false;
  say(`${databasePath} is whole, and its ledger of ${tipCount} tips adds up.`);
  return true;
};
