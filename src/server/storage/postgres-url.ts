/** Addresses of PostgreSQL: one host, parameters of node-postgres (https://node-postgres.com/features/connecting). */

const PROTOCOL = /^postgres(?:ql)?:\/\//i;
const DEFAULT_PORT = '5432';

export function isMeantForPostgres(text: string): boolean {
  return /^postgres(?:ql)?:/i.test(text);
}

/**
 * For `prefer` and `allow` PostgreSQL's own tools try both with and without TLS, which the driver does not; what is not
 * here either is a mistake.
 */
const SSL_MODES: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'];
export const SSL_MODE_RULE = `must have no other sslmode than ${SSL_MODES.join(', ')}: write disable for no TLS, or require for nothing but TLS`;

/** Whether the driver and PostgreSQL's own tools mean the same by the `sslmode` of an address, if it has one. */
export function hasPlainSslMode(text: string): boolean {
  return readParts(text)?.sslModes.every((mode) => SSL_MODES.includes(mode)) ?? true;
}

/** Whether an address names a database and a host, or a socket's folder in `host=`. */
export function isPostgresUrl(text: string): boolean {
  if (!PROTOCOL.test(text) || /[\0\s]/.test(text)) return false;
  const parts = readParts(text);
  // PostgreSQL's own tools understand a list of hosts, the driver does not.
  return parts !== null && parts.host !== '' && !parts.host.includes(',') && parts.database !== '';
}

/** The address with user, host, port and database only. Passwords and parameters may be secret. */
export function spellPostgresUrl(url: string): string {
  const parts = readParts(url);
  if (parts === null) return 'postgres://';
  const { user, host, port, database } = parts;
  const place = host.startsWith('/') ? encodeURIComponent(host) : host;
  return `postgres://${user === '' ? '' : `${encodeURIComponent(user)}@`}${place}:${port}/${database}`;
}

function readParts(text: string) {
  try {
    // A URL cannot have a user without a host, but a socket's address may.
    const { username, hostname, port, pathname, searchParams } = new URL(text.replace(/@(?=\/)/, '@socket'));
    const named = hostname === 'socket' ? '' : decodeURIComponent(hostname);
    return {
      user: searchParams.get('user') ?? decodeURIComponent(username),
      host: searchParams.get('host') ?? named,
      port: searchParams.get('port') ?? (port || DEFAULT_PORT),
      database: decodeURIComponent(pathname.slice(1)),
      sslModes: searchParams.getAll('sslmode'),
    };
  } catch {
    return null;
  }
}
