/**
 * `npm run release [-- FILE]` writes a release archive, by default dist/tipwell-VERSION.tar.gz: the built
 * product with a package.json and a lock file of only the packages that the server loads. Unpacked anywhere,
 * it starts with `npm ci && npm start`; `npm run trim` removes unused files of the packages.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');
const CONTENTS = [
  'dist/client',
  'dist/operator',
  'dist/render',
  'dist/server',
  'tools/run.js',
  'tools/trim.js',
  // The launcher imports this file to refuse a Node.js that is too old.
  'src/server/old-node.js',
  'deploy',
  'docs',
  '.env.example',
  '.npmrc',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
];

/**
 * @typedef {{ dev?: boolean, devOptional?: boolean, peerDependencies?: object, [member: string]: unknown }}
 *   LockedPackage
 */

/**
 * The compiler is a peer of @trpc/server for its declarations alone. npm installs peers of the lock file,
 * which would be 32 MB without use.
 */
const COMPILER = /^node_modules\/(?:typescript$|@typescript\/)/;

/**
 * The lock file without the packages that only building and testing need. npm marks a package that an
 * optional dependency and a development dependency share as `devOptional`; without development dependencies
 * it is `optional`.
 * @param {{ packages: Record<string, LockedPackage>, [member: string]: unknown }} lock
 */
function lockOfServer({ packages, ...lock }) {
  const kept = Object.entries(packages)
    .filter(([path, { dev }]) => !dev && !COMPILER.test(path))
    .map(([path, { devOptional, devDependencies: _, peerDependencies, ...entry }]) => {
      const peers = Object.entries(peerDependencies ?? {}).filter(([name]) => name !== 'typescript');
      return [
        path,
        {
          ...entry,
          ...(devOptional && { optional: true }),
          ...(peers.length > 0 && { peerDependencies: Object.fromEntries(peers) }),
        },
      ];
    });
  return { ...lock, packages: Object.fromEntries(kept) };
}

/**
 * The part of package.json for `npm start` and the operator's commands; none of its scripts builds.
 * @param {Record<string, unknown> & { scripts: Record<string, string> }} described
 */
function packageOfServer({ name, version, description, license, type, engines, scripts, ...described }) {
  const kept = Object.entries(scripts).filter(([, command]) => / dist\/server\/main\.js\b/.test(command));
  return {
    name,
    version,
    private: true,
    description,
    license,
    type,
    engines,
    dependencies: described.dependencies,
    optionalDependencies: described.optionalDependencies,
    scripts: {
      ...Object.fromEntries(
        kept.map(([script, command]) => [script, command.replace('--built', '--as-built')]),
      ),
      trim: 'node tools/run.js tools/trim.js',
    },
    scarfSettings: described.scarfSettings,
  };
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(join(PROJECT_FOLDER, file), 'utf8'));
}

const described = packageOfServer(readJson('package.json'));
const name = `${described.name}-${described.version}`;
const archive = resolve(process.argv[2] ?? join(PROJECT_FOLDER, 'dist', `${name}.tar.gz`));
const staging = mkdtempSync(join(tmpdir(), 'release-'));
try {
  const folder = join(staging, name);
  for (const path of CONTENTS) cpSync(join(PROJECT_FOLDER, path), join(folder, path), { recursive: true });
  const write = (/** @type {string} */ file, /** @type {unknown} */ content) =>
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
  write('package.json', described);
  write('package-lock.json', lockOfServer(readJson('package-lock.json')));
  const { status } = spawnSync('tar', ['-czf', archive, '-C', staging, name], { stdio: 'inherit' });
  if (status !== 0) throw new Error('tar could not write the archive');
} finally {
  rmSync(staging, { recursive: true, force: true });
}
process.stdout.write(`${archive} (${(statSync(archive).size / 1e6).toFixed(1)} MB)\n`);
