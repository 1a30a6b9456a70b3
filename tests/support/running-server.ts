/**
 * The production build as a process of its own, for what only a process can show: starting, stopping, being
 * killed. Each server has a free port and a temporary folder; `stopEverything` ends what a test file leaves
 * running.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratedContents } from './migrated-contents.ts';

export const PROGRAM = join(import.meta.dirname, '../../dist/server/main.js');
/** What `npm start`, the unit and the image set for glibc. */
export const ARENAS = { MALLOC_ARENA_MAX: '2' };
/** Node.js keeps there what it has compiled, which saves each further start a fifth of its CPU time. */
export const COMPILED = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compiled'),
};
const READY_LINE = / is ready at (http\S+)/;
const START_PATIENCE_MS = 60_000;
/** Of the ports below, browsers refuse some, such as 10080. */
const LOWEST_PORT = 20_000;
/** On Linux; other systems begin higher (RFC 6335, section 6). */
const FIRST_EPHEMERAL_PORT = 32_768;
/** Another process may take the free port before the server does. */
const MAX_PORT_ATTEMPTS = 3;
/** A check or a backup that a killed server ran apart may still write into the folder that is removed. */
const FOR_CHILDREN = { maxRetries: 10, retryDelay: 100 };

export type Environment = Readonly<Record<string, string>>;

/** How a process ended: with a code of its own, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /**
   * The database file, or the address of the database. Hand it in as DATABASE_URL to start again on the same
   * data.
   */
  readonly databasePath: string;
  readonly process: ChildProcess;
  /** Sends the signal and waits for the end; a server that has ended already answers how. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
  stdout(): string;
  stderr(): string;
}

interface Watched {
  readonly child: ChildProcess;
  readonly ending: Promise<Ending>;
  stdout(): string;
  stderr(): string;
}

const running = new Set<Watched>();
const folders: string[] = [];

/** Ends what is still running and removes the folders; for the end of a test file. */
export async function stopEverything(): Promise<void> {
  for (const { child, ending } of running) {
    child.kill('SIGKILL');
    await ending;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, ...FOR_CHILDREN });
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tipwell-test-'));
  folders.push(folder);
  return folder;
}

/**
 * Starts `dist/server/main.js` and waits until it says that it is ready. By default without rate limits,
 * silent, on a free port and an empty database, which is migrated already unless DATABASE_URL names another: that
 * takes a fifth of a start.
 * @param program what Node.js runs, with its options; another build in place of this one's.
 * @throws Error with what it wrote when it ends instead.
 */
export async function startServer(env: Environment = {}, program = [PROGRAM]): Promise<RunningServer> {
  const folder = temporaryFolder();
  const databasePath = env['DATABASE_URL'] ?? join(folder, 'tipwell.db');
  // Another build may have fewer migrations.
  if (env['DATABASE_URL'] === undefined && program[0] === PROGRAM)
    writeFileSync(databasePath, migratedContents(), { mode: 0o600 });
  for (let attempt = 1; ; attempt += 1) {
    const port = env['PORT'] === undefined ? await freePort() : Number(env['PORT']);
    const url = `http://127.0.0.1:${port}`;
    const watched = launch(program, folder, {
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'silent',
      PUBLIC_URL: url,
      ...env,
      PORT: String(port),
      DATABASE_URL: databasePath,
    });
    if (await isReady(watched)) {
      const { child, ending, stdout, stderr } = watched;
      return {
        url,
        port,
        databasePath,
        process: child,
        stop: (signal = 'SIGTERM') => {
          child.kill(signal);
          return ending;
        },
        stdout,
        stderr,
      };
    }
    const isPortTaken = watched.stderr().includes('already in use') && env['PORT'] === undefined;
    if (!isPortTaken || attempt === MAX_PORT_ATTEMPTS) {
      const { code, signal } = await watched.ending;
      throw new Error(`the server ended with ${code ?? signal}: ${watched.stderr()}${watched.stdout()}`);
    }
  }
}

/** Runs one of the operator's commands, or a server that ends by itself, to its end. */
export async function runToEnd(
  what:
    | 'serve'
    | 'account'
    | 'db-backup'
    | 'db-check'
    | 'db-keep-backups'
    | 'db-move'
    | 'db-restore'
    | 'fees'
    | 'mail'
    | 'operator'
    | 'reports',
  env: Environment = {},
  args: readonly string[] = [],
  folder = temporaryFolder(),
): Promise<Ending & { readonly stdout: string; readonly stderr: string }> {
  const { ending, stdout, stderr } = launch(
    [PROGRAM, ...(what === 'serve' ? [] : [what]), ...args],
    folder,
    env,
  );
  const { code, signal } = await ending;
  return { code, signal, stdout: stdout(), stderr: stderr() };
}

/** What a log says of the steps of a start, in the order of its lines, until the server listens. */
export function stepsIn(log: string): object[] {
  const lines = log.slice(0, log.indexOf('"msg":"listening"')).split('\n').slice(0, -1);
  return lines.map((line) => {
    const { level: _level, time: _time, ...step } = JSON.parse(line);
    return step;
  });
}

/**
 * A port of 127.0.0.1 on which nothing listens. It lies below those that a system gives to outgoing connections
 * and to whoever asks for any port, so that none of these takes it before the server does.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, FIRST_EPHEMERAL_PORT);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Only what is given: neither the settings of whoever runs the tests nor a `.env` beside them may matter. */
function launch(args: readonly string[], folder: string, env: Environment): Watched {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...ARENAS, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ending = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const watched = {
    child,
    ending,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
  running.add(watched);
  void ending.then(() => running.delete(watched));
  return watched;
}

/** Waits for the ready line; false when the process ended without one. */
async function isReady({ child, ending, stdout, stderr }: Watched): Promise<boolean> {
  const isDone = new AbortController();
  const ready = new Promise<boolean>((resolve) => {
    child.stdout?.on('data', () => {
      if (READY_LINE.test(stdout())) resolve(true);
    });
  });
  const tooLate = sleep(START_PATIENCE_MS, undefined, { signal: isDone.signal }).then(
    () => {
      child.kill('SIGKILL');
      throw new Error(`the server said nothing of being ready: ${stderr()}${stdout()}`);
    },
    () => false,
  );
  try {
    return await Promise.race([ready, ending.then(() => false), tooLate]);
  } finally {
    isDone.abort();
  }
}
