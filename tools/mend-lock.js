/**
 * `npm run lock:mend` corrects the entries of package-lock.json for packages of one platform (decision 014).
 * Run it whenever `npm install` has changed the file: npm drops a correction when it locks another version of
 * the package.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ optional?: boolean | undefined, os?: unknown, engines?: unknown }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lock
 */

/**
 * Adds `libc` to the packages of Node.js for Linux, which need glibc and do not declare it: on musl they
 * would shadow the machine's own Node.js and not run. Removes `engines` from packages for one platform, so
 * that npm installs them even when the Node.js that runs npm is too old for them: they run on the Node.js
 * that npm installs.
 * @param {Lock} lock
 * @returns {Lock}
 */
export function mended(lock) {
  const packages = Object.entries(lock.packages).map(([path, entry]) => {
    if (!entry.optional || entry.os === undefined) return [path, entry];
    const { engines, ...rest } = entry;
    return [path, path.startsWith('node_modules/node-linux-') ? { ...rest, libc: ['glibc'] } : rest];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(dirname(fileURLToPath(import.meta.url)), '../package-lock.json');
  writeFileSync(path, `${JSON.stringify(mended(JSON.parse(readFileSync(path, 'utf8'))), null, 2)}\n`);
}
