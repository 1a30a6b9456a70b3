/** The files in deploy/, which an operator copies, fit the server as it is. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { parseConfig, SETTING_NAMES } from '#server/config.ts';
import { DRAIN_PATIENCE_MS, SERVER_OPTIONS } from '#server/serve.ts';
import { ARENAS, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const STATE_FOLDER = '/var/lib/tipwell';

const settings = parseEnv(readFileSync('deploy/tipwell.env', 'utf8'));
const unit = new Map(
  [...withoutComments('deploy/tipwell.service').matchAll(/^(\w+)=(.*)$/gm)].map(
    ([, key = '', value = '']) => [key, value],
  ),
);

function withoutComments(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\s*#.*$/gm, '');
}

describe('the settings of the service', () => {
  test('are settings that the server knows', () => {
    expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(settings)));
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
      User: 'tipwell',
      StateDirectory: 'tipwell',
      StateDirectoryMode: '0700',
      Restart: 'on-failure',
      InaccessiblePaths: '-/opt/tipwell/.git',
      ExecStart: '/usr/bin/env node dist/server/main.js',
    });
    expect([...unit.keys()]).not.toContain('MemoryDenyWriteExecute');
  });

  test('limits the arenas of glibc as `npm start` does', () => {
    const [arenas] = Object.entries(ARENAS).map(([name, value]) => `Environment=${name}=${value}`);
    expect(withoutComments('deploy/tipwell.service').split('\n')).toContain(arenas);
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

  test('lets the server reach push services, and none of the networks around it', () => {
    const lines = [...withoutComments('deploy/tipwell.service').matchAll(/^IPAddressDeny=(.*)$/gm)];
    const denied = lines.flatMap(([, networks = '']) => networks.split(' '));
    expect(denied).toEqual(
      expect.arrayContaining(['link-local', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']),
    );
    expect(denied).not.toContain('any');
    expect(unit.get('IPAddressAllow')).toBe('localhost');
  });

  test('does not start the server on the empty folder below a disk that is not mounted', () => {
    const folders = unit.get('RequiresMountsFor')?.split(' ');
    expect(folders).toContain(STATE_FOLDER);
    expect(folders).toContain(settings['BACKUP_FOLDER']);
  });

  test('goes on trying with its drop-in for as long as PostgreSQL is away', ({ skip }) => {
    const dropIn = 'deploy/tipwell.postgres.conf';
    expect(withoutComments(dropIn).split('\n')).toEqual(
      expect.arrayContaining(['StartLimitIntervalSec=0', 'RestartSec=5']),
    );
    const folder = temporaryFolder();
    copyFileSync('deploy/tipwell.service', join(folder, 'tipwell.service'));
    mkdirSync(join(folder, 'tipwell.service.d'));
    copyFileSync(dropIn, join(folder, 'tipwell.service.d/postgres.conf'));
    const verified = spawnSync('systemd-analyze', ['verify', join(folder, 'tipwell.service')], {
      encoding: 'utf8',
    });
    skip(verified.error !== undefined, 'there is no systemd-analyze');
    expect(verified).toMatchObject({ status: 0, stderr: '' });
  });

  test('gives the server longer to stop than the server takes', () => {
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(DRAIN_PATIENCE_MS / 1_000 + 2);
  });
});

describe.each(['deploy/Caddyfile', 'deploy/Caddyfile.two'])('%s', (path) => {
  const caddyfile = withoutComments(path);

  test('weakens nothing that the server protects', () => {
    // With flush_interval Caddy keeps streams open at the server whose readers are gone.
    expect(caddyfile).not.toContain('flush_interval');
    expect(caddyfile).toMatch(/header_up X-Forwarded-For \{remote_host\}/);
    expect(caddyfile).not.toMatch(/\btls\b|protocols|auto_https|trusted_proxies|http:\/\//);
    // With these Caddy 2.6 sends other requests' bodies when it tries again.
    expect(caddyfile).not.toMatch(/buffer_requests|request_buffers/);
    const [, seconds] = /keepalive (off|\d+(?=s))/.exec(caddyfile) ?? [];
    expect(seconds === 'off' ? 0 : Number(seconds) * 1_000).toBeLessThan(SERVER_OPTIONS.keepAliveTimeout);
  });
});

test('the Caddyfile leads to the server as it is deployed', () => {
  const { PORT, HOST, PUBLIC_URL = '' } = settings;
  const caddyfile = withoutComments('deploy/Caddyfile');
  expect(caddyfile).toContain(`reverse_proxy ${HOST}:${PORT} {`);
  expect(caddyfile).toMatch(new RegExp(`^${new URL(PUBLIC_URL).host} \\{`, 'm'));
});

describe('the image', () => {
  const dockerfile = withoutComments('deploy/Dockerfile');
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const variables = Object.fromEntries(
    [...(/^ENV ((?:.*\\\n)*.*)$/m.exec(lastStage)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

  test('sets what the server knows, and serves other machines from the port that it exposes', () => {
    const { PATH: _, NODE_ENV: __, MALLOC_ARENA_MAX: arenas, ...ours } = variables;
    const { SQLITE_TMPDIR: ___, ...imageSettings } = ours;
    expect({ MALLOC_ARENA_MAX: arenas }).toEqual(ARENAS);
    expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(imageSettings)));
    const config = parseConfig({ ...variables, PUBLIC_URL: 'https://tips.example.com' });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      database: { engine: 'sqlite', path: '/data/tipwell.db' },
      warnings: [],
    });
    expect(lastStage).toMatch(new RegExp(`^EXPOSE ${config.port}$`, 'm'));
  });

  test('is started as a server that tells the visitors behind the proxy apart', () => {
    const [command = ''] = /docker run (?:.*\\\n)*.*/.exec(readFileSync('deploy/Dockerfile', 'utf8')) ?? [];
    const passed = [...command.matchAll(/ -e (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const config = parseConfig({ ...variables, ...Object.fromEntries(passed) });
    expect(config).toMatchObject({ publicUrl: 'https://tips.example.com', trustedProxies: ['172.17.0.1'] });
  });

  test('lets SQLite sort in files where a read-only container may write', () => {
    expect(dockerfile.match(/^VOLUME (.+)$/m)?.[1]).toBe(JSON.stringify([variables['SQLITE_TMPDIR']]));
  });

  test('makes its users where the shell still finds the commands of root', () => {
    for (const stage of dockerfile.split(/^FROM /m).slice(1)) {
      const [, ...afterPath] = stage.split(/^.*\bPATH=/m);
      expect(afterPath.join()).not.toMatch(/^RUN /m);
    }
  });

  test('has neither npm nor a compiler, and runs as a user without privileges', () => {
    expect(lastStage).toMatch(/^\nFROM debian:trixie-slim\n/);
    expect(lastStage).not.toMatch(/\bnpm\b|build-essential|g\+\+|python/);
    expect(lastStage).toMatch(/^USER 10001:10001$/m);
    expect(lastStage).toMatch(/useradd --uid 10001 /);
  });
});

describe('the composition', () => {
  const compose = withoutComments('deploy/compose.yaml');
  const app = compose.slice(compose.indexOf('x-app:'), compose.indexOf('services:'));
  const given = parseEnv(readFileSync('deploy/compose.env', 'utf8'));
  const fill = (text: string) =>
    text.replace(/^'(.*)'$/, '$1').replace(/\$\{(\w+):\?[^}]*\}/g, (_, name) => given[name] || 'filled');
  const fixed = Object.fromEntries(
    [...app.matchAll(/^ {4}([A-Z_]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, fill(value)]),
  );
  const networks = fixed['TRUST_PROXY']?.split(',') ?? [];
  const asked = [...new Set([...compose.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))];

  test('asks for no more than the env file explains', () => {
    expect(Object.keys(given)).toEqual(expect.arrayContaining(asked));
  });

  test('passes every setting that the server reads: what the env file says, or what the composition needs', () => {
    const chosen = Object.keys(given).filter((name) => !asked.includes(name));
    expect([...chosen, ...Object.keys(fixed)].sort()).toEqual([...SETTING_NAMES].sort());
    const [, path] = /--env-file (\S+)/.exec(readFileSync('deploy/compose.yaml', 'utf8')) ?? [];
    expect(app).toContain(`\n  env_file: ${path}\n`);
    // Compose lets `environment` win over `env_file`.
    const { DATABASE_URL: _, ...others } = { ...given, ...fixed };
    const defaults = parseConfig({});
    expect(parseConfig(others)).toEqual({
      ...defaults,
      host: '0.0.0.0',
      publicUrl: `https://${given['SITE']}`,
      trustedProxies: networks,
    });
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    const changed = { ...given, ...stripe, GUEST_TIPS: 'on', PUSH_HOSTS: 'push.example.com', ...fixed };
    expect(parseConfig(changed)).toMatchObject({
      stripe: { secretKey: 'sk_test_1' },
      takesGuestTips: true,
      pushHosts: ['push.example.com'],
    });
  });

  test('is for the host name that Caddy serves and the network that Caddy is in', () => {
    expect(fixed).toMatchObject({ PUBLIC_URL: `https://${given['SITE']}` });
    for (const network of networks) expect(compose).toMatch(new RegExp(`subnet: '?${network}'?`));
    // One network of each version of the Internet protocol, or Docker hides the addresses of some visitors.
    expect(networks.map((network) => isIPv6(network.replace(/\/.*/, '')))).toEqual([false, true]);
    expect(fixed['DATABASE_URL']).toBe('postgres://tipwell:filled@db:5432/tipwell');
  });

  test('backs up in a service of its own, into the folder that lasts, and calls it unhealthy when a server would call it late', () => {
    const backup = compose.slice(compose.indexOf('  backup:\n'), compose.indexOf('\nnetworks:'));
    expect(backup).toContain("command: ['node', 'dist/server/main.js', 'db-keep-backups']");
    const [, folder = ''] = /^ {6}BACKUP_FOLDER: (.+)$/m.exec(backup) ?? [];
    expect(backup).toContain(`volumes: ['backups:${folder}']`);
    expect(backup).toContain('<<: *hardened');
    const [, minutes] = /find \/backups -name "tipwell-\*\.dump" -mmin -(\d+)/.exec(backup) ?? [];
    expect(Number(minutes)).toBe(26 * 60);
  });

  test('asks every service whether it works, so that `up --wait` waits for all of them', () => {
    const services = compose.slice(compose.indexOf('\nservices:\n'), compose.indexOf('\nnetworks:\n'));
    expect(withoutComments('deploy/Dockerfile')).toMatch(/^HEALTHCHECK /m);
    for (const service of services.split(/^ {2}(?=[\w-]+:$)/m).slice(1))
      expect(service).toMatch(/^ {4}(?:<<: \*app$|healthcheck:$)/m);
  });

  test('is renewed as a whole by the last step of an upgrade, so that no service goes on with an old build', () => {
    const guide = readFileSync('docs/scaling.md', 'utf8');
    const upgrade = guide.slice(
      guide.indexOf('## Upgrades without a pause'),
      guide.indexOf('## Connections'),
    );
    const steps = [...upgrade.matchAll(/^ {4}sudo docker compose .*compose\.yaml (.+)$/gm)].map(
      ([, step]) => step,
    );
    expect(steps[0]).toBe('build');
    expect(steps.at(-1)).toBe('up -d --wait');
    // Compose counts what a container depends on among its settings: with this option it is made anew by the last step.
    expect(upgrade).not.toMatch(/\bup\b.*--no-deps/);
  });

  test('serves the scripts of the version before, which each upgrade keeps before it builds', () => {
    expect(app).toContain('- /etc/tipwell/earlier:/opt/tipwell/dist/earlier:ro\n');
    const manual = readFileSync('docs/scaling.md', 'utf8');
    const blocks = manual.match(/(?:^ {4}.*\n)+/gm) ?? [];
    const upgrades = blocks.filter((block) => /^ {4}git pull$/m.test(block));
    expect(upgrades).toHaveLength(2);
    for (const upgrade of upgrades)
      expect(upgrade).toMatch(
        /rm -rf \/etc\/tipwell\/earlier\n.* cp app-1:\/opt\/tipwell\/dist\/client \/etc\/tipwell\/earlier\n.* build\n/,
      );
    expect(manual).toMatch(
      /docker cp tipwell:\/opt\/tipwell\/dist\/client \/etc\/tipwell\/earlier\n.* docker rm tipwell\n/,
    );
    expect(readFileSync('docs/operating.md', 'utf8')).toMatch(
      /-before \/opt\/tipwell\n.*rm -rf \/opt\/tipwell\/dist\/earlier\n.*cp -r \/opt\/tipwell-after\/dist\/client \/opt\/tipwell\/dist\/earlier /,
    );
  });

  test('gives a process longer to stop than it takes', () => {
    const [, seconds] = /stop_grace_period: (\d+)s/.exec(app) ?? [];
    expect(Number(seconds)).toBeGreaterThan(DRAIN_PATIENCE_MS / 1_000 + 2);
  });

  test('sends requests to every process', () => {
    const processes = [...compose.matchAll(/^ {2}(app-\d+):$/gm)].map(([, name]) => `${name}:3000`);
    expect(processes).toHaveLength(2);
    expect(compose).toContain(`UPSTREAMS: ${processes.join(' ')}\n`);
    expect(compose).toContain(`UPSTREAMS_BACKWARDS: ${processes.toReversed().join(' ')}\n`);
  });
});
