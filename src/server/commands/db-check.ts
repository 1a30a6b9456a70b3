/**
 * `npm run db:check`: is the database file whole, are its tables those of this version, does the ledger add up, and does it
 * begin as it was noted? Reads only, also while a server runs.
 */
import { type Command, parseNotes, parseWords, SEVERAL_NOTES } from './command.ts';

export const checkDatabase: Command = async ({ database, words, say }) => {
  const usage = 'npm run db:check [-- --digest COUNT:HEX]';
  const { values } = parseWords(words, { usage, count: 0, options: { digest: SEVERAL_NOTES } });
  const noted = parseNotes(values.digest);
  const { problems, differences, tipCount, past } = await database.check(noted);
  for (const sentence of [...problems, ...differences]) say(sentence);
  if (problems.length + differences.length > 0) return false;
  say(`${database.name} is whole, and its ledger of ${tipCount} tips adds up.`);
  for (const { count } of noted) say(`Its first ${count} tips are those that were noted.`);
  say(`Its past, to note elsewhere: ${past}`);
  return true;
};
