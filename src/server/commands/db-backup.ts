/** `npm run db:backup -- FILE`: a consistent, checked copy, also while a server runs and writes. */
import { type Command, parseWords } from './command.ts';

export const backUpDatabase: Command = async ({ database, words, say }) => {
  const usage = 'npm run db:backup -- FILE';
  const [file = ''] = parseWords(words, { usage, count: 1, options: {} }).positionals;
  const { tipCount, past } = await database.backUp(file);
  say(`${file} holds all of ${database.name}, checked: a ledger of ${tipCount} tips.`);
  say(`Its past, to note elsewhere: ${past}`);
  return true;
};
