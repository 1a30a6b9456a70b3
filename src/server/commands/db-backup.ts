/** `npm run db:backup -- FILE`: a consistent, checked copy. `--digest` compares its ledger with a noted past. */
import { counted } from '#shared/counted.ts';
import { type Command, parseNotes, parseWords, SEVERAL_NOTES } from './command.ts';

export const backUpDatabase: Command = async ({ database, words, say }) => {
  const usage = 'npm run db:backup -- FILE [--digest COUNT:HEX]';
  const { positionals, values } = parseWords(words, { usage, count: 1, options: { digest: SEVERAL_NOTES } });
  const [file = ''] = positionals;
  const { tipCount, past, differences, auditProblems } = await database.backUp(
    file,
    parseNotes(values.digest),
  );
  say(`${file} holds all of ${database.name}, checked: a ledger of ${counted(tipCount, 'tip')}.`);
  say(`Its past, to note elsewhere: ${past}`);
  for (const sentence of [...differences, ...auditProblems]) say(sentence);
  return true;
};
