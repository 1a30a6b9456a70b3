/** The files in deploy/, which an operator copies, fit the server as it is. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '#server/config.ts';
import { DRAIN_PATIENCE_MS, SERVER_OPTIONS } from '#server/serve.ts';

const STATE_FOLDER = '/var/lib/tipwell';

const settings = parseEnv(readFileSync('deploy/tipwell.env', 'utf8'));
const unit = new Map(
  [...withoutComments('deploy/tipwell.service').matchAll(/^(\w+)=(.*)$/gm)].map(
    ([, key = '', value = '']) => [key, value],
  ),
);
const caddyfile = withoutComments('deploy/Caddyfile');

function withoutComments(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\s*#.*$/gm, '');
}

describe('the settings of the service', () => {
  test('are settings that the server knows', () => {
    const known = Object.keys(parseEnv(readFileSync('.env.example', 'utf8')));
    expect(known).toEqual(expect.arrayContaining(Object.keys(settings)));
  });

  test('start a server that is safe behind the proxy, without a warning', () => {
    const config = parseConfig({ ...settings, NODE_ENV: 'production' });
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
});

describe('the unit', () => {
  test('is one that systemd understands and calls well protected', ({ skip }) => {
    const analyze = (...words: string[]) =>
      spawnSync('systemd-analyze', [...words, 'deploy/tipwell.service'], { encoding: 'utf8' });
    const verified = analyze('verify');
    skip(verified.error !== undefined, 'there is no systemd-analyze');
    expect(verified).toMatchObject({ status: 0, stderr: '' });
    // In tenths of its ten points of exposure.
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=15', '--no-pager');
    expect(status, stdout).toBe(0);
  });

  test('runs the built server where its data lies, hides the repository, and lets V8 write what it runs', () => {
    expect(Object.fromEntries(unit)).toMatchObject({
      ...{ User: 'tipwell', StateDirectory: 'tipwell', StateDirectoryMode: '0700', Restart: 'on-failure' },
      ...{ InaccessiblePaths: '-/opt/tipwell/.git', ExecStart: '/usr/bin/env node dist/server/main.js' },
    });
    expect([...unit.keys()]).not.toContain('MemoryDenyWriteExecute');
  });

  test('looks for the Node.js that npm brought before that of the machine', () => {
    const [, path = ''] = /^PATH=(.+)$/.exec(unit.get('Environment') ?? '') ?? [];
    const { optionalDependencies }: { optionalDependencies: Record<string, string> } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    );
    const brought = Object.keys(optionalDependencies)
      .filter((name) => name.startsWith('node-linux-'))
      .map((name) => `/opt/tipwell/node_modules/${name}/bin`);
    expect(path.split(':')).toEqual([...brought.sort().reverse(), '/usr/local/bin', '/usr/bin', '/bin']);
  });

  test('gives the server longer to stop than the server takes', () => {
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(DRAIN_PATIENCE_MS / 1_000 + 2);
  });
});

test('the Caddyfile leads to the server as it is deployed, and weakens nothing', () => {
  const { PORT, HOST, PUBLIC_URL = '' } = settings;
  expect(caddyfile).toContain(`reverse_proxy ${HOST}:${PORT} {`);
  expect(caddyfile).toMatch(new RegExp(`^${new URL(PUBLIC_URL).host} \\{`, 'm'));
  // With flush_interval Caddy keeps streams open at the server whose readers are gone.
  expect(caddyfile).not.toContain('flush_interval');
  expect(caddyfile).toMatch(/header_up X-Forwarded-For \{remote_host\}/);
  expect(caddyfile).not.toMatch(/\btls\b|protocols|auto_https|trusted_proxies|http:\/\//);
  const [, keepAliveSeconds] = /keepalive (\d+)s/.exec(caddyfile) ?? [];
  expect(Number(keepAliveSeconds) * 1_000).toBeLessThan(SERVER_OPTIONS.keepAliveTimeout);
});
