/** Which version an operator runs is said wherever they look, and the change-log says what it changed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PROGRAM } from '#tests/support/running-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const versioned = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+(?:-dev)?$/) });
const { version } = versioned.parse(readJson('package.json'));

test('the lock file has the version of package.json', () => {
  const lock = z.object({ version: z.string(), packages: z.looseObject({ '': versioned }) });
  const locked = lock.parse(readJson('package-lock.json'));
  expect([locked.version, locked.packages[''].version]).toEqual([version, version]);
});

test('the program says its version, and opens nothing for that', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, '--version'], {
    encoding: 'utf8',
    // No start would get by this.
    env: { PORT: 'no' },
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `Tipwell ${version}\n`, stderr: '' });
});

test('a server says its version to a probe, and in the description of its API', async () => {
  const t = await createTestApp();
  expect(await (await t.send('/healthz')).text()).toBe(`ok\nTipwell ${version}`);
  expect(await (await t.send('/api/openapi.json')).json()).toMatchObject({ info: { version } });
});

describe('the change-log', () => {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  const versions = [...text.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, name = '']) => name);
  const [newest = ''] = text.split(/^(?=## \d)/m).slice(1);

  test('begins with the version of package.json, or with what waits for it, so that no build passes for a release', () => {
    const [first] = /^## .*$/m.exec(text) ?? [];
    const [number] = version.split('-');
    if (version.endsWith('-dev'))
      expect([first, versions.includes(number ?? '')]).toEqual(['## Unreleased', false]);
    else expect(first).toSatisfy((heading) => String(heading).startsWith(`## ${version} (`));
  });

  test('lists every version once, the newest first', () => {
    const descending = [...new Set(versions)].sort((one, other) =>
      other.localeCompare(one, 'en', { numeric: true }),
    );
    expect(versions).toEqual(descending);
  });

  test('says of each version what changed in the API and in the tables', () => {
    expect(newest).toMatch(/^### API$/m);
    expect(newest).toMatch(/^### Tables$/m);
  });

  test.each(['sqlite', 'postgres'])('names the newest migration of %s', (engine) => {
    const journal = z.object({ entries: z.array(z.object({ tag: z.string() })) });
    const { entries } = journal.parse(readJson(`drizzle/${engine}/meta/_journal.json`));
    const named = [...text.matchAll(/`(\d{4}_\w+)`/g)].map(([, tag]) => tag);
    expect(named).toContain(entries.at(-1)?.tag);
  });
});
