/**
 * `npm run lock:mend`, after `npm install` has changed package-lock.json: writes into it what npm ought to know of packages for
 * one platform, and does not. npm keeps it until it locks another version of the package.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ optional?: boolean | undefined, os?: unknown, engines?: unknown }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lock
 */

/**
 * The Node.js for Linux needs glibc, which its packages do not say: with musl it would stand before the machine's own, and not
 * run. And npm must not leave out a package for this platform because the Node.js that runs npm is too old for it: it will be
 * used by the one that npm brings.
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
