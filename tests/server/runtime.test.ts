/**
 * On which Node.js the product runs: on the one that `npm ci` brought, else on the machine's own, and on none
 * that is too old. tools/run.js decides it for npm's scripts, main.js for whatever starts the server without
 * npm.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { ARENAS, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';
import { mended } from '../../tools/mend-lock.js';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const MAIN = join(PROJECT_FOLDER, 'dist/server/main.js');

const { engines, optionalDependencies, scripts } = z
  .object({
    engines: z.object({ node: z.string() }),
    optionalDependencies: z.record(z.string(), z.string()),
    scripts: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

const lock = z
  .looseObject({
    packages: z.record(
      z.string(),
      z.looseObject({
        optional: z.boolean().optional(),
        os: z.unknown().optional(),
        libc: z.unknown().optional(),
        engines: z.unknown().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));

const children: ChildProcess[] = [];

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await stopEverything();
});

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}, file = process.execPath) {
  const child = spawn(file, args, {
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ending = once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal, ...written }));
  return { child, written, ending };
}

/** A preload that makes this Node.js say that it is another version. */
function pretending(version: string): string {
  const versions = JSON.stringify({ ...process.versions, node: version });
  const code = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** The launcher in a folder of its own, beside the Node.js that npm brought there, if any. */
function launcherBeside(brought: 'a Node.js' | 'one that does not run here' | null): {
  readonly launcher: string;
  readonly broughtNodes: readonly string[];
} {
  const folder = temporaryFolder();
  for (const file of ['tools/run.js', 'src/server/old-node.js']) {
    cpSync(join(PROJECT_FOLDER, file), join(folder, file));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const broughtNodes = Object.keys(optionalDependencies).map((name) =>
    join(folder, 'node_modules', name, `bin/node${suffix}`),
  );
  for (const path of brought === null ? [] : broughtNodes) {
    mkdirSync(dirname(path), { recursive: true });
    if (brought === 'a Node.js') shareFile(process.execPath, path);
    else writeFileSync(path, 'no program of this machine');
    chmodSync(path, 0o755);
  }
  return { launcher: join(folder, 'tools/run.js'), broughtNodes };
}

/** The same bytes under another path, without copying them where that is possible. */
function shareFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

function program(code: string): string {
  const path = join(temporaryFolder(), 'program.mjs');
  writeFileSync(path, code);
  return path;
}

const WHO = 'console.log(JSON.stringify([process.execPath, ...process.argv.slice(2)]));';

describe('a Node.js that is too old', () => {
  const oldest = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.slice(1).map(Number) ?? [];
  const [major = 0, minor = 0] = oldest;
  const tooOld = [`${major}.${minor - 1}.9`, `${major - 1}.99.0`, '9.99.99'];

  test.each(
    tooOld,
  )('is refused by the server in one line before anything is loaded (%s)', async (version) => {
    // Where nothing else of the build is, loading any of it would fail with another sentence.
    const alone = join(temporaryFolder(), 'main.mjs');
    cpSync(MAIN, alone);
    const { code, stdout, stderr } = await run([pretending(version), alone]).ending;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(
        `^Node\\.js ${major}\\.${minor} or newer is needed, and this is ${version}\\. .*npm ci.*\\n$`,
      ),
    );
  });

  test('is refused by the scripts of npm in one line', async () => {
    const { launcher } = launcherBeside(null);
    const pretended = pretending(`${major}.${minor - 1}.9`);
    const { code, stdout, stderr } = await run([pretended, launcher, program(WHO)]).ending;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Node\.js .+ is needed, .+\n$/);
  });

  test.each([
    `${major}.${minor}.0`,
    '100.0.0',
  ])('is told from one that is new enough (%s)', async (version) => {
    const { launcher } = launcherBeside(null);
    const { code, stdout } = await run([pretending(version), launcher, program(WHO), 'a word']).ending;
    expect({ code, said: JSON.parse(stdout) }).toEqual({ code: 0, said: [process.execPath, 'a word'] });
  });
});

test.runIf(process.platform === 'linux').each(['a Node.js', null] as const)(
  'a program is told how many arenas glibc may have, unless the operator said so (brought: %s)',
  async (brought) => {
    const { launcher } = launcherBeside(brought);
    const asking = program('console.log(process.env.MALLOC_ARENA_MAX, ...process.argv.slice(2));');
    const { ending } = run([launcher, asking, 'a word']);
    expect(await ending).toEqual({
      code: 0,
      signal: null,
      stdout: `${ARENAS.MALLOC_ARENA_MAX} a word\n`,
      stderr: '',
    });
    expect((await run([launcher, asking], { MALLOC_ARENA_MAX: '7' }).ending).stdout).toBe('7\n');
  },
);

describe('the Node.js that npm brought', () => {
  test('runs the program, whatever the machine has, is told the same words, and gives its exit code on', async () => {
    const { launcher, broughtNodes } = launcherBeside('a Node.js');
    const failing = program(`${WHO} process.exitCode = 7;`);
    const { code, stdout, stderr } = await run([launcher, failing, 'a word', '--b']).ending;
    const [runtime, ...words] = JSON.parse(stdout);
    expect({ code, words, stderr }).toEqual({ code: 7, words: ['a word', '--b'], stderr: '' });
    expect(broughtNodes).toContain(runtime);
  });

  test('is sent the signals that are to end the program, which ends in its own time', async () => {
    const { launcher } = launcherBeside('a Node.js');
    const patient = program(`
      process.on('SIGTERM', () => setTimeout(() => { console.log('in order'); process.exit(0); }, 300));
      setInterval(() => {}, 1000);
      console.log('ready');`);
    const { child, written, ending } = run([launcher, patient]);
    await vi.waitFor(() => expect(written.stdout).toContain('ready'), { timeout: 20_000 });
    child.kill('SIGTERM');
    expect(await ending).toMatchObject({ code: 0, stdout: 'ready\nin order\n' });
  });

  test('is left alone where it does not run, and the machine’s own runs the program', async () => {
    const { launcher } = launcherBeside('one that does not run here');
    const { code, stdout } = await run([launcher, program(WHO)]).ending;
    expect({ code, said: JSON.parse(stdout) }).toEqual({ code: 0, said: [process.execPath] });
  });

  test('is brought for Linux with glibc only, because with musl it would stand before the machine’s own', () => {
    const forLinux = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-linux-'));
    expect(forLinux.length).toBeGreaterThan(0);
    for (const name of forLinux) {
      expect(lock.packages[`node_modules/${name}`]?.libc, `"libc" of ${name}`).toEqual(['glibc']);
    }
  });

  test('decides what else npm installs: no package is left out for the version of the machine’s own', () => {
    const ofOnePlatform = Object.entries(lock.packages).filter(([, { optional, os }]) => optional && os);
    expect(ofOnePlatform.map(([path]) => path)).toContain('node_modules/@rolldown/binding-linux-x64-gnu');
    expect(ofOnePlatform.filter(([, { engines }]) => engines !== undefined)).toEqual([]);
    expect(mended(lock), 'npm run lock:mend').toEqual(lock);
  });

  test('is one version on all platforms', () => {
    expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  });
});

test.skipIf(process.platform === 'win32')(
  'a program that npm started ends when the shell between them is killed',
  async () => {
    const { launcher } = launcherBeside(null);
    const endless = program(`
      process.on('SIGTERM', () => { console.log('in order'); process.exit(0); });
      setInterval(() => {}, 1000);
      console.log('ready');`);
    const command = `"${process.execPath}" "${launcher}" "${endless}"; true`;
    const { child, written } = run(['-c', command], { npm_lifecycle_event: 'start' }, 'sh');
    await vi.waitFor(() => expect(written.stdout).toContain('ready'), { timeout: 20_000 });
    child.kill('SIGTERM');
    await vi.waitFor(() => expect(written.stdout).toContain('in order'), { timeout: 20_000 });
  },
);

describe('the operator’s commands', () => {
  const COMMANDS = [
    'audit',
    'account',
    'announce',
    'code',
    'db:backup',
    'db:check',
    'db:keep-backups',
    'db:move',
    'db:restore',
    'fees',
    'invite',
    'mail',
    'operator',
    'payments',
    'reports',
    'terms',
    'tip',
  ];

  /** Everything that npm's scripts need, in a folder of its own: as built, or without a build. */
  function installation(isBuilt: boolean): string {
    const folder = temporaryFolder();
    const parts = [
      'tools',
      'src',
      'drizzle',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'vite.config.ts',
    ];
    for (const part of isBuilt ? [...parts, 'dist'] : parts)
      cpSync(join(PROJECT_FOLDER, part), join(folder, part), { recursive: true });
    symlinkSync(join(PROJECT_FOLDER, 'node_modules'), join(folder, 'node_modules'));
    return folder;
  }

  /** As npm runs a script, with words behind it. */
  function runScript(
    folder: string,
    name: string,
    words: readonly string[],
    env: Readonly<Record<string, string>>,
    uid?: number,
  ) {
    const [command, ...args] = (scripts[name] ?? '').split(' ');
    expect(command).toBe('node');
    const options = uid === undefined ? {} : { uid, gid: uid };
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...words], {
      cwd: folder,
      env,
      encoding: 'utf8',
      ...options,
    });
    return { code: status, stdout, stderr };
  }

  /** What lies in a build, and when each file was written. */
  const buildOf = (folder: string) =>
    readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => `${name} ${statSync(join(folder, 'dist', name)).mtimeMs}`);

  test('run on the build that is there, between a pull and a build, for a user who may only read it', async ({
    skip,
  }) => {
    const nobody = 65_534;
    skip(process.getuid?.() !== 0, 'only root may run something as another user');
    const reading = spawnSync(
      process.execPath,
      ['-e', `fs.readdirSync('${join(PROJECT_FOLDER, 'node_modules')}')`],
      {
        uid: nobody,
        gid: nobody,
      },
    );
    skip(reading.status !== 0, 'other users may not read this folder');

    const folder = installation(true);
    const before = buildOf(folder);
    // What a pull brings: other sources, and a migration that the build does not know.
    writeFileSync(join(folder, 'src/server/newer.ts'), 'export {};');
    const journal = join(folder, 'drizzle/sqlite/meta/_journal.json');
    const migrations = JSON.parse(readFileSync(journal, 'utf8'));
    migrations.entries.push({ idx: 99, version: '6', when: 9e12, tag: '0099_newer', breakpoints: true });
    writeFileSync(journal, JSON.stringify(migrations));
    writeFileSync(join(folder, 'drizzle/sqlite/0099_newer.sql'), 'CREATE TABLE newer (x TEXT) STRICT;');
    chmodSync(folder, 0o755);
    const settings = join(folder, '.env');
    writeFileSync(settings, 'DATABASE_URL=elsewhere.db', { mode: 0o600 });
    expect(runScript(folder, 'account', ['show', 'pat'], {}, nobody)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot read the file .env: EACCES'),
    });
    rmSync(settings);

    const { path } = await prepareLedger(['pat']);
    const state = join(path, '..');
    chmodSync(state, 0o755);
    const { stderr: refusal } = runScript(
      folder,
      'account',
      ['show', 'pat'],
      { DATABASE_URL: path, HOME: state },
      nobody,
    );
    expect(refusal).toMatch(/^Cannot open the database .*: .*Commands run as the user of the service/);
    for (const name of ['', ...readdirSync(state)]) chownSync(join(state, name), nobody, nobody);
    const env = { DATABASE_URL: path, HOME: state };
    const backup = join(state, 'backup.db');
    const words: Readonly<Record<string, readonly string[]>> = {
      account: ['unlock', 'pat@example.com'],
      'db:backup': [backup],
      'db:restore': [backup],
    };
    for (const name of Object.keys(words)) {
      const { code, stderr } = runScript(folder, name, words[name] ?? [], env, nobody);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
    }
    expect(buildOf(folder)).toEqual(before);
    expect(readdirSync(state).filter((name) => !/^(?:tipwell|backup)\.db/.test(name))).toEqual([]);
  });

  test('say in one line that there is no build, and make none', () => {
    const folder = installation(false);
    const linesOf = (name: string) => scripts[name]?.replace(/ [a-z-]+$/, ' COMMAND');
    expect(new Set(COMMANDS.map(linesOf))).toEqual(
      new Set(['node tools/run.js --as-built dist/server/main.js COMMAND']),
    );
    for (const name of COMMANDS.slice(0, 2)) {
      const said = runScript(folder, name, [], { DATABASE_URL: join(folder, 'tipwell.db') });
      expect({ name, ...said }).toEqual({
        name,
        code: 1,
        stdout: '',
        stderr: 'There is no build yet. Run `npm run build` first.\n',
      });
    }
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  test('are the only ones that do not build what has changed', () => {
    const ofTheProduct = Object.keys(scripts).filter((name) =>
      scripts[name]?.includes('dist/server/main.js'),
    );
    expect(ofTheProduct.sort()).toEqual([...COMMANDS, 'start'].sort());
    expect(scripts['start']).toContain(' --built ');
    expect(COMMANDS.filter((name) => scripts[name]?.includes(' --built '))).toEqual([]);
  });
});

test('no script stands before or after another, because npm is told to run none of those', () => {
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
  const besides = Object.keys(scripts).filter((name) => {
    const [, other = ''] = /^(?:pre|post)(.+)$/.exec(name) ?? [];
    return other in scripts;
  });
  expect(besides).toEqual([]);
});
