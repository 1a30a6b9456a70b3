/**
 * The tills of docs/api.md, in Node and in Python: each is run as it stands there against a running server,
 * from a bill to the comparison of a day at night.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  freePort,
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { PASSWORD } from '#tests/support/test-app.ts';

const MAX_LINES = 60;
const TILLS = [
  { language: 'js', program: process.execPath, file: 'till.mjs' },
  { language: 'python', program: 'python3', file: 'till.py' },
];
/** What comes after a stamp of this age is a replay. */
const MAX_AGE_S = 300;

let server: RunningServer;
const tills: ChildProcess[] = [];

beforeAll(async () => {
  server = await startServer({ WEBHOOK_LOOPBACK: 'on' });
});
afterAll(async () => {
  for (const till of tills) till.kill('SIGKILL');
  await stopEverything();
});

test.for(TILLS)('a till in $language hears of tips, refunds one and agrees with the statement', async ({
  language,
  program,
  file,
}, { skip }) => {
  skip(spawnSync(program, ['--version']).error !== undefined, `there is no ${program}`);
  const source = codeOf(language);
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  const { code, tip, ...access } = await openBar(language);
  const till = await openTill(program, file, source, access);

  const [, link = ''] = (await till.ask('bill 9000')).split(' ');
  expect(link).toBe(`${server.url}/tip/${code}?amount=18.00`);
  expect(await (await fetch(link)).text()).toMatch(/<input[^>]*name="other"[^>]*value="18.00"/);
  const begunOn = today();
  const [first, second] = [await tip(18), await tip(20)];
  expect(await till.hear('tip.received')).toContain(first);
  expect(await till.hear('tip.received')).toContain(second);
  expect(await till.ask(`refund ${first}`)).toBe('refund refunded');
  // What is mistyped, or refused, leaves the till running: it has the tips of the day.
  for (const mistake of ['refund txn_0', 'refunt txn_0']) await till.ask(mistake);
  // Midnight in UTC may have come between a tip, its refund and this.
  const nights: string[] = [];
  for (const day of new Set([begunOn, today()])) nights.push(await till.ask(`night ${day}`));
  expect(sumsOf(nights)).toEqual([1_940, 1_940]);

  expect(await till.call({ secret: access.secret, ageS: MAX_AGE_S - 60 })).toBe(204);
  expect(await till.call({ secret: access.secret, ageS: MAX_AGE_S + 60 })).toBe(401);
  expect(await till.call({ secret: `whsec_${randomBytes(24).toString('base64')}` })).toBe(401);
});

const today = () => new Date().toISOString().slice(0, 10);

/** The sums of the events and of the statement, over all nights. */
function sumsOf(nights: readonly string[]): readonly number[] {
  const sums = nights.map(
    (night) => /^night (-?\d+) (-?\d+) USD$/.exec(night)?.slice(1).map(Number) ?? [NaN, NaN],
  );
  return [0, 1].map((which) => sums.reduce((sum, each) => sum + (each[which] ?? NaN), 0));
}

/** The block in this language in the chapter about the till. */
function codeOf(language: string): string {
  const [, chapter = ''] = /^## A till$([\s\S]*?)^## /m.exec(readFileSync('docs/api.md', 'utf8')) ?? [];
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(chapter)?.[1] ?? '';
}

/** Runs a till. Its port is open once it has answered something. */
async function openTill(program: string, file: string, source: string, { key, secret, port }: Access) {
  const path = join(temporaryFolder(), file);
  writeFileSync(path, source);
  const env = { TIPWELL: server.url, KEY: key, SECRET: secret, PORT: String(port) };
  const till = spawn(program, [path], { env: { PATH: process.env['PATH'], ...env } });
  tills.push(till);
  let complaints = '';
  till.stderr.on('data', (piece: Buffer) => {
    complaints += piece;
  });
  const lines = createInterface({ input: till.stdout })[Symbol.asyncIterator]();
  /** The next line that begins with this word; those before it are dropped. */
  const hear = async (word: string) => {
    for (;;) {
      const { done, value } = await lines.next();
      if (done) throw new Error(`the till ended: ${complaints}`);
      if (value.startsWith(`${word} `)) return value;
    }
  };
  return {
    hear,
    ask(line: string) {
      till.stdin.write(`${line}\n`);
      return hear(line.split(' ')[0] ?? '');
    },
    /** Sends what a webhook sends. */
    async call({ secret, ageS = 0 }: { readonly secret: string; readonly ageS?: number }) {
      const body = JSON.stringify({ type: 'tip.received', timestamp: new Date().toISOString(), data: {} });
      const [id, timestamp] = ['evt_1', String(Math.floor(Date.now() / 1_000) - ageS)];
      const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
      const signature = hmac.update(`${id}.${timestamp}.${body}`).digest('base64');
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,bm9uZQ== v1,${signature}`,
      };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    },
  };
}

const text = z.string().optional();

/** What a till works with. */
interface Access {
  readonly key: string;
  readonly secret: string;
  /** Where the webhook leads. */
  readonly port: number;
}

/** A provider with a code, a key and a webhook, and somebody who tips by the code. */
async function openBar(name: string) {
  const post = async (path: string, body: object, token = '') => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/api${path}`, request);
    const answer = z.object({ id: text, access_token: text, text, secret: text });
    return answer.parse(await response.json());
  };
  const join = async (username: string, service_categories: readonly string[]) => {
    const credentials = { email: `${username}@example.com`, password: PASSWORD };
    const is_service_provider = service_categories.length > 0;
    const about = { username, full_name: username, phone: null, is_service_provider, service_categories };
    await post('/auth/register', { ...credentials, ...about });
    return (await post('/auth/login', credentials)).access_token ?? '';
  };
  const session = await join(`${name}-bar`, ['bartender']);
  const giver = await join(`${name}-guest`, []);
  const { id: code = '' } = await post('/qr-codes', { service_category: 'bartender' }, session);
  const scopes = ['codes:read', 'tips:read', 'tips:refund', 'records:read'];
  const { text: key = '' } = await post('/api-keys', { name: 'Till', scopes }, session);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/tips`;
  const { secret = '' } = await post('/webhooks', { url, events: ['tip.received', 'tip.refunded'] }, session);
  const tip = async (amount: number) =>
    (await post('/transactions', { receiver_qr_id: code, amount, service_category: 'bartender' }, giver)).id;
  return { key, secret, port, code, tip };
}
