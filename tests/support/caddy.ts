/** The real Caddy, with a file of deploy/ as an operator installs it, in front of servers of this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, temporaryFolder } from './running-server.ts';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

/** What stands in deploy/Caddyfile and is the operator's to replace. */
const EXAMPLE_SITE = 'tips.example.com';
const EXAMPLE_UPSTREAM = '127.0.0.1:3000';
/** Where Debian's Caddy may write. */
const LOG_FOLDER = '/var/log/caddy';

export type ShippedCaddyfile = 'deploy/Caddyfile' | 'deploy/Caddyfile.two';

export interface RunningCaddy {
  readonly url: string;
  accessLog(): string;
  /**
   * What it has written to its standard error, which is the journal where systemd runs it; its beginning
   * where that is long.
   */
  ownLog(): string;
  stop(): Promise<void>;
}

export function installedCaddy(): string | null {
  const { error, stdout } = spawnSync('caddy', ['version'], { encoding: 'utf8' });
  return error ? null : stdout.trim();
}

/**
 * Starts Caddy with a shipped file, over plain http at a free port, since certificates are not what the tests
 * are about.
 * @param ports of the servers that it leads to.
 * @throws Error with what Caddy wrote when it does not start.
 */
export async function startCaddy(path: ShippedCaddyfile, ports: readonly number[]): Promise<RunningCaddy> {
  const folder = temporaryFolder();
  const url = `http://127.0.0.1:${await freePort()}`;
  const listed = (each: readonly number[]) => each.map((port) => `127.0.0.1:${port}`).join(' ');
  const upstreams = listed(ports);
  const config = join(folder, 'Caddyfile');
  const shipped = readFileSync(path, 'utf8').replace(`${LOG_FOLDER}/`, `${folder}/`);
  // Caddyfile.two reads them from the environment.
  const addressed =
    path === 'deploy/Caddyfile'
      ? shipped.replace(`${EXAMPLE_SITE} {`, () => `${url} {`).replace(EXAMPLE_UPSTREAM, upstreams)
      : shipped;
  writeFileSync(config, addressed);
  const caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      CADDY_ADMIN: `unix/${join(folder, 'admin.sock')}`,
      SITE: url,
      UPSTREAMS: upstreams,
      UPSTREAMS_BACKWARDS: listed(ports.toReversed()),
      AWAY_PORT: String(await freePort()),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  caddy.stderr.setEncoding('utf8').on('data', (text: string) => {
    // It writes a line for each request that it could not pass on.
    if (said.length < 20_000) said += text;
  });
  const ended = new Promise<void>((resolve) => {
    caddy.once('error', () => resolve());
    caddy.once('close', () => resolve());
  });
  const end = () => caddy.kill('SIGKILL');
  process.once('exit', end);
  const stop = async () => {
    end();
    await ended;
    process.off('exit', end);
  };
  const givesUpAtMs = performance.now() + PATIENCE_MS;
  while (!(await answers(`${url}/healthz`))) {
    if (caddy.exitCode !== null || performance.now() > givesUpAtMs) {
      await stop();
      throw new Error(`Caddy does not start: ${said}`);
    }
    await sleep(PAUSE_MS);
  }
  const accessLog = () => readFileSync(join(folder, 'tipwell.log'), 'utf8');
  return { url, accessLog, ownLog: () => said, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
