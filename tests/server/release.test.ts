/**
 * A release archive is the product without its sources: it has to start with the packages that its own lock file names.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const lockFile = z.object({ packages: z.record(z.string(), z.unknown()) });

afterAll(stopEverything);

test('a release archive serves every page with no other packages than those that its lock file names', async () => {
  const folder = temporaryFolder();
  const archive = join(folder, 'release.tar.gz');
  execFileSync(process.execPath, [join(PROJECT_FOLDER, 'tools/release.js'), archive], { stdio: 'pipe' });
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  const release = join(folder, readdirSync(folder).find((name) => name.startsWith('tipwell-')) ?? '');

  const { packages } = lockFile.parse(JSON.parse(readFileSync(join(release, 'package-lock.json'), 'utf8')));
  expect(packages).toHaveProperty(['node_modules/hono']);
  expect(packages).not.toHaveProperty(['node_modules/vite']);
  for (const path of Object.keys(packages)) {
    const isOfAnother = path.lastIndexOf('node_modules/') > 0;
    // Packages for other platforms are named as well, and not installed.
    if (path === '' || isOfAnother || !existsSync(join(PROJECT_FOLDER, path))) continue;
    mkdirSync(dirname(join(release, path)), { recursive: true });
    symlinkSync(join(PROJECT_FOLDER, path), join(release, path));
  }

  // Otherwise Node.js follows the links to the project, and finds all of its packages there.
  const options = ['--preserve-symlinks', '--preserve-symlinks-main'];
  const { url, stop } = await startServer({}, [...options, join(release, 'dist/server/main.js')]);
  for (const path of [
    '/',
    '/auth',
    '/tip/demo-alex-bartender',
    '/dashboard',
    '/readyz',
    '/api/docs/swagger-ui.css',
  ])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  expect(await stop()).toEqual({ code: 0, signal: null });
});
