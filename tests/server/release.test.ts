/**
 * A release archive is the product without its sources: it has to do its work with the packages that its own
 * lock file names, and with what is left of them once it is trimmed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { drawPhoto } from '#tests/support/photos.ts';
import { call, createCode, enter } from '#tests/support/rest-client.ts';
import { startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const MAX_INSTALLED_MB = 290;
const lockFile = z.object({ packages: z.record(z.string(), z.unknown()) });
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

afterAll(stopEverything);

/** An archive of this build, unpacked. */
function unpackRelease(): string {
  const folder = temporaryFolder();
  const archive = join(folder, 'release.tar.gz');
  execFileSync(process.execPath, [join(PROJECT_FOLDER, 'tools/release.js'), archive], { stdio: 'pipe' });
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  expect(readdirSync(folder).sort()).toEqual(['release.tar.gz', `tipwell-${version}`]);
  return join(folder, `tipwell-${version}`);
}

/**
 * Gives it the packages that its lock file names, as `npm ci` would: the files of the project's own, linked
 * so that none is copied.
 */
function installPackages(release: string): void {
  const { packages } = lockFile.parse(JSON.parse(readFileSync(join(release, 'package-lock.json'), 'utf8')));
  expect(packages).toHaveProperty(['node_modules/hono']);
  expect(packages).not.toHaveProperty(['node_modules/vite']);
  // Packages for other platforms are named as well, and not installed.
  const paths = Object.keys(packages).filter(
    (path) => path.startsWith('node_modules/') && path.lastIndexOf('node_modules/') === 0 && existsSync(path),
  );
  const linked = spawnSync('cp', ['-al', '--parents', ...paths, release], { cwd: PROJECT_FOLDER });
  // Elsewhere, or on another disk.
  if (linked.status !== 0)
    for (const path of paths) cpSync(realpathSync(path), join(release, path), { recursive: true });
}

function runScript(release: string, name: string, words: readonly string[] = []) {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(release, 'package.json'), 'utf8')));
  const [, ...args] = scripts[name]?.split(' ') ?? [];
  return spawnSync(process.execPath, [...args, ...words], { cwd: release, encoding: 'utf8', env: {} });
}

test('an installed and trimmed release stays below 290 MB and does all that the product does', async () => {
  const release = unpackRelease();
  installPackages(release);
  expect(runScript(release, 'trim')).toMatchObject({ status: 0, stderr: '' });
  const [size = ''] = execFileSync('du', ['-sm', release], { encoding: 'utf8' }).split('\t');
  expect(Number(size)).toBeLessThanOrEqual(MAX_INSTALLED_MB);
  expect(readFileSync(join(release, 'CHANGELOG.md'))).toEqual(readFileSync('CHANGELOG.md'));
  expect(runScript(release, 'start', ['--version']).stdout).toBe(`Tipwell ${version}\n`);

  const program = join(release, 'dist/server/main.js');
  const server = await startServer({ PUBLIC_URL: 'https://tips.example.com' }, [program]);
  for (const path of [
    '/',
    '/auth',
    '/tip/demo-alex-bartender',
    '/dashboard',
    '/readyz',
    '/api/openapi.json',
    '/api/docs',
    '/api/docs/swagger-ui.css',
    '/api/docs/swagger-ui-bundle.js',
    '/api/docs/start.js',
  ])
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);

  const pat = await enter(server, 'pat', ['bartender']);
  const cam = await enter(server, 'cam');
  const code = await createCode(server, pat.token, 'bartender');
  const photo = await fetch(`${server.url}/api/qr-codes/${code}/photo`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${pat.token}`, 'Content-Type': 'image/jpeg' },
    body: new Uint8Array(await drawPhoto()),
  });
  expect(photo.status).toBe(200);
  const sheet = await fetch(`${server.url}/api/qr-codes/${code}/print/table-tent.pdf?paper=letter`, {
    headers: { Authorization: `Bearer ${pat.token}` },
  });
  expect([sheet.status, (await sheet.text()).slice(0, 5)]).toEqual([200, '%PDF-']);
  const body = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
  expect(await call(server, '/transactions', { token: cam.token, body })).toMatchObject({ status: 201 });

  const backup = join(temporaryFolder(), 'backup.db');
  const words = [program, 'db-backup', backup];
  const env = { DATABASE_URL: server.databasePath };
  const made = spawnSync(process.execPath, words, { encoding: 'utf8', env });
  expect(made).toMatchObject({ status: 0, stdout: expect.stringContaining('a ledger of 1 tip.') });
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});

test('a clone is never trimmed, because it builds with what would be removed', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/trim.js'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'This is a clone, which builds and tests with what would be removed.\n',
  });
});
