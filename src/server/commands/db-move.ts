/** `npm run db:move -- postgres://...`: copies the database file into an empty PostgreSQL database, checked there. */
import { databaseAt } from '../storage/open.ts';
import { isPostgresUrl, spellPostgresUrl } from '../storage/postgres-url.ts';
import { actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';

const USAGE = 'npm run db:move -- postgres://USER:PASSWORD@HOST/DATABASE [--reason TEXT]';

export const moveDatabase: Command = async ({ database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 1, options: REASON });
  const [url = ''] = positionals;
  if (!isPostgresUrl(url)) throw new UsageError(`Usage: ${USAGE}`);
  const act = actsOf(actor, values.reason, Date.now)('database_moved');
  const target = databaseAt({ engine: 'postgres', url });
  const { tipCount, past } = await database.readAll((tables, read) => target.fill(tables, read, act));
  say(`${target.name} holds all of ${database.name}, checked: a ledger of ${tipCount} tips.`);
  say(`Its past, as in the file, and to note elsewhere: ${past}`);
  say('Nobody is logged out. The file stays as it is; keep it until you have a backup of the new database.');
  say(
    'From now on the settings of the server need this line, with the address that you gave to this command:',
  );
  say(`DATABASE_URL=${spellPostgresUrl(url).replace('@', ':PASSWORD@')}`);
  return true;
};
