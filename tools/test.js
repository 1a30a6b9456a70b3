/**
 * `npm test` runs both halves of the tests at the same time, because each of them waits a part of its own: the
 * server tests (Vitest), which are shown as they come, and the browser tests (Playwright), which are shown from
 * their beginning once the server tests are through. It fails if one of them does.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @param {'inherit' | 'pipe'} output @param {string[]} args */
function run(output, ...args) {
  const child = spawn(process.execPath, args, { cwd: PROJECT_FOLDER, stdio: ['ignore', output, output] });
  for (const signal of /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM'])) {
    process.on(signal, () => child.kill(signal));
  }
  return { child, ended: once(child, 'exit').then(([code]) => code === 0) };
}

const browser = run('pipe', 'node_modules/@playwright/test/cli.js', 'test');
/** @type {Buffer[]} What the browser tests have printed while the others are shown. */
const kept = [];
let isShown = false;
for (const stream of [browser.child.stdout, browser.child.stderr]) {
  stream?.on('data', (/** @type {Buffer} */ data) => {
    if (isShown) process.stdout.write(data);
    else kept.push(data);
  });
}

const havePassed = await run('inherit', 'node_modules/vitest/vitest.mjs', 'run').ended;
isShown = true;
for (const data of kept) process.stdout.write(data);
if (!(await browser.ended) || !havePassed) process.exitCode = 1;
