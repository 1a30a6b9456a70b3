/**
 * The lines of docs/operating.md with which a proxy closes registration, in the real Caddy: at both doors, by
 * whatever spelling.
 */
import { readFileSync } from 'node:fs';
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { AppRouter } from '#server/api/procedures/router.ts';
import { installedCaddy, startCaddy } from '#tests/support/caddy.ts';
import { sendRaw } from '#tests/support/raw-socket.ts';
import { enter } from '#tests/support/rest-client.ts';
import { startServer, stopEverything } from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

const PASSWORD = 'correct horse battery';
const SENTENCE = 'Registration is closed. Please ask whoever runs this site.';

/** What stands below the heading, without its indentation. */
const LINES =
  /^### Closing registration$[\s\S]*?\n((?: {4}.*\n)+)/m
    .exec(readFileSync('docs/operating.md', 'utf8'))?.[1]
    ?.replace(/^ {4}/gm, '') ?? '';

const REST_PATHS = [
  '/api/auth/register',
  '//api/auth/register',
  '/api//auth/register',
  '/api/auth/register/',
  '/API/AUTH/REGISTER',
  '/api/auth/%72egister',
  '/api/%61uth/register',
  '/api%2Fauth%2Fregister',
  '/api/x/../auth/register',
  '/api/x/%2e%2e/auth/register',
  '/x/..%2fapi/auth/register',
  '/api\\auth\\register',
  '/api/auth/register?x=1',
  '/api/auth/register;x',
  '/api/./auth/register',
  '/api/auth/register%00',
  '/api/auth/%2572egister',
  '/api/auth/register#x',
  '/healthz/../api/auth/register',
  '/api/auth/register%2f',
  '/api/auth/register%3f',
  '/api/auth/reg%0aister',
  '/api/auth/register%20',
];
const TRPC_PATHS = [
  '/trpc/auth.register',
  '/trpc/auth%2Eregister',
  '/trpc/%61uth.register',
  '/trpc//auth.register',
  '/trpc/auth.register/',
  '/trpc/x/../auth.register',
  '/trpc\\auth.register',
  '/TRPC/auth.register',
  '/trpc/auth.%2572egister',
  '//trpc/auth.register',
  '/trpc/./auth.register',
  '/trpc/%2e/auth.register',
  '/trpc%2fauth.register',
  '/trpc/auth/register',
];
const BATCH_PATHS = [
  'auth.register',
  'auth.login,auth.register',
  'auth.register,auth.login',
  'auth.login%2Cauth.register',
  'auth.login,%61uth.register',
  'auth.login,auth%2eregister',
  'x/..%2fauth.register',
  'auth.login,auth.login/../auth.register',
  'auth.login,,auth.register',
  'auth.login%252Cauth.register',
].map((names) => `/trpc/${names}?batch=1`);

afterAll(stopEverything);

function newcomer(username: string) {
  return { email: `${username}@example.com`, username, password: PASSWORD, phone: null };
}

const restBody = (name: string) => ({
  ...newcomer(name),
  full_name: 'X',
  is_service_provider: false,
  service_categories: [],
});
const trpcBody = (name: string) => ({
  ...newcomer(name),
  fullName: 'X',
  isServiceProvider: false,
  serviceCategories: [],
});

/** Sends what would register somebody under each path, as it stands. @returns the answers. */
async function tryAll(port: number): Promise<readonly string[]> {
  const bodies = [
    ...REST_PATHS.map((path, index) => [path, restBody(`rest-${index}`)] as const),
    ...TRPC_PATHS.map((path, index) => [path, trpcBody(`trpc-${index}`)] as const),
    ...BATCH_PATHS.map((path, index) => {
      const one = trpcBody(`batch-${index}`);
      return [path, { 0: one, 1: one, 2: one }] as const;
    }),
  ];
  return Promise.all(
    bodies.map(([path, body]) => {
      const text = JSON.stringify(body);
      const head = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close'];
      const about = ['Content-Type: application/json', `Content-Length: ${text.length}`];
      return sendRaw(port, `${[...head, ...about].join('\r\n')}\r\n\r\n${text}`).whole;
    }),
  );
}

test('nobody registers through a proxy with the lines of the manual, and everything else goes on', async ({
  skip,
}) => {
  skip(installedCaddy() === null, 'there is no Caddy');
  const server = await startServer({ TRUST_PROXY: '127.0.0.1' });
  const caddy = await startCaddy('deploy/Caddyfile', [server.port], LINES);
  onTestFinished(caddy.stop);
  const cam = await enter(server, 'cam');
  const countAccounts = () =>
    lookInto(server.databasePath, async ({ run }) => {
      const [row] = await run('SELECT count(*) AS count FROM accounts');
      return Number(row?.['count']);
    });

  await tryAll(Number(new URL(caddy.url).port));
  expect(await countAccounts()).toBe(1);
  // As the page asks, and reads what it then shows to people.
  const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: `${caddy.url}/trpc` })] });
  const refusal: unknown = await client.auth.register
    .mutate({ ...newcomer('dan'), fullName: 'X', isServiceProvider: false, serviceCategories: [] })
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ message: SENTENCE, data: { httpStatus: 403 } });

  const login = await fetch(`${caddy.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: cam.email, password: PASSWORD }),
  });
  expect(login.status).toBe(200);
  const me = await fetch(`${caddy.url}/trpc/auth.me`, { headers: { Authorization: `Bearer ${cam.token}` } });
  expect(me.status).toBe(200);
  for (const path of ['/', '/auth?tab=sign-up', '/readyz', '/api/docs'])
    expect([path, (await fetch(caddy.url + path)).status]).toEqual([path, 200]);

  // The same requests are no harmless ones: without the proxy between, many of them register.
  await tryAll(server.port);
  expect(await countAccounts()).toBeGreaterThan(20);
});
