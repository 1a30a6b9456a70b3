/**
 * Builds the product unless dist/ was built from exactly the present sources, so that `npm start` works after
 * a clone or an update, and starts at once the next time.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join(PROJECT_FOLDER, 'dist/sources.sha256');
const CLIENT = join(PROJECT_FOLDER, 'dist/client');
/** The files of the previous client, for pages that were opened before the build. */
const EARLIER = join(PROJECT_FOLDER, 'dist/earlier');
const FOLDERS = ['src', 'drizzle'];
const SOURCES = [
  ...FOLDERS,
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'tools/build-if-needed.js',
];

/** @returns {string} */
function fingerprint() {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((source) =>
    FOLDERS.includes(source)
      ? readdirSync(join(PROJECT_FOLDER, source), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [join(PROJECT_FOLDER, source)],
  );
  for (const file of files.sort())
    hash.update(`${file.slice(PROJECT_FOLDER.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

const wanted = fingerprint();
if (!existsSync(CLIENT) || !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wanted) {
  process.stdout.write('Building ...\n');
  if (existsSync(STAMP)) {
    // A kill before the renaming repeats it; after it, the client that is missing asks for a build by itself.
    if (existsSync(CLIENT)) {
      rmSync(EARLIER, { recursive: true, force: true });
      renameSync(CLIENT, EARLIER);
    }
    // Without the stamp, a build that fails half-way is repeated.
    rmSync(STAMP);
  }
  const vite = join(PROJECT_FOLDER, 'node_modules/vite/bin/vite.js');
  const build = spawnSync(process.execPath, [vite, 'build', '--app', '--logLevel', 'warn'], {
    cwd: PROJECT_FOLDER,
    stdio: 'inherit',
    // With a test runner's NODE_ENV, Vite would build React for development.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (build.status !== 0) process.exit(build.status ?? 1);
  writeFileSync(STAMP, wanted);
}
