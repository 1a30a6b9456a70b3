/**
 * The two servers of a comparison as processes: the production build as it is shipped, and the floor. Both
 * are pinned to one core and write their logs to a file each.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { READING_DELAY_MS } from '#server/backups.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { MAX_WEBHOOKS } from '#shared/event-types.ts';
import { childrenOf } from '#tests/support/process-family.ts';
import { ARENAS, freePort } from '#tests/support/running-server.ts';
import { copyForFloor } from './floor-ledger.ts';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const SERVER_CORE = '0';
const LOAD_CORE = '1';
const START_PATIENCE_MS = 30_000;

export interface BenchServer {
  readonly url: string;
  /** A path or an address. */
  readonly database: string;
  memory(): number;
  /** Processor time of all threads in milliseconds; NaN where the system does not tell. */
  cpuMs(): number;
  /**
   * The longest that the event loop was held up while `work` ran, in milliseconds, as the server itself
   * measures it. Only of a server that was started with a probe.
   */
  longestDelay(work: () => Promise<void>): Promise<number>;
  /** Waits until the process that reads all data after a start has ended, as far as the system tells. */
  untilAllIsRead(): Promise<void>;
  stop(): Promise<void>;
}

const PROBE = `
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  const delays = monitorEventLoopDelay({ resolution: 1 });
  process.on('message', (message) => {
    if (message === 'begin') { delays.reset(); delays.enable(); process.send('begun'); }
    else { delays.disable(); process.send(delays.max / 1e6); }
  });
`;

const running = new Set<ChildProcess>();

export const isPinned = has('taskset', '-V');

export function has(program: string, option: string): boolean {
  try {
    execFileSync(program, [option], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // wrk prints its version and fails.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

/** A command line that runs on the core of the servers or on that of the load. */
export function pinned(to: 'server' | 'load', command: readonly string[]): readonly [string, string[]] {
  const core = to === 'server' ? SERVER_CORE : LOAD_CORE;
  return asIs(isPinned ? ['taskset', '-c', core, ...command] : command);
}

function asIs([program = '', ...args]: readonly string[]): readonly [string, string[]] {
  return [program, args];
}

export interface ProductOptions {
  readonly isProbed?: boolean;
  /** Uses every core instead of the servers' own. */
  readonly isFree?: boolean;
  /** Sends mail, to a server that is not there. */
  readonly isMailing?: boolean;
  /** These accounts have five webhooks each, to a server that is not there. */
  readonly withDeadWebhooks?: readonly string[];
}

/**
 * Starts `dist/server/main.js` on a copy of the ledger, as `npm start` does, without rate limits. It answers once all
 * data was read, which a start does soon after, on the same core.
 */
export async function startProduct(
  ledgerPath: string,
  folder: string,
  options: ProductOptions = {},
): Promise<BenchServer> {
  const path = await copyOf(ledgerPath, folder, 'product');
  for (const userId of options.withDeadWebhooks ?? []) addDeadWebhooks(path, userId);
  const product = await startProductOn(path, folder, options);
  await product.untilAllIsRead();
  return product;
}

export async function startProductOn(
  database: string,
  folder: string,
  { isProbed = false, isFree = false, isMailing = false, withDeadWebhooks = [] }: ProductOptions = {},
): Promise<BenchServer> {
  const port = await freePort();
  const probe = isProbed ? ['--import', `data:text/javascript,${encodeURIComponent(PROBE)}`] : [];
  const main = join(PROJECT_FOLDER, 'dist/server/main.js');
  const command = [process.execPath, ...probe, main];
  const env = {
    PORT: String(port),
    DATABASE_URL: database,
    RATE_LIMIT: 'off',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...(isMailing && { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'tips@example.com' }),
    ...(withDeadWebhooks.length > 0 && { WEBHOOK_LOOPBACK: 'on' }),
  };
  return start(isFree ? asIs(command) : pinned('server', command), env, { port, database, folder });
}

function addDeadWebhooks(path: string, userId: string): void {
  const database = openDatabase(path, { mustExist: true });
  const add = database.prepare(
    `INSERT INTO webhooks (id, user_id, url, kinds, secret, created_at_ms, position, number, is_told,
       next_try_ms, tries, claimed_until_ms, delivery_count)
     SELECT 'whk_' || ? || substr(id, 6), id, 'http://127.0.0.1:9/tips', 'tip.received', zeroblob(32), 0,
       last_position, 0, 1, 0, 0, 0, 0
     FROM accounts WHERE id = ?`,
  );
  for (let count = 0; count < MAX_WEBHOOKS; count += 1)
    if (add.run(count, userId).changes !== 1) throw new Error(`${userId} is no account`);
  database.close();
}

export async function startFloor(ledgerPath: string, folder: string): Promise<BenchServer> {
  const path = join(mkdtempSync(join(folder, 'floor-')), 'tipwell.db');
  copyForFloor(ledgerPath, path);
  return startFloorOn('floor.ts', path, folder);
}

export async function startFloorOn(
  floor: 'floor.ts' | 'floor-postgres.ts',
  database: string,
  folder: string,
): Promise<BenchServer> {
  const port = await freePort();
  const main = join(PROJECT_FOLDER, 'tests/bench', floor);
  const command = pinned('server', [process.execPath, main, database, String(port)]);
  return start(command, {}, { port, database, folder });
}

async function copyOf(ledgerPath: string, folder: string, name: string): Promise<string> {
  const path = join(mkdtempSync(join(folder, `${name}-`)), 'tipwell.db');
  copyFileSync(ledgerPath, path);
  return path;
}

export function killServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

async function start(
  command: readonly [string, string[]],
  env: Readonly<Record<string, string>>,
  { port, database, folder }: { readonly port: number; readonly database: string; readonly folder: string },
): Promise<BenchServer> {
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, `${port}.log`);
  const log = openSync(logPath, 'w');
  const child = spawn(...command, {
    cwd: PROJECT_FOLDER,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...ARENAS, ...env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  await untilAnswering(url, child);
  return {
    url,
    database,

    memory: () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024,

    cpuMs: () => stateOf(child.pid ?? 0)?.cpuMs ?? Number.NaN,

    async longestDelay(work) {
      child.send('begin');
      await once(child, 'message');
      await work();
      child.send('end');
      const [longest]: unknown[] = await once(child, 'message');
      return Number(longest);
    },

    async untilAllIsRead() {
      // It begins a while after the start.
      await sleep(2 * READING_DELAY_MS);
      while (childrenOf(child.pid ?? 0).length > 0) await sleep(500);
    },

    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code]: unknown[] = await ended;
      if (code !== 0) throw new Error(`a server ended with ${String(code)}: see ${logPath}`);
    },
  };
}

export interface ProcessState {
  readonly parentPid: number;
  readonly cpuMs: number;
  readonly cpuMsOfEnded: number;
}

/**
 * Reads proc(5): of the fields after the name in brackets the second is the parent, the 12th and 13th are the
 * work of the process and the 14th and 15th that of its children, in hundredths of a second.
 * @returns null for a process that has ended, and where the system does not say.
 */
export function stateOf(pid: number): ProcessState | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  const fields = text.split(') ')[1]?.split(' ').map(Number) ?? [];
  const sum = (first: number) => 10 * ((fields[first] ?? Number.NaN) + (fields[first + 1] ?? Number.NaN));
  return { parentPid: fields[1] ?? Number.NaN, cpuMs: sum(11), cpuMsOfEnded: sum(13) };
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_PATIENCE_MS;
  for (;;) {
    try {
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
