/**
 * The two servers of a comparison as processes: the production build as it is shipped, and the floor. Both are pinned
 * to one core and write their logs to a file each.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#tests/support/running-server.ts';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const SERVER_CORE = '0';
const LOAD_CORE = '1';
const START_PATIENCE_MS = 30_000;

export interface BenchServer {
  readonly url: string;
  readonly databasePath: string;
  /** Resident memory in megabytes. */
  memory(): number;
  /** How long all of its threads have run, in milliseconds; NaN where the system does not say. */
  cpuMs(): number;
  /**
   * The longest that the event loop was held up while `work` ran, in milliseconds, as the server itself measures it.
   * Only of a server that was started with a probe.
   */
  longestDelay(work: () => Promise<void>): Promise<number>;
  /** @throws Error when it does not end in order. */
  stop(): Promise<void>;
}

/** Loaded into a server before its own code: measures the delays of the event loop when it is asked to. */
const PROBE = `
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  const delays = monitorEventLoopDelay({ resolution: 1 });
  process.on('message', (message) => {
    if (message === 'begin') { delays.reset(); delays.enable(); process.send('begun'); }
    else { delays.disable(); process.send(delays.max / 1e6); }
  });
`;

const running = new Set<ChildProcess>();

/** Whether processes can be pinned to cores here. */
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
  const [program = '', ...args] = isPinned ? ['taskset', '-c', core, ...command] : command;
  return [program, args];
}

/** Starts `dist/server/main.js` on a copy of the ledger, as `npm start` does, without rate limits. */
export async function startProduct(
  ledgerPath: string,
  folder: string,
  options: { readonly isProbed?: boolean } = {},
): Promise<BenchServer> {
  const port = await freePort();
  const databasePath = join(folder, `product-${port}.db`);
  copyFileSync(ledgerPath, databasePath);
  const probe = options.isProbed ? ['--import', `data:text/javascript,${encodeURIComponent(PROBE)}`] : [];
  const main = join(PROJECT_FOLDER, 'dist/server/main.js');
  return start(
    [process.execPath, ...probe, main],
    {
      PORT: String(port),
      DATABASE_URL: databasePath,
      RATE_LIMIT: 'off',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    port,
    databasePath,
  );
}

/** Starts the floor on a copy of the ledger. */
export async function startFloor(ledgerPath: string, folder: string): Promise<BenchServer> {
  const port = await freePort();
  const databasePath = join(folder, `floor-${port}.db`);
  copyFileSync(ledgerPath, databasePath);
  const main = join(PROJECT_FOLDER, 'tests/bench/floor.ts');
  return start([process.execPath, main, databasePath, String(port)], {}, port, databasePath);
}

/** Ends what is still running. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

async function start(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  port: number,
  databasePath: string,
): Promise<BenchServer> {
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(`${databasePath}.log`, 'w');
  const child = spawn(...pinned('server', command), {
    cwd: PROJECT_FOLDER,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  await untilAnswering(url, child);
  return {
    url,
    databasePath,

    memory: () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024,

    cpuMs: () => cpuMsOf(child.pid ?? 0),

    async longestDelay(work) {
      child.send('begin');
      await once(child, 'message');
      await work();
      child.send('end');
      const [longest]: unknown[] = await once(child, 'message');
      return Number(longest);
    },

    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code]: unknown[] = await ended;
      if (code !== 0) throw new Error(`a server ended with ${String(code)}: see ${databasePath}.log`);
    },
  };
}

/** proc(5): utime and stime are the 12th and 13th field after the name in brackets, in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
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
