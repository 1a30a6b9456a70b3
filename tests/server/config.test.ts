/**
 * The settings: all optional, each refused with one clear line when it is wrong, and the example file says
 * the truth about the defaults.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ConfigError, parseConfig, readEnvironment, SETTING_NAMES } from '#server/config.ts';
import { spellPostgresUrl } from '#server/storage/postgres-url.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';

const DAY_MS = 86_400_000;

const sqlite = (path: string) => ({ engine: 'sqlite', path });

const DEFAULTS = {
  host: '127.0.0.1',
  port: 3_000,
  publicUrl: 'http://localhost:3000',
  database: sqlite(resolve('data/tipwell.db')),
  sessionLifetimeMs: 30 * DAY_MS,
  undoMs: 10 * 60_000,
  logLevel: 'info',
  hashesLogNames: false,
  corsOrigins: [],
  trustedProxies: [],
  isRateLimited: true,
  takesGuestTips: false,
  operatorContact: '',
  pushHosts: [],
  allowsLoopbackWebhooks: false,
  stripe: null,
  mail: null,
  backupFolder: null,
  blockedWordsFile: null,
  brandColour: null,
  brandFolder: null,
  registration: 'open',
  requiresProviderFactors: false,
  warnings: [],
  simulatesPayments: false,
  metrics: null,
  maintenance: null,
  console: { isOn: true, addresses: [] },
};

function complaint(variables: Record<string, string>): string {
  try {
    parseConfig(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
  return '';
}

describe('defaults', () => {
  test('apply without any setting', () => {
    expect(parseConfig({})).toStrictEqual(DEFAULTS);
  });

  test('are what .env.example says, which names every setting', () => {
    const example = parseEnv(readFileSync('.env.example', 'utf8'));
    const { PUBLIC_URL, ...others } = example;
    expect(parseConfig(others)).toStrictEqual(DEFAULTS);
    expect(parseConfig({ PUBLIC_URL })).toStrictEqual(DEFAULTS);
    expect(Object.keys(example).sort()).toEqual([...SETTING_NAMES].sort());
  });

  test('apply where a value is empty', () => {
    const names = Object.keys(parseEnv(readFileSync('.env.example', 'utf8')));
    expect(parseConfig(Object.fromEntries(names.map((name) => [name, ''])))).toStrictEqual(DEFAULTS);
  });

  test('apply whatever else is in the environment', () => {
    expect(parseConfig({ PATH: '/bin', npm_config_port: '1', HOSTNAME: 'x y', port: 'x' })).toStrictEqual(
      DEFAULTS,
    );
  });
});

describe('settings', () => {
  test.each([
    [{ HOST: '127.0.0.2' }, { host: '127.0.0.2' }],
    [
      { HOST: '0.0.0.0', PUBLIC_URL: 'http://192.168.1.7:3000' },
      { host: '0.0.0.0', publicUrl: 'http://192.168.1.7:3000' },
    ],
    [
      { HOST: '::', PUBLIC_URL: 'https://tips.example.com' },
      { host: '::', publicUrl: 'https://tips.example.com' },
    ],
    [
      { HOST: 'tips.internal', PUBLIC_URL: 'https://tips.internal' },
      { host: 'tips.internal', publicUrl: 'https://tips.internal' },
    ],
    [{ PORT: '8080' }, { port: 8_080, publicUrl: 'http://localhost:8080' }],
    [{ PORT: '1' }, { port: 1, publicUrl: 'http://localhost:1' }],
    [{ PORT: '65535' }, { port: 65_535, publicUrl: 'http://localhost:65535' }],
    [{ PUBLIC_URL: 'https://tips.example.com' }, { publicUrl: 'https://tips.example.com' }],
    [{ PUBLIC_URL: 'https://tips.example.com/' }, { publicUrl: 'https://tips.example.com' }],
    [{ PUBLIC_URL: 'HTTPS://Tips.Example.COM:443/' }, { publicUrl: 'https://tips.example.com' }],
    [{ PUBLIC_URL: 'https://tips.example.com//' }, { publicUrl: 'https://tips.example.com' }],
    [
      { PUBLIC_URL: 'http://192.168.1.7:3000', PORT: '80' },
      { port: 80, publicUrl: 'http://192.168.1.7:3000' },
    ],
    [{ DATABASE_URL: '/var/lib/tipwell/tips.db' }, { database: sqlite('/var/lib/tipwell/tips.db') }],
    [{ DATABASE_URL: 'file:/var/lib/tips.db' }, { database: sqlite('/var/lib/tips.db') }],
    [{ DATABASE_URL: 'file:///var/lib/tips.db' }, { database: sqlite('/var/lib/tips.db') }],
    [{ DATABASE_URL: 'file:tips.db' }, { database: sqlite(resolve('tips.db')) }],
    [{ TRUST_PROXY: '127.0.0.1' }, { trustedProxies: ['127.0.0.1'] }],
    [{ TRUST_PROXY: ' 10.0.0.0/8 , ::1,,fd00::/8 ' }, { trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/8'] }],
    [{ BACKUP_FOLDER: '/var/backups/tipwell' }, { backupFolder: '/var/backups/tipwell' }],
    [{ BACKUP_FOLDER: 'backups' }, { backupFolder: resolve('backups') }],
    [{ BLOCKED_WORDS_FILE: '/etc/tipwell/words.txt' }, { blockedWordsFile: '/etc/tipwell/words.txt' }],
    [{ BLOCKED_WORDS_FILE: 'words.txt' }, { blockedWordsFile: resolve('words.txt') }],
    [
      { WEBHOOK_LOOPBACK: 'on', PUBLIC_URL: 'http://192.168.1.5:3000' },
      { allowsLoopbackWebhooks: true, publicUrl: 'http://192.168.1.5:3000' },
    ],
    [
      { PUSH_HOSTS: 'push.example.com, *.push.example.org' },
      { pushHosts: ['push.example.com', '*.push.example.org'] },
    ],
    [
      { PUSH_HOSTS: '127.0.0.1,[::1],localhost', RATE_LIMIT: 'off' },
      { pushHosts: ['127.0.0.1', '[::1]', 'localhost'], isRateLimited: false },
    ],
    [{ RATE_LIMIT: 'on' }, { isRateLimited: true }],
    [{ RATE_LIMIT: 'off' }, { isRateLimited: false }],
    [{ OPERATOR_CONTACT: ' help@example.com ' }, { operatorContact: 'help@example.com' }],
    [{ OPERATOR_CONTACT: '+1 (555) 010-4477' }, { operatorContact: '+1 (555) 010-4477' }],
    [
      { OPERATOR_CONTACT: 'https://example.com/help?a=b' },
      { operatorContact: 'https://example.com/help?a=b' },
    ],
    [{ SESSION_DAYS: '1' }, { sessionLifetimeMs: DAY_MS }],
    [{ SESSION_DAYS: '3650' }, { sessionLifetimeMs: 3_650 * DAY_MS }],
    [{ UNDO_MINUTES: '0' }, { undoMs: 0 }],
    [{ UNDO_MINUTES: '1440' }, { undoMs: DAY_MS }],
    [{ MAINTENANCE_UNTIL: '2026-05-15T22:30Z' }, {}],
    [{ PROVIDER_SECOND_FACTOR: 'required' }, { requiresProviderFactors: true }],
    [{ OPERATOR_CONSOLE: 'off' }, { console: { isOn: false, addresses: [] } }],
    [
      { OPERATOR_IPS: '192.0.2.7, 2001:db8::/32' },
      { console: { isOn: true, addresses: ['192.0.2.7', '2001:db8::/32'] } },
    ],
    [{ METRICS_PORT: '9464' }, { metrics: { host: '127.0.0.1', port: 9_464 } }],
    [{ METRICS_PORT: '1', METRICS_HOST: '::' }, { metrics: { host: '::', port: 1 } }],
    [{ METRICS_HOST: '0.0.0.0' }, {}],
    [{ PAYMENTS: 'simulated' }, { simulatesPayments: true }],
    [{ BRAND_COLOR: ' #1D6F5C ' }, { brandColour: '#1d6f5c' }],
    [{ BRAND_FOLDER: 'brand' }, { brandFolder: resolve('brand') }],
    // What names the installation is settled before all else.
    [{ BRAND_NAME: ` ${'ن'.repeat(60)} `, BRAND_SENTENCE: '<script>"Tips" & more</script>' }, {}],
    [{ LOG_LEVEL: 'trace' }, { logLevel: 'trace' }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ LOG_ADDRESSES: 'hashed' }, { hashesLogNames: true }],
    [{ CORS_ORIGINS: 'https://app.example.com' }, { corsOrigins: ['https://app.example.com'] }],
    [
      { CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' },
      { corsOrigins: ['https://app.example.com', 'http://localhost:5173'] },
    ],
  ])('%j', (variables, changed) => {
    expect(parseConfig(variables)).toStrictEqual({ ...DEFAULTS, ...changed });
  });

  test.each([
    'postgres://tipwell:p%40ss@db.example.com:6432/tips?sslmode=verify-full',
    'postgres://db.example.com/tips?sslmode=disable',
    'postgres://db.example.com/tips?sslmode=require',
    'postgres://db.example.com/tips?sslmode=verify-ca&sslrootcert=/ca.pem',
    'postgresql://db.example.com/tips',
    'POSTGRES://[::1]/tips',
    'postgres:///tips?host=/var/run/postgresql',
    'postgres://tipwell@/tips?host=/var/run/postgresql',
    'postgres://tipwell@%2Fvar%2Frun%2Fpostgresql/tips',
  ])('the address of a PostgreSQL database stays as it is: %s', (url) => {
    expect(parseConfig({ DATABASE_URL: url }).database).toEqual({ engine: 'postgres', url });
  });

  test('the path of the database is absolute, so that it does not move with the working directory', () => {
    const { database } = parseConfig({ DATABASE_URL: 'x.db' });
    expect(database.engine === 'sqlite' && isAbsolute(database.path)).toBe(true);
  });
});

describe('a line of .env', () => {
  /** What a server in a folder with these lines in `.env` reads of them. */
  function readFile(lines: string | Uint8Array): Record<string, string | undefined> {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.env'), lines);
    const [before, workingFolder] = [{ ...process.env }, process.cwd()];
    process.chdir(folder);
    try {
      const given = readEnvironment();
      const added = Object.keys(given).filter((name) => before[name] === undefined);
      return Object.fromEntries(added.map((name) => [name, given[name]]));
    } finally {
      process.chdir(workingFolder);
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    }
  }

  test.each([
    'BRAND_COLOR=#1d6f5c',
    'BRAND_COLOR=# 1d6f5c',
    'BRAND_NAME=Bar #1',
    'BRAND_NAME=Bar#1',
    'export BRAND_NAME = "Bar" #1',
    'SMTP_URL=smtps://tips:"a#b"@mail.example.com',
    'PORT=3000 # the port',
    'PORT="3000" # the port',
    'BRAND_NAME=`Bar #1`',
    '# the name\r\nBRAND_NAME=Bar #1\r\n',
  ])('with a # outside of quotation marks is refused, because systemd reads another value: %j', (line) => {
    const [, name] = /(\w+) *=/.exec(line) ?? [];
    expect(() => readFile(`SESSION_DAYS=7\n${line}\n`)).toThrow(
      new ConfigError(
        `${name} must be in quotation marks in the file .env, because a # in its line ends it for this program and ` +
          'not for systemd; a comment needs a line of its own',
      ),
    );
    expect(process.env['SESSION_DAYS']).toBeUndefined();
  });

  test.each([
    ['UTF-16', Buffer.from('\uFEFFSESSION_DAYS=7\n', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('SESSION_DAYS=7\n', 'utf16le')],
    ['Latin 1', Buffer.from('SESSION_DAYS=7\nBRAND_NAME=Caf\u00e9\n', 'latin1')],
  ])('in %s stops the start, because none or other settings would be read', (_, bytes) => {
    expect(() => readFile(bytes)).toThrow(new ConfigError('cannot read the file .env: it is not UTF-8 text'));
    expect(process.env['SESSION_DAYS']).toBeUndefined();
  });

  test('with a # between quotation marks is read as it is, and so are comments and what is no setting', () => {
    const lines = [
      '# all of it = for the bar #1',
      'BRAND_COLOR="#1d6f5c"',
      "export BRAND_NAME = 'Bar #1' \r",
      '#BRAND_SENTENCE=#',
      'BRAND_SENTENCE=',
      'SOMETHING_ELSE=a # b',
    ];
    expect(readFile(lines.join('\n'))).toEqual({
      BRAND_COLOR: '#1d6f5c',
      BRAND_NAME: 'Bar #1',
      BRAND_SENTENCE: '',
      SOMETHING_ELSE: 'a',
    });
  });

  test('is refused together with all others of its kind', () => {
    expect(() => readFile('BRAND_COLOR=#1d6f5c\nBRAND_NAME=Bar #1')).toThrow(
      /^BRAND_COLOR, BRAND_NAME must be in quotation marks/,
    );
  });
});

test.each([
  ['', null],
  ['2026-05-15', Date.UTC(2026, 4, 15)],
  ['2026-05-15 22:30', Date.UTC(2026, 4, 15, 22, 30)],
  ['2026-05-15T22:30:15+02:00', Date.UTC(2026, 4, 15, 20, 30, 15)],
])('maintenance until %j is told at the start', (until, untilMs) => {
  expect(parseConfig({ MAINTENANCE: 'on', MAINTENANCE_UNTIL: until })).toStrictEqual({
    ...DEFAULTS,
    maintenance: { untilMs },
    warnings: ['MAINTENANCE is on: tips and refunds are paused.'],
  });
});

test.each([
  ['PUBLIC_ULR', 'PUBLIC_URL'],
  ['BACKUP_FOLDR', 'BACKUP_FOLDER'],
  ['REGISTATION', 'REGISTRATION'],
  ['GUEST_TIP', 'GUEST_TIPS'],
  ['SMPT_URL', 'SMTP_URL'],
])('a misspelt name is warned about, because it changes nothing: %s', (misspelt, meant) => {
  const { warnings } = parseConfig({ [misspelt]: 'x' });
  expect(warnings).toEqual([`${misspelt} is no setting and changes nothing: is ${meant} meant?`]);
  expect(parseConfig({ [misspelt]: '' }).warnings).toEqual([]);
});

test.each([
  '0.0.0.0/0',
  '127.0.0.1, ::/0',
])('TRUST_PROXY=%s is warned about, because it trusts everybody', (list) => {
  expect(parseConfig({ TRUST_PROXY: list }).warnings).toEqual([expect.stringContaining('TRUST_PROXY')]);
  expect(parseConfig({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' }).warnings).toEqual([]);
});

test('names of other programs are not taken for misspelt settings', () => {
  const others =
    'HOME PATH SHELL HOSTNAME LOGNAME PGHOST PGPORT MAIL MAILTO LS_COLORS NODE_ENV NODE_OPTIONS TZ HTTP_PROXY HTTPS_PROXY NO_PROXY SQLITE_TMPDIR MALLOC_ARENA_MAX NODE_EXTRA_CA_CERTS STRIPE_PUBLISHABLE_KEY POSTGRES_PASSWORD SITE UPSTREAMS';
  expect(parseConfig(Object.fromEntries(others.split(' ').map((name) => [name, 'x']))).warnings).toEqual([]);
});

describe('a bad value stops the start', () => {
  test.each([
    ['HOST', ['not a host', 'http://localhost', 'a/b', '127.0.0.1\n', 'x'.repeat(254)]],
    ['STRIPE_SECRET_KEY', ['pk_test_51abc', 'sk_live_', 'whsec_abc', 'sk_test_a b']],
    ['STRIPE_WEBHOOK_SECRET', ['sk_test_abc', 'whsec_a, b']],
    ['STRIPE_API_BASE', ['https://api.stripe.com', 'http://10.0.0.1:1', '127.0.0.1', 'http://127.0.0.1/v1']],
    ['STRIPE_EXCLUDED_CATEGORIES', ['plumber', 'escort, plumber']],
    ['PORT', ['0', '65536', '-1', '3000.5', '3e3', '0x50', 'http', ' 3000', '99999999999999999999']],
    [
      'PUBLIC_URL',
      [
        'tips.example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://',
        '/tips',
        'file:///etc',
        'https://user:secret@example.com',
        'https://user@example.com',
        'https://:secret@example.com',
        'https://example.com/?a=b',
        'https://example.com/#top',
        'https://example.com/?',
        'https://example.com/#',
        'https://example.com?',
        'https://example.com/tips',
        'https://example.com/tips/',
      ],
    ],
    [
      'DATABASE_URL',
      [
        'mysql://x',
        '"/var/lib/tipwell/tipwell.db"',
        "'tips.db'",
        'file:',
        'file://',
        'a\0b',
        'libsql://x.turso.io',
        'postgres:tips',
        'postgres:/x/y',
        'postgres://',
        'postgres://db.example.com',
        'postgres://db.example.com/',
        'postgres:///tips',
        'postgres://a/b\nc',
        'postgres://a,b/tips',
        'postgres://a:1,b:2/tips',
        'postgres://u:p@ss#/x/tips',
        'postgres://a:no-port/tips',
        'postgresql://%/tips',
        'postgres://u:p%zz@/tips',
        'postgres://db.example.com/tips?sslmode=prefer',
        'postgres://tipwell@/tips?host=/var/run/postgresql&sslmode=allow',
        'postgres://db.example.com/tips?sslmode=require&sslmode=no-verify',
        'postgres://db.example.com/tips?sslmode=requrie',
      ],
    ],
    [
      'TRUST_PROXY',
      [
        'proxy.example.com',
        '10.0.0.0/33',
        '::1/129',
        '10.0.0.0/',
        '10.0.0.0/8/8',
        '10.0.0',
        '*',
        'true',
        '127.0.0.1, nginx',
        '10.0.0.0/-1',
        '10.0.0.0/a',
        '127.0.0.1;::1',
        '010.0.0.1',
      ],
    ],
    ['BACKUP_FOLDER', ['a\0b']],
    ['BLOCKED_WORDS_FILE', ['words\0.txt']],
    ['PUSH_HOSTS', ['localhost', '127.0.0.1', 'push.example.com,[::1]']],
    [
      'PUSH_HOSTS',
      [
        '*',
        '*.com',
        'com',
        '10.0.0.1',
        '127.0.0.2',
        '::1',
        '[fd00::1]',
        'push.example.com:8443',
        '.example.com',
        'https://push.example.com',
        'push.example.com/',
        'Push.Example.com',
        'push.example.com.',
        'a.*.example.com',
        '*push.example.com',
        'user@push.example.com',
        'püsh.example.com',
        'push..example.com',
        '0x7f.1',
      ],
    ],
    [
      'OPERATOR_CONTACT',
      [
        'the bar',
        'help@',
        'help@example.com?cc=a@example.com',
        '<help@example.com>',
        '12',
        'call 555',
        'http://example.com',
        'javascript:alert(1)',
        'https://user:secret@example.com',
        'https://',
        `https://example.com/${'a'.repeat(200)}`,
      ],
    ],
    ['REGISTRATION', ['on', 'Open', 'none', 'invitation']],
    ['PAYMENTS', ['stripe', 'on', 'Simulated']],
    ['METRICS_PORT', ['65536', '-1', '9464a', '127.0.0.1:9464']],
    ['METRICS_HOST', ['a/b', 'http://localhost']],
    ['MAINTENANCE', ['yes', 'On', '1', 'until noon']],
    ['PROVIDER_SECOND_FACTOR', ['on', 'Required', 'off']],
    ['OPERATOR_CONSOLE', ['yes', 'Off', '0']],
    ['OPERATOR_IPS', ['localhost', '192.0.2.0/33', '192.0.2.7;192.0.2.8', '2001:db8::/129']],
    [
      'MAINTENANCE_UNTIL',
      ['noon', '22:30', '2026-05-15T25:00Z', '2026-02-30', '2026-05-15T22:30+1', '15 May 2026', '1747300000'],
    ],
    ['RATE_LIMIT', ['no', 'OFF', 'false', '0', 'On']],
    ['WEBHOOK_LOOPBACK', ['yes', 'ON', '127.0.0.1']],
    ['SESSION_DAYS', ['0', '3651', '-30', '30.5', '1e2', 'forever', 'Infinity']],
    ['UNDO_MINUTES', ['-1', '1441', '0.5', '1e1', 'never']],
    ['LOG_LEVEL', ['verbose', 'INFO', 'warning', '30']],
    ['LOG_ADDRESSES', ['hash', 'PLAIN', 'on', 'none']],
    [
      'CORS_ORIGINS',
      [
        '*',
        'app.example.com',
        'https://app.example.com/',
        'https://app.example.com/path',
        'null',
        'https://*',
        'https://APP.example.com',
        'https://a.example.com;https://b.example.com',
        'file:///x',
      ],
    ],
  ])('of %s, with one line that names it', (name, values) => {
    for (const value of values) {
      const line = complaint({ [name]: value });
      expect(line, value).toMatch(new RegExp(`^${name} must \\S.*$`));
      expect(line.split('\n')).toHaveLength(1);
      expect(line.split(';')).toHaveLength(1);
    }
  });

  test('of webhooks to this machine where people reach the site over https', () => {
    const variables = { WEBHOOK_LOOPBACK: 'on', PUBLIC_URL: 'https://tips.example.com' };
    expect(complaint(variables)).toBe('WEBHOOK_LOOPBACK may be on only while PUBLIC_URL is not an https URL');
  });

  test('of an sslmode that means something else to PostgreSQL, with what to write in its place', () => {
    for (const mode of ['prefer', 'allow']) {
      const line = complaint({ DATABASE_URL: `postgres://user:secret@db.example.com/tips?sslmode=${mode}` });
      expect(line).toBe(
        'DATABASE_URL must have no other sslmode than disable, require, verify-ca, verify-full: ' +
          'write disable for no TLS, or require for nothing but TLS',
      );
    }
  });

  test('without quoting a value that may hold a password', () => {
    expect(complaint({ PUBLIC_URL: 'https://user:secret@example.com' })).not.toContain('secret');
    for (const url of [
      'postgres://user:secret@localhost',
      'postgres://user:secret#@localhost/x',
      'postgres://localhost/?password=secret',
      'mysql://user:secret@localhost/x',
    ]) {
      const line = complaint({ DATABASE_URL: url });
      expect(line).toContain('DATABASE_URL must ');
      expect(line).not.toContain('secret');
    }
  });

  test('with one line that names all that are wrong', () => {
    const line = complaint({ PORT: 'x', LOG_LEVEL: 'loud', SESSION_DAYS: '0' });
    expect(line.split('\n')).toHaveLength(1);
    for (const name of ['PORT', 'LOG_LEVEL', 'SESSION_DAYS']) expect(line).toContain(`${name} must `);
  });
});

describe('Stripe', () => {
  const keys = { STRIPE_SECRET_KEY: 'sk_test_51abc', STRIPE_WEBHOOK_SECRET: 'whsec_one, whsec_two' };

  test('is brought by both keys', () => {
    expect(parseConfig(keys).stripe).toEqual({
      secretKey: 'sk_test_51abc',
      webhookSecrets: ['whsec_one', 'whsec_two'],
      apiBase: null,
      excludedCategories: ['escort'],
    });
    const more = { STRIPE_API_BASE: 'http://[::1]:12111', STRIPE_EXCLUDED_CATEGORIES: 'dj, escort' };
    expect(parseConfig({ ...keys, ...more }).stripe).toMatchObject({
      apiBase: 'http://[::1]:12111',
      excludedCategories: ['dj', 'escort'],
    });
    const none = { ...keys, STRIPE_EXCLUDED_CATEGORIES: 'none' };
    expect(parseConfig(none).stripe).toMatchObject({ excludedCategories: [] });
  });

  test.each(Object.entries(keys))('is not half there: %s alone', (name, value) => {
    expect(complaint({ [name]: value })).toBe(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are needed together',
    );
  });
});

describe('RATE_LIMIT=off', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('is for loopback: %s', (host) => {
    expect(parseConfig({ HOST: host, RATE_LIMIT: 'off' })).toMatchObject({ host, isRateLimited: false });
  });

  test.each([
    '0.0.0.0',
    '::',
    '192.168.1.7',
    'tips.example.com',
    '128.0.0.1',
    '10.127.0.1',
    '127.example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
  ])('is refused on %s, where others can reach it', (host) => {
    expect(complaint({ HOST: host, RATE_LIMIT: 'off' })).toMatch(/^RATE_LIMIT .*\bHOST\b.*loopback/);
    expect(parseConfig({ HOST: host, RATE_LIMIT: 'on' }).isRateLimited).toBe(true);
  });
});

describe('PUBLIC_URL, in production or where others can reach the server,', () => {
  const REACHED = [
    { NODE_ENV: 'production' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.7' },
    { HOST: 'tips.internal', NODE_ENV: 'production' },
  ];

  test.each(REACHED)('left out is warned about once, but does not stop the start (%j)', (variables) => {
    const { warnings, publicUrl } = parseConfig(variables);
    expect(warnings).toEqual([expect.stringContaining('PUBLIC_URL')]);
    expect(publicUrl).toBe('http://localhost:3000');
    expect(parseConfig({ ...variables, PUBLIC_URL: '' }).warnings).toHaveLength(1);
  });

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1',
    'https://tips.localhost',
  ])('%s is warned about once, because no customer can go there', (url) => {
    for (const variables of REACHED) {
      const { warnings } = parseConfig({ ...variables, PUBLIC_URL: url });
      expect(warnings).toEqual([expect.stringContaining(`PUBLIC_URL is ${url}`)]);
    }
    expect(parseConfig({ PUBLIC_URL: url }).warnings).toEqual([]);
  });

  test('given is not warned about, nor left out elsewhere', () => {
    for (const variables of REACHED)
      expect(parseConfig({ ...variables, PUBLIC_URL: 'https://tips.example.com' }).warnings).toEqual([]);
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      expect(parseConfig({ HOST: host }).warnings).toEqual([]);
    for (const mode of ['development', 'test', ''])
      expect(parseConfig({ NODE_ENV: mode }).warnings).toEqual([]);
  });
});

describe('the address of a PostgreSQL database is spelled', () => {
  test.each([
    ['postgres://tipwell:secret@db.example.com:6432/tips', 'postgres://tipwell@db.example.com:6432/tips'],
    ['POSTGRESQL://db.example.com/tips', 'postgres://db.example.com:5432/tips'],
    ['postgres://tip:secret@[::1]/tips?password=secret', 'postgres://tip@[::1]:5432/tips'],
    [
      'postgres://:secret@/tips?host=/run/pg&port=6432&user=tip&sslkey=secret',
      'postgres://tip@%2Frun%2Fpg:6432/tips',
    ],
    ['postgres://u%40x:secret@%2Frun%2Fpg/tips', 'postgres://u%40x@%2Frun%2Fpg:5432/tips'],
    ['postgres://user:secret@a:b/tips', 'postgres://'],
  ])('without password and parameters: %s as %s', (url, spelled) => {
    expect(spellPostgresUrl(url)).toBe(spelled);
  });
});
