/** Whatever an error quotes, no line of the log has a key of the payment service, a signing secret or an API key. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { logOptions } from '#server/log-options.ts';
import { startServer, stopEverything } from '#tests/support/running-server.ts';

const STRIPE = {
  secretKey: 'rk_test_51Configured0',
  webhookSecrets: ['whsec_First+Configured/0=', 'whsec_odd"one\\0'],
  apiBase: null,
  excludedCategories: [],
};
const OTHER_KEYS = [
  'sk_live_51Hq7Nlf0',
  'sk_test_4eC39HqLy0',
  'pk_live_Ab3xYz0',
  'sk_org_live_Zq0',
  'sk_51AbCd0',
];

afterAll(stopEverything);

/** What a logger of this configuration writes. */
function write(use: (log: pino.Logger) => void): string {
  const lines: string[] = [];
  use(pino(logOptions({ logLevel: 'info', stripe: STRIPE }), { write: (line) => void lines.push(line) }));
  return lines.join('');
}

test.each([
  STRIPE.secretKey,
  ...STRIPE.webhookSecrets,
  ...OTHER_KEYS,
  'whsec_9f8e7d0',
  'sk_test_********4242',
  'tw_live_0123456789abcdefghijABCDEFGHIJ01',
])('a line without %s', (key) => {
  const cause = new Error(`Invalid API Key provided: ${key}`);
  const line = write((log) => {
    log.error(
      { err: new Error(`no\n${key}\tgood`, { cause }), key, [key]: 1, list: [`Bearer ${key},`] },
      key,
    );
    log.warn(`https://example.com/?key=${key}&x`);
  });
  const [, kept = ''] = /^([a-z]+_(?:org_)?(?:test_|live_)?)/.exec(key) ?? [];
  const secret = JSON.stringify(key.slice(kept.length)).slice(1, -1);
  expect(line).not.toContain(secret.replace(/^\*+/, ''));
  expect(line).toContain('Invalid API Key provided: ');
  for (const text of line.trim().split('\n'))
    expect(JSON.parse(text)).toMatchObject({ msg: expect.stringContaining('***') });
});

test('says everything else as it is', () => {
  const said = 'task_list risk_level_test_1 disk_live entries_account_id_position_pk (pk_) whsec sk';
  expect(JSON.parse(write((log) => log.info(said)))).toMatchObject({ msg: said });
});

test('a server whose payment service quotes its keys logs none of them', async () => {
  const keys = { STRIPE_SECRET_KEY: STRIPE.secretKey, STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecrets[0] ?? '' };
  const message = `Invalid API Key provided: ${[...Object.values(keys), ...OTHER_KEYS].join(' ')}`;
  const service = createServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  onTestFinished(() => void service.close());
  const address = service.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const server = await startServer({
    ...keys,
    LOG_LEVEL: 'info',
    STRIPE_API_BASE: `http://127.0.0.1:${port}`,
  });
  await vi.waitFor(() => expect(server.stderr()).toContain('Invalid API Key provided: '), {
    timeout: 20_000,
  });
  await server.stop();
  for (const key of [...Object.values(keys), ...OTHER_KEYS])
    expect(server.stderr()).not.toContain(key.split('_').at(-1));
});
