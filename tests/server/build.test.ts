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

/** Ends the process before a step, which KILLED_AT names. */
const KILLER = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let left = Number(process.env.KILLED_AT);
  for (const name of ['rmSync', 'renameSync']) {
    const real = fs[name];
    fs[name] = (...given) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return real(...given);
    };
  }
  syncBuiltinESMExports();`;

function createProject() {
  const folder = temporaryFolder();
  for (const path of ['tools', 'src', 'drizzle', 'node_modules/vite/bin', 'dist'])
    mkdirSync(join(folder, path), { recursive: true });
  for (const name of ['package-lock.json', 'tsconfig.json', 'vite.config.ts'])
    writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync('tools/build-if-needed.js', join(folder, 'tools/build-if-needed.js'));
  writeFileSync(join(folder, 'node_modules/vite/bin/vite.js'), BUILDER);
  writeFileSync(join(folder, 'killer.js'), KILLER);
  const read = (path: string) => {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  return {
    folder,
    change: (text: string) => writeFileSync(join(folder, 'src/main.ts'), text),
    /**
     * @param killedAt the step before which it is killed: the first, second or third that deletes or renames.
     * @returns what there is of the present client and of the one before.
     */
    build(killedAt?: number) {
      const killer = killedAt === undefined ? [] : ['--import', join(folder, 'killer.js')];
      const { status } = spawnSync(process.execPath, [...killer, join(folder, 'tools/build-if-needed.js')], {
        env: { ...process.env, KILLED_AT: String(killedAt) },
      });
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
  // By hand; what was built from these sources is missed all the same.
  rmSync(join(folder, 'dist/client'), { recursive: true });
  expect(build()).toEqual({ status: 0, present: 'two', earlier: 'one' });
});

test.each([1, 2, 3])('a build that is killed at its step %i loses no client', (step) => {
  const { change, build } = createProject();
  for (const text of ['one', 'two', 'three']) {
    change(text);
    if (text === 'three') expect(build(step).status).toBe(null);
    else build();
  }
  expect(build()).toEqual({ status: 0, present: 'three', earlier: 'two' });
});
