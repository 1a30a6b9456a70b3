/**
 * What an operator copies and types must be true: the files in deploy/ fit the server as it is, and the operator's page
 * names only settings, commands and sentences that exist.
 */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '#server/config.ts';
import { brand } from '#shared/brand.ts';
import { readSources } from '#tests/support/architecture.ts';

const STATE_FOLDER = '/var/lib/tipwell';

const unit = readFileSync('deploy/tipwell.service', 'utf8');
const settings = readFileSync('deploy/tipwell.env', 'utf8');
const caddyfile = withoutComments(readFileSync('deploy/Caddyfile', 'utf8'));
const page = readFileSync('docs/operating.md', 'utf8');
const texts = { unit, settings, caddyfile, page };
const serving = readFileSync('src/server/serve.ts', 'utf8');
/** With what a sentence of theirs is put together from. */
const sources = [...readSources('src').values()]
  .join('\n')
  .replaceAll('\\`', '`')
  .replaceAll(/\$\{brand\.name\}/g, brand.name);

describe.each(Object.entries(texts))('in the %s', (_name, text) => {
  test('every setting is one of the server', () => {
    const config = readFileSync('src/server/config.ts', 'utf8');
    const known = new Set([...config.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, name]) => name));
    expect(known).toContain('DATABASE_URL');
    const named = [...text.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b|^([A-Z]+)=/gm)].map(
      ([, withDash, alone]) => withDash ?? alone ?? '',
    );
    // What the unit speaks of beside settings: groups of the kernel's.
    const ours = named.filter((name) => !/^(?:AF|CAP)_/.test(name));
    expect(ours.filter((name) => !known.has(name))).toEqual([]);
  });

  test('every command exists', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const actions = [...text.matchAll(/npm run account -- ([\w-]+)/g)].map(([, name]) => name);
    const [, usage = ''] =
      /^const USAGE = 'npm run account -- (.*)'/m.exec(
        readFileSync('src/server/commands/account.ts', 'utf8'),
      ) ?? [];
    const known = usage.split(' | ').map((words) => words.split(' ')[0]);
    expect(actions.filter((action) => !known.includes(action))).toEqual([]);
  });
});

test('the settings of the service start a server that is safe behind the proxy, without a warning', () => {
  const config = parseConfig({ ...parseEnv(settings), NODE_ENV: 'production' });
  expect(config).toMatchObject({
    host: '127.0.0.1',
    isRateLimited: true,
    trustedProxies: ['127.0.0.1', '::1'],
    database: { engine: 'sqlite', path: `${STATE_FOLDER}/tipwell.db` },
    backupFolder: `${STATE_FOLDER}/backups`,
    warnings: [],
  });
  expect(config.publicUrl).toMatch(/^https:/);
});

test('the unit keeps its hardening, and leaves out what V8 cannot do without', () => {
  const lines = new Map(
    [...withoutComments(unit).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
  );
  expect(Object.fromEntries(lines)).toMatchObject({
    User: 'tipwell',
    StateDirectory: 'tipwell',
    StateDirectoryMode: '0700',
    UMask: '0077',
    Restart: 'on-failure',
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    PrivateTmp: 'yes',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    RestrictNamespaces: 'yes',
    SystemCallArchitectures: 'native',
    IPAddressDeny: 'any',
    InaccessiblePaths: '-/opt/tipwell/.git',
    ExecStart: '/usr/bin/env node dist/server/main.js',
  });
  const [, path = ''] = /^Environment=PATH=(.+)$/m.exec(unit) ?? [];
  const { optionalDependencies }: { optionalDependencies: Record<string, string> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const brought = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-linux-'));
  expect(path.split(':')).toEqual([
    ...brought
      .map((name) => `/opt/tipwell/node_modules/${name}/bin`)
      .sort()
      .reverse(),
    ...['/usr/local/bin', '/usr/bin', '/bin'],
  ]);
  expect([...lines.keys()]).not.toContain('MemoryDenyWriteExecute');
  expect(Number(lines.get('TimeoutStopSec'))).toBeGreaterThan(secondsOf('DRAIN_PATIENCE_MS =') + 2);
});

test('the Caddyfile leads to the server as it is deployed, and weakens nothing', () => {
  const { PORT, HOST, PUBLIC_URL = '' } = parseEnv(settings);
  expect(caddyfile).toContain(`reverse_proxy ${HOST}:${PORT} {`);
  expect(caddyfile).toMatch(new RegExp(`^${new URL(PUBLIC_URL).host} \\{`, 'm'));
  // With it, Caddy keeps streams open at the server whose readers are gone.
  expect(caddyfile).not.toContain('flush_interval');
  expect(caddyfile).toMatch(/header_up X-Forwarded-For \{remote_host\}/);
  expect(caddyfile).not.toMatch(/\btls\b|protocols|auto_https|trusted_proxies|http:\/\//);
  expect(Number(/keepalive (\d+)s/.exec(caddyfile)?.[1])).toBeLessThan(secondsOf('keepAliveTimeout:'));
});

test.each([
  'Nothing can be saved right now. Please try again in a moment.',
  'Too many attempts. Please try again in ',
  'Incorrect email or password.',
  'the storage is unavailable',
  'storage unavailable',
  'unexpected error',
  'the file is damaged or no SQLite database. Restore a backup with `npm run db:restore -- FILE`.',
  'is damaged (',
  'See all of it with `npm run db:check`, and restore a backup.',
  'the total received is the sum of the net amounts',
  'another Tipwell process is using it; stop that one first.',
  'the port is already in use',
  'The database was made by a newer or different version of Tipwell. Start that version, or restore a backup.',
  'PUBLIC_URL is not set: printed QR codes will lead to localhost, where no customer can go.',
  'What was there before is kept as ',
  'The tables of the database have been changed: ',
  'All sessions have ended (',
  'everybody logs in again.',
  'changed theirs since',
  'Its past, to note elsewhere: ',
  'The backup tells another past than the database that it would replace: from tip ',
  'these tips are not those of then',
  'could not write the backup that is due',
  'backup written',
  'must be a whole number from ',
])('what the page quotes is what the product says: %s', (sentence) => {
  expect(page).toContain(sentence);
  expect(sources).toContain(sentence);
});

/** A time that the server keeps, by what stands before it in the source. */
function secondsOf(name: string): number {
  const [, milliseconds = ''] = new RegExp(`${name} ([\\d_]+)`).exec(serving) ?? [];
  expect(milliseconds, name).not.toBe('');
  return Number(milliseconds.replaceAll('_', '')) / 1_000;
}

function withoutComments(text: string): string {
  return text.replace(/^\s*#.*$/gm, '');
}
