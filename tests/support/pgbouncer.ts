/** The real PgBouncer in front of a PostgreSQL of the tests. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, temporaryFolder } from './running-server.ts';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

export interface RunningPgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

export function hasPgBouncer(): boolean {
  return spawnSync('pgbouncer', ['--version']).error === undefined;
}

/**
 * Starts PgBouncer before the server of a database.
 * @param settings of pgbouncer.ini, by their names.
 * @throws Error with what it wrote when it does not start.
 */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<RunningPgBouncer> {
  const target = new URL(databaseUrl);
  const folder = temporaryFolder();
  const port = await freePort();
  const users = join(folder, 'users');
  writeFileSync(users, `"${target.username}" "${target.password}"\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    ignore_startup_parameters: 'extra_float_digits',
    ...settings,
  };
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]\n* = host=${target.hostname} port=${target.port}\n[pgbouncer]\n${Object.entries(all)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    for (const [path, mode] of [
      [folder, 0o755],
      [config, 0o644],
      [users, 0o644],
    ] as const)
      chmodSync(path, mode);
  const program = spawn('pgbouncer', [...(isRoot ? ['--user=nobody'] : []), config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => program.once('close', () => resolve()));
  for (const patienceEndsAt = performance.now() + PATIENCE_MS; !(await isListening(port)); ) {
    if (program.exitCode !== null || performance.now() > patienceEndsAt) throw new Error(said);
    await sleep(PAUSE_MS);
  }
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    stop() {
      program.kill('SIGKILL');
      return ended;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
