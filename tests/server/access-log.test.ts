/** The logs of each shipped Caddyfile, and fail2ban's filters of the manual on lines as they are written. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  installedCaddy,
  type RunningCaddy,
  type ShippedCaddyfile,
  startCaddy,
} from '#tests/support/caddy.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';

const SECRETS = ['cookie', 'token', 'key', 'query', 'receipt', 'statement'].map((name) => `a-secret-${name}`);
const [COOKIE, TOKEN, KEY, QUERY, RECEIPT, STATEMENT] = SECRETS;

afterAll(stopEverything);

const HEADERS = {
  Cookie: `a=${COOKIE}`,
  Authorization: `Bearer ${TOKEN}`,
  'Idempotency-Key': `${KEY}`,
  'Content-Type': 'application/json',
};

/** Only the console reads the code. */
const GUESS = { email: 'nobody@example.com', password: 'wrong guess', code: '000000' };

/** The filters as fail2ban would read them, with a place for the address as it has one (`<ADDR>`). */
const FILTERS = [...readFileSync('docs/log.md', 'utf8').matchAll(/^ +failregex = (.+)$/gm)].map(
  ([, regex = '']) => new RegExp(regex.replace('<ADDR>', '(?<address>[0-9a-f.:]+)')),
);

function addressesIn(log: string, filter: RegExp | undefined): (string | undefined)[] {
  return log.split('\n').flatMap((line) => {
    const found = filter?.exec(line);
    return found ? [found.groups?.['address']] : [];
  });
}

const SHIPPED: readonly ShippedCaddyfile[] = ['deploy/Caddyfile', 'deploy/Caddyfile.two'];

test('each shipped Caddyfile writes who asked what and what came of it, nothing secret, also where no server answers, and each guess as the filters find it', async ({
  skip,
}) => {
  skip(installedCaddy() === null, 'there is no Caddy');
  const server = await startServer({ LOG_LEVEL: 'info', TRUST_PROXY: '127.0.0.1' });
  const caddies: RunningCaddy[] = [];
  for (const path of SHIPPED) {
    const caddy = await startCaddy(path, [server.port]);
    onTestFinished(caddy.stop);
    caddies.push(caddy);
  }
  for (const caddy of caddies) await expectTold(caddy, server);
  for (const caddy of caddies) await expectGuessesFound(caddy);
  await server.stop();
  for (const caddy of caddies) await expectToldOfNoServer(caddy);
});

/** Asks for what may be asked for, and looks at what both logs say of it. */
async function expectTold(caddy: RunningCaddy, server: RunningServer): Promise<void> {
  const before = server.stderr().length;
  const toldByServer = () => server.stderr().slice(before);
  const send = (target: string, init: RequestInit = {}) =>
    fetch(`${caddy.url}${target}`, { headers: HEADERS, ...init }).then((answer) => answer.arrayBuffer());
  await send(`/tip/none?paid=${QUERY}`);
  await send(`/r/${RECEIPT}?a=${QUERY}`);
  await send(`/api/transactions/${RECEIPT}/refund`, { method: 'POST' });
  await send(`/unsubscribe/${STATEMENT}`, { method: 'POST' });
  const guess = JSON.stringify(GUESS);
  await send('/api/auth/login', { method: 'POST', body: guess });
  await send('/trpc/auth.login', { method: 'POST', body: guess });
  await send('/operator/trpc/session.logIn', { method: 'POST', body: guess });
  const lines = await vi.waitFor(
    () => {
      const told = caddy
        .accessLog()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ request }) => request.uri !== '/healthz');
      expect(told).toHaveLength(7);
      return told;
    },
    { timeout: 30_000 },
  );
  expect(lines.map(({ request, status }) => [request.method, request.uri, status])).toEqual([
    ['GET', '/tip/none', 404],
    ['GET', '/r/', 200],
    ['POST', '/api/transactions//refund', 401],
    ['POST', '/unsubscribe/', 404],
    ['POST', '/api/auth/login', 401],
    ['POST', '/trpc/auth.login', 401],
    ['POST', '/operator/trpc/session.logIn', 401],
  ]);
  for (const { request } of lines) expect(request.remote_ip).toBe('127.0.0.1');
  for (const secret of SECRETS) expect(caddy.accessLog() + toldByServer()).not.toContain(secret);

  const [ofTipwell, ofCaddy] = FILTERS;
  expect(FILTERS).toHaveLength(2);
  await vi.waitFor(() => expect(addressesIn(toldByServer(), ofTipwell)).toEqual(Array(3).fill('127.0.0.1')), {
    timeout: 30_000,
  });
  expect(addressesIn(caddy.accessLog(), ofCaddy)).toEqual(Array(3).fill('127.0.0.1'));
}

/** Tries passwords at every address, of which each that leads to a login is found by itself. */
async function expectGuessesFound(caddy: RunningCaddy): Promise<void> {
  const [, ofCaddy] = FILTERS;
  const before = addressesIn(caddy.accessLog(), ofCaddy).length;
  const port = Number(new URL(caddy.url).port);
  for (const target of REFUSED) expect([target, (await guessAt(port, target)).status]).toEqual([target, 404]);
  for (const [index, [target, headers]] of [...FOUND, ...FOUND_BEHIND_CADDY].entries()) {
    const address = target.replace('127.0.0.1', `127.0.0.1:${port}`);
    expect((await guessAt(port, address, headers)).body, target).toContain('wrong_credentials');
    await vi.waitFor(
      () => expect(addressesIn(caddy.accessLog(), ofCaddy), target).toHaveLength(before + index + 1),
      { timeout: 30_000, interval: 10 },
    );
  }
}

/** Asks for what is secret once nobody answers. */
async function expectToldOfNoServer(caddy: RunningCaddy): Promise<void> {
  const logsBefore = { access: caddy.accessLog().length, own: caddy.ownLog().length };
  const later = () => ({
    access: caddy.accessLog().slice(logsBefore.access),
    own: caddy.ownLog().slice(logsBefore.own),
  });
  const asked = [
    `/tip/none?paid=${QUERY}`,
    `/r/${RECEIPT}?a=${QUERY}`,
    `//r/${RECEIPT}`,
    `/r//${RECEIPT}`,
    `/api/transactions/${RECEIPT}/refund`,
    `//api//transactions//${RECEIPT}`,
    `/unsubscribe//${STATEMENT}`,
  ];
  const statuses = await Promise.all(
    asked.map(async (target) => (await fetch(`${caddy.url}${target}`, { headers: HEADERS })).status),
  );
  expect(statuses.filter((status) => status !== 502 && status !== 503)).toEqual([]);
  const uris = (log: string) => [...log.matchAll(/"uri":"([^"]*)"/g)].map(([, uri]) => uri);
  await vi.waitFor(
    () => {
      for (const log of Object.values(later())) expect(uris(log).length).toBeGreaterThanOrEqual(asked.length);
    },
    { timeout: 30_000 },
  );
  expect(later().own).toContain('"logger":"http.log.error');
  for (const log of Object.values(later())) {
    for (const secret of SECRETS) expect(log).not.toContain(secret);
    expect(uris(log)).toEqual(
      expect.arrayContaining([
        '/tip/none',
        '/r/',
        '//r/',
        '/r//',
        '/api/transactions//refund',
        '//api//transactions//',
        '/unsubscribe//',
      ]),
    );
  }
}

/** Sends a guess at a password to the address exactly as written, which `fetch` would tidy up. */
async function guessAt(port: number, target: string, headers: Record<string, string> = {}) {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: target,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    agent: false,
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end(JSON.stringify(target.includes('batch=1') ? { 0: GUESS, 1: GUESS, 2: GUESS } : GUESS));
  const [answer] = await answered;
  return { status: answer.statusCode, body: await text(answer) };
}

/** Each leads to a login, and has a spelling that a filter finds. */
const FOUND: readonly (readonly [string, Record<string, string>])[] = [
  ['/api/auth/login', {}],
  ['/trpc/auth.login', {}],
  ['/trpc/auth.login,auth.logout?batch=1', {}],
  ['/trpc/auth.logout%2Cauth.login?batch=1', {}],
  ['/trpc/auth.logout%2cauth.login?batch=1', {}],
  ['/trpc/auth.login?batch=1', { 'trpc-accept': 'application/jsonl' }],
  ['/trpc/auth.login?batch=1', { Accept: 'application/jsonl' }],
  ['/trpc/nothing,auth.login?batch=1', { 'trpc-accept': 'application/jsonl' }],
  ['http://127.0.0.1/api/auth/login', {}],
  ['/operator/trpc/session.logIn', {}],
  ['/operator/trpc/session.end,session.logIn?batch=1', {}],
  ['/operator/trpc/session.end%2Csession.logIn?batch=1', {}],
];

/** Caddy makes logins of these, which Node.js would refuse. */
const FOUND_BEHIND_CADDY: typeof FOUND = [
  ['x:/api/auth/login', {}],
  ['http:/api/auth/login', {}],
  ['x:/trpc/auth.login?batch=1', {}],
];

/** Each is a second spelling of one of these addresses. */
const REFUSED = [
  '/api/auth/%6cogin',
  '/api/auth/%6Cogin',
  '/%61pi/auth/login',
  '/x/../api/auth/login',
  '/api/./auth/login',
  '/api/auth/x/%2e%2E/login',
  '/trpc/auth%2Elogin',
  '/trpc/auth%2elogin?batch=1',
  '/trpc/%61uth.login',
  '/t%72pc/auth.login',
  '/trpc/../trpc/auth.login',
  '/trpc//auth.login',
  '/trpc/",auth.login?batch=1',
  '/trpc/%22,auth.login?batch=1',
  '/trpc/x,/r/,auth.login?batch=1',
  '/operator/trpc/session%2ElogIn',
  '/operator/%74rpc/session.logIn',
  '/%6Fperator/trpc/session.logIn',
  '/operator/trpc/../trpc/session.logIn',
  '/operator/trpc//session.logIn',
  '/operator/trpc/x,/r/,session.logIn?batch=1',
];

test('an address behind a door has no other spelling than the one that a filter finds', async () => {
  const server = await startServer({ LOG_LEVEL: 'warn' });
  for (const target of REFUSED)
    expect([target, (await guessAt(server.port, target)).status]).toEqual([target, 404]);
  for (const target of ['/api\\auth\\login', '/trpc\\auth.login'])
    expect([target, (await guessAt(server.port, target)).status]).toEqual([target, 400]);
  for (const [target, headers] of FOUND)
    expect((await guessAt(server.port, target, headers)).body, target).toContain('wrong_credentials');
  // What may be encoded goes on being read.
  const { status } = await fetch(`${server.url}/trpc/auth.me%2Cauth.me?batch=1&input=%7B%7D`);
  expect(status).toBe(401);
});
