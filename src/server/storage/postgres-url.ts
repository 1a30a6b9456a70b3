/**
 * The address of a PostgreSQL database, as an operator writes it, and without what is nobody's business. It is an address of
 * one host, with the parameters of node-postgres: https://node-postgres.com/features/connecting.
 */

const PROTOCOL = /^postgres(?:ql)?:\/\//i;
const DEFAULT_PORT = '5432';

/** Whether a text is meant as the address of a PostgreSQL database, correct or not. */
export function isMeantForPostgres(text: string): boolean {
  return /^postgres(?:ql)?:/i.test(text);
}

/** Whether an address names a host, or the folder of a socket in `host=`, and a database. */
export function isPostgresUrl(text: string): boolean {
  if (!PROTOCOL.test(text) || /[\0\s]/.test(text)) return false;
  const parts = readParts(text);
  // A list of hosts is understood by PostgreSQL's own tools, and not by the driver.
  return parts !== null && parts.host !== '' && !parts.host.includes(',') && parts.database !== '';
}

/**
 * Spells an address for the log and the screen: with user, host, port and database, and without the password and the
 * parameters, which may hold secrets, too.
 */
export function spellPostgresUrl(url: string): string {
  const parts = readParts(url);
  if (parts === null) return 'postgres://';
  const { user, host, port, database } = parts;
  const place = host.startsWith('/') ? encodeURIComponent(host) : host;
  return `postgres://${user === '' ? '' : `${encodeURIComponent(user)}@`}${place}:${port}/${database}`;
}

/** The parts that name a database, decoded; null for what is no URL. */
function readParts(text: string) {
  try {
    // The parser of URLs takes no user without a host, which an address of a socket may have.
    const { username, hostname, port, pathname, searchParams } = new URL(text.replace(/@(?=\/)/, '@socket'));
    const named = hostname === 'socket' ? '' : decodeURIComponent(hostname);
    return {
      user: searchParams.get('user') ?? decodeURIComponent(username),
      host: searchParams.get('host') ?? named,
      port: searchParams.get('port') ?? (port || DEFAULT_PORT),
      database: decodeURIComponent(pathname.slice(1)),
    };
  } catch {
    return null;
  }
}
