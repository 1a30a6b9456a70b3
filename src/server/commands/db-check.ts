/** `npm run db:check`: checks the database file, its tables, the ledger and its noted past. It only reads. */
import { counted } from '#shared/counted.ts';
import { type Command, parseNotes, parseWords, SEVERAL_NOTES, spellFirst } from './command.ts';

export const checkDatabase: Command = async ({ database, words, say }) => {
  const usage = 'npm run db:check [-- --digest COUNT:HEX]';
  const { values } = parseWords(words, { usage, count: 0, options: { digest: SEVERAL_NOTES } });
  const noted = parseNotes(values.digest);
  const { problems, differences, auditProblems, tipCount, past } = await database.check(noted);
  const sentences = [...problems, ...differences, ...auditProblems];
  for (const sentence of sentences) say(sentence);
  if (sentences.length > 0) return false;
  say(`${database.name} is whole, and its ledger of ${counted(tipCount, 'tip')} adds up.`);
  for (const { count } of noted) say(spellFirst(count));
  say(`Its past, to note elsewhere: ${past}`);
  return true;
};
