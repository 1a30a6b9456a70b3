/** Runs pg_dump and pg_restore. The password is passed in the environment, because command lines are public. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { DatabaseRefused } from '../port/database.ts';

/** Debian installs each version in its own folder and puts only one on PATH. */
const FOLDERS_OF_VERSIONS = '/usr/lib/postgresql/*/bin';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** An address's parameters about encryption, which the programs read from the environment. */
const ENCRYPTION = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

/** The first version that knows `transaction_timeout`, which its pg_restore sets on a server of any version. */
const FIRST_WITH_TRANSACTION_TIMEOUT = 17;

/**
 * Finds programs of the server's version or the next newer one, since older ones refuse a newer server.
 * @throws DatabaseRefused when there are none, saying what to do instead.
 */
export async function findTools(
  client: Client,
  url: string,
  purpose: string,
  folders: readonly string[] = foldersOfThisMachine(),
) {
  const wanted = await readServerVersion(client);
  const found = await Promise.all([...new Set(folders)].map(readVersion));
  const [best] = found
    .filter((tools) => tools !== null)
    .filter(({ version }) => version >= wanted)
    .sort((one, other) => one.version - other.version);
  if (!best) {
    throw new DatabaseRefused(
      `${purpose}: that takes pg_dump and pg_restore of PostgreSQL ${wanted} (or newer), the version of its server, and neither PATH nor ${FOLDERS_OF_VERSIONS} has them. Install them here (on Debian: the package postgresql-client-${wanted}, of Debian itself or of apt.postgresql.org), or run this command with the same DATABASE_URL on a machine that has them.`,
    );
  }
  const { folder, version } = best;
  const setsWhatServerLacks =
    version >= FIRST_WITH_TRANSACTION_TIMEOUT && wanted < FIRST_WITH_TRANSACTION_TIMEOUT;
  const env = environmentOf(client, url);
  async function start(program: string, words: readonly string[], signal?: AbortSignal): Promise<string> {
    try {
      const options = { env, maxBuffer: MAX_OUTPUT_BYTES, ...(signal && { signal }) };
      const { stdout } = await run(join(folder, program), words, options);
      return stdout;
    } catch (error) {
      throw new DatabaseRefused(`${purpose}: ${reasonOf(error)}`, { cause: error });
    }
  }
  // Another server has other roles.
  const bare = ['--no-password', '--no-owner', '--no-privileges'];
  return {
    /** @param signal ends the program, which would go on for as long as the whole dump takes. */
    async dump(file: string, snapshot: string, signal: AbortSignal): Promise<void> {
      const what = ['--format=custom', '--schema=tipwell', `--snapshot=${snapshot}`, `--file=${file}`];
      await start('pg_dump', [...bare, ...what], signal);
    },

    list: async (file: string) => (await start('pg_restore', ['--list', file])).split('\n'),

    async restore(file: string, lines: readonly string[]): Promise<void> {
      const temporary = mkdtempSync(join(tmpdir(), 'tipwell-restore-'));
      try {
        const list = join(temporary, 'list');
        writeFileSync(list, lines.join('\n'));
        const words = [...bare, `--use-list=${list}`, `--dbname=${env['PGDATABASE'] ?? ''}`, file];
        if (!setsWhatServerLacks)
          await start('pg_restore', ['--single-transaction', '--exit-on-error', ...words]);
        // Each error is counted instead, and one is foreseen; the mark of the restore stands for the transaction.
        else
          await start('pg_restore', words).catch((error: unknown) => {
            if (!isOnlyUnknownParameter(error)) throw error;
          });
      } finally {
        rmSync(temporary, { recursive: true, force: true });
      }
    },
  };
}

function foldersOfThisMachine(): string[] {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...globSync(FOLDERS_OF_VERSIONS)];
}

function isOnlyUnknownParameter(error: unknown): boolean {
  const said = error instanceof DatabaseRefused ? error.message : '';
  return (
    said.includes('Command was: SET transaction_timeout = 0;') &&
    said.endsWith('errors ignored on restore: 1')
  );
}

async function readServerVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
  );
  return rows[0]?.version ?? Number.POSITIVE_INFINITY;
}

async function readVersion(folder: string): Promise<{ folder: string; version: number } | null> {
  try {
    const answers = await Promise.all(
      ['pg_dump', 'pg_restore'].map((program) => run(join(folder, program), ['--version'])),
    );
    const versions = answers.map(({ stdout }) => Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]));
    return versions.every((version) => version === versions[0] && version > 0)
      ? { folder, version: Math.min(...versions) }
      : null;
  } catch {
    return null;
  }
}

function environmentOf({ host, port, user, database, password }: Client, url: string): NodeJS.ProcessEnv {
  const { searchParams } = new URL(url.replace(/@(?=\/)/, '@socket'));
  const encryption = ENCRYPTION.flatMap((parameter) => {
    const value = searchParams.get(parameter);
    return value === null ? [] : [[`PG${parameter.toUpperCase()}`, value]];
  });
  return {
    ...process.env,
    // Their messages are matched here, and so must not be translated.
    LC_ALL: 'C',
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    ...(typeof password === 'string' && { PGPASSWORD: password }),
    ...Object.fromEntries(encryption),
  };
}

/** The program's own message, because Node's repeats the command line. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  if (said !== '') return said;
  return error instanceof Error ? error.message : String(error);
}
