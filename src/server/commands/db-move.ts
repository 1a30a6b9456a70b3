/** `npm run db:move -- TARGET`: copies a file into an empty PostgreSQL database, or such a database into a new file. */
import { counted } from '#shared/counted.ts';
import { databaseFrom, isDatabase } from '../setting-forms.ts';
import { databaseAt } from '../storage/open.ts';
import type { DatabaseAddress } from '../storage/port/database.ts';
import {
  hasPlainSslMode,
  isMeantForPostgres,
  isPostgresUrl,
  SSL_MODE_RULE,
  spellPostgresUrl,
} from '../storage/postgres-url.ts';
import { actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';

/** By the engine that the data is moved from. */
const USAGE: Readonly<Record<DatabaseAddress['engine'], string>> = {
  sqlite: 'npm run db:move -- postgres://USER:PASSWORD@HOST/DATABASE [--reason TEXT]',
  postgres: 'npm run db:move -- FILE [--reason TEXT]',
};

export const moveDatabase: Command = async ({ config, database, words, actor, say }) => {
  const { engine } = config.database;
  const { positionals, values } = parseWords(words, { usage: USAGE[engine], count: 1, options: REASON });
  const address = targetFrom(positionals[0] ?? '');
  if (address === null || address.engine === engine) throw new UsageError(`Usage: ${USAGE[engine]}`);
  const act = actsOf(actor, values.reason, Date.now)('database_moved');
  const target = databaseAt(address);
  const { tipCount, past } = await database.readAll((tables, read) => target.fill(tables, read, act));
  say(`${target.name} holds all of ${database.name}, checked: a ledger of ${counted(tipCount, 'tip')}.`);
  say(`Its past, as it was before the move, and to note elsewhere: ${past}`);
  say(
    `Nobody is logged out. ${database.name} stays as it is; keep it until you have a backup of the new database.`,
  );
  if (address.engine === 'sqlite') {
    say('From now on the settings of the server need this line:');
    say(`DATABASE_URL=${address.path}`);
    return true;
  }
  say(
    'From now on the settings of the server need this line, with the address that you gave to this command:',
  );
  say(`DATABASE_URL=${spellPostgresUrl(address.url).replace('@', ':PASSWORD@')}`);
  return true;
};

/** Null when a server could not have it as DATABASE_URL. @throws UsageError for an `sslmode` that it could not have. */
function targetFrom(text: string): DatabaseAddress | null {
  if (!hasPlainSslMode(text)) throw new UsageError(`The address ${SSL_MODE_RULE}.`);
  const isUsable = isMeantForPostgres(text) ? isPostgresUrl(text) : isDatabase(text);
  return isUsable ? databaseFrom(text) : null;
}
