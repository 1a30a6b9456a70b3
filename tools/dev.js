/**
 * `npm run dev` serves the client with hot reload at http://localhost:3000 and runs the server behind it, on
 * the next port, which restarts when its sources change, also after it ended by an error. When one of the two
 * processes ends, the other is stopped too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');
const PORT = process.env.PORT ?? '3000';
const SERVER_PORT = String(Number(PORT) + 1);

/** @param {string[]} args @param {Record<string, string>} env */
function run(args, env) {
  const child = spawn(process.execPath, args, {
    cwd: PROJECT_FOLDER,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  child.once('exit', (code) => {
    for (const other of children) other.kill('SIGTERM');
    process.exitCode ??= code ?? 0;
  });
  return child;
}

/** The client would pass what it is asked, logins among it, to whichever other program has the server's port. */
async function refuseTakenPort() {
  const probe = createServer().listen(Number(SERVER_PORT), '127.0.0.1');
  try {
    await once(probe, 'listening');
    probe.close();
  } catch (error) {
    console.error(`npm run dev needs the ports ${PORT} and ${SERVER_PORT}; PORT names others. ${error}`);
    process.exit(1);
  }
}

await refuseTakenPort();
const children = [
  run(
    [
      '--watch-path=src/server',
      '--watch-path=src/shared',
      '--watch-path=drizzle',
      '--watch-preserve-output',
      'src/server/main.ts',
    ],
    {
      PORT: SERVER_PORT,
      PUBLIC_URL: process.env.PUBLIC_URL ?? `http://localhost:${PORT}`,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    },
  ),
  run(['node_modules/vite/bin/vite.js', '--port', PORT, '--strictPort', '--clearScreen', 'false'], {
    SERVER_PORT,
  }),
];
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
