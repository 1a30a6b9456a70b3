/** What `npm start` builds before it starts, and what it makes of a build that was broken off. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '#tests/support/running-server.ts';

/** In the place of Vite: a client that says which sources it was built from. */
const BUILDER = `
  import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  mkdirSync('dist/client', { recursive: true });
  writeFileSync('dist/client/of.txt', readFileSync('src/main.ts'));`;

function createProject() {
  const folder = temporaryFolder();
  for (const path of ['tools', 'src', 'drizzle', 'node_modules/vite/bin', 'dist'])
    mkdirSync(join(folder, path), { recursive: true });
  for (const name of ['package-lock.json', 'tsconfig.json', 'vite.config.ts'])
    writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync('tools/build-if-needed.js', join(folder, 'tools/build-if-needed.js'));
  writeFileSync(join(folder, 'node_modules/vite/bin/vite.js'), BUILDER);
  const read = (path: string) => {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  return {
    folder,
    change: (text: string) => writeFileSync(join(folder, 'src/main.ts'), text),
    /** @returns what there is of the present client and of the one before. */
    build() {
      const { status } = spawnSync(process.execPath, [join(folder, 'tools/build-if-needed.js')]);
      return { status, present: read('dist/client/of.txt'), earlier: read('dist/earlier/of.txt') };
    },
  };
}

test('a build keeps the client before it, and one without a client keeps what there is of earlier ones', () => {
  const { folder, change, build } = createProject();
  change('one');
  expect(build()).toEqual({ status: 0, present: 'one', earlier: null });
  change('two');
  expect(build()).toEqual({ status: 0, present: 'two', earlier: 'one' });
  expect(build()).toEqual({ status: 0, present: 'two', earlier: 'one' });
  change('three');
  // As after a kill between the renaming and the build, or by hand.
  rmSync(join(folder, 'dist/client'), { recursive: true });
  expect(build()).toEqual({ status: 0, present: 'three', earlier: 'one' });
});
