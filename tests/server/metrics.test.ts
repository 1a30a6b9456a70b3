/** What Prometheus is told: the numbers are those of what happened, and no client can make more of them. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMetrics } from '#server/metrics/metrics.ts';
import { createTroubles } from '#server/troubles.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { START_MS } from '#tests/support/people.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { call } from '#tests/support/rest-client.ts';
import {
  freePort,
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { requireTools } from '#tests/support/system-tools.ts';
import { enter as enterTestApp } from '#tests/support/test-ledger.ts';

beforeAll(() =>
  requireTools(['promtool'], ['prometheus'], 'The tests of metrics need promtool (Debian: prometheus).'),
);
afterAll(stopEverything);

const promtool = (
  words: readonly string[],
  options: { readonly cwd?: string; readonly input?: string } = {},
) => execFileSync('promtool', [...words], { ...options, encoding: 'utf8', stdio: 'pipe' });

/** The values by what stands before them, such as `tipwell_streams`. */
function valuesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

let opened: ReturnType<typeof startMetrics> | undefined;
/** One server for all tests, none of which counts what another does. */
const openMetrics = () => {
  opened ??= startMetrics();
  return opened;
};

async function startMetrics() {
  const port = await freePort();
  const { path, people } = await prepareLedger(['pat', 'cam']);
  const server = await startServer({ METRICS_PORT: String(port), DATABASE_URL: path });
  const url = `http://127.0.0.1:${port}/metrics`;
  const read = async () => (await fetch(url)).text();
  return { server, people, url, read };
}

/**
 * The names of the series that this product makes. Node.js adds its own for kinds of timers and sockets, when
 * they first exist.
 */
const ownSeries = (text: string) => [...valuesIn(text).keys()].filter((name) => name.startsWith('tipwell_'));

/** Requests that clients make up. */
async function sendNonsense({ url }: RunningServer, round: number): Promise<void> {
  const procedures = ['auth.me', 'transactions.list', 'transactions.terms', 'qrCodes.list'];
  const batch = Array.from({ length: 1 + (round % 4) }, (_, index) => procedures[(index + round) % 4]).join();
  for (const [path, method] of [
    [`/trpc/${batch}?batch=1`, 'GET'],
    [`/nowhere-${round}`, 'GET'],
    [`/api/nowhere-${round}`, 'PROPFIND'],
    [`/tip/${round}?x=${round}`, 'GET'],
    [`/api/qr-codes/${round}`, 'GET'],
    [`/trpc/nobody.knows${round}`, 'GET'],
  ] as const)
    await fetch(`${url}${path}`, { method }).then((answer) => answer.arrayBuffer());
}

describe('a running server', () => {
  test('counts tips, refunds and requests, and names no person', async () => {
    const { server, people, read, url } = await openMetrics();
    const [{ code } = { code: '' }, cam] = people;
    const guess = { email: 'cam@example.com', password: 'wrong' };
    await call(server, '/auth/login', { body: guess });
    const body = { amount: 20, receiver_qr_id: code, service_category: 'bartender' };
    const give = () => call<{ id: string }>(server, '/transactions', { token: cam?.token, body });
    const { id } = (await give()).body;
    await give();
    await call(server, `/transactions/${id}/refund`, { token: cam?.token, body: {} });
    const text = await read();
    const values = valuesIn(text);
    expect(Object.fromEntries(values)).toMatchObject({
      'tipwell_tips_total{mode="simulated"}': 2,
      tipwell_refunds_total: 1,
      'tipwell_request_seconds_count{method="POST",route="/api/transactions",status="201"}': 2,
      'tipwell_outbox_waiting{outbox="mails"}': 0,
      tipwell_storage_up: 1,
      tipwell_streams: 0,
    });
    expect(values.get('tipwell_commit_group_size_count')).toBeGreaterThan(0);
    expect(values.get('tipwell_work_seconds_count{queue="hashing"}')).toBeGreaterThan(0);
    for (const word of ['pat', 'cam', code, id, '20']) expect(text).not.toMatch(new RegExp(`="${word}"`));
    expect(promtool(['check', 'metrics'], { input: text })).toBe('');
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  test('has no more series after more than a hundred requests that nobody foresaw', async () => {
    const { server, read } = await openMetrics();
    for (let round = 0; round < 5; round += 1) await sendNonsense(server, round);
    const before = ownSeries(await read());
    for (let round = 5; round < 25; round += 1) await sendNonsense(server, round);
    expect(ownSeries(await read())).toEqual(before);
  });
});

test('counts a tip when it is given and not when it is charged, and one that was never charged as a refund', async () => {
  const metrics = createMetrics(() => START_MS);
  const { t, makePayable, pay } = await createPaidApp({ wrapStorage: metrics.counting });
  const pat = await enterTestApp(t, 'pat', ['bartender']);
  const cam = await enterTestApp(t, 'cam');
  await makePayable(pat);
  const give = async () => {
    const [receiverQrId = ''] = pat.codes;
    const tip = { receiverQrId, serviceCategory: 'bartender', amountCents: 2_000 } as const;
    const { id, paymentUrl } = await cam.trpc.transactions.create.mutate(tip);
    await pay(paymentUrl);
    return id;
  };
  const counts = async () => {
    const values = valuesIn(await metrics.text());
    return [values.get('tipwell_tips_total{mode="test"}'), values.get('tipwell_refunds_total')];
  };
  await give();
  expect(await counts()).toEqual([1, 0]);
  t.clock.nowMs += 20 * 60_000;
  await t.app.sweepPayments();
  expect(await counts()).toEqual([1, 0]);
  const id = await give();
  await pat.trpc.transactions.refund.mutate({ id });
  expect(await counts()).toEqual([2, 1]);
});

test('is answered also when the database is not', async () => {
  const metrics = createMetrics(() => START_MS);
  let isDown = true;
  const nothing = { waiting: 0, failing: 0, oldestAtMs: null };
  metrics.watch({
    storage: {
      async readOutboxes() {
        if (isDown) throw new Error('no answer');
        const mails = { waiting: 3, failing: 1, oldestAtMs: START_MS - 90_000 };
        return { mails, notifications: nothing, payments: nothing, webhooks: nothing };
      },
    },
    streams: () => 7,
    troubles: () => {
      const troubles = createTroubles(() => 0);
      troubles.begin('backup');
      return troubles.present();
    },
    maintenance: { untilMs: null },
  });
  expect(Object.fromEntries(valuesIn(await metrics.text()))).toMatchObject({
    tipwell_storage_up: 0,
    tipwell_streams: 7,
    tipwell_maintenance: 1,
    'tipwell_trouble{trouble="backup"}': 1,
  });
  // Prometheus gives up on what hangs with it.
  const hanging = createMetrics(() => START_MS, 20);
  hanging.watch({
    storage: { readOutboxes: () => new Promise(() => {}) },
    streams: () => 0,
    troubles: createTroubles(() => START_MS).present,
    maintenance: null,
  });
  expect(Object.fromEntries(valuesIn(await hanging.text()))).toMatchObject({ tipwell_storage_up: 0 });
  isDown = false;
  expect(Object.fromEntries(valuesIn(await metrics.text()))).toMatchObject({
    tipwell_storage_up: 1,
    'tipwell_outbox_waiting{outbox="mails"}': 3,
    'tipwell_outbox_failing{outbox="mails"}': 1,
    'tipwell_outbox_oldest_seconds{outbox="mails"}': 90,
  });
});

describe('the alert rules of deploy/', () => {
  test('each fire and cease, as Prometheus judges them', () => {
    const folder = temporaryFolder();
    copyFileSync('deploy/prometheus-rules.yml', join(folder, 'rules.yml'));
    // Of days in steps of their own, because every minute of two days took Prometheus seconds.
    const tests = ['prometheus-rules-test.yml', 'prometheus-rules-test-of-days.yml'];
    for (const file of tests) copyFileSync(`tests/support/${file}`, join(folder, file));
    expect(promtool(['test', 'rules', ...tests], { cwd: folder }).match(/SUCCESS/g)).toHaveLength(2);
  });

  test('and the panels of the dashboard ask for metrics that there are', async () => {
    const { read } = await openMetrics();
    const text = await read();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    for (const file of ['deploy/prometheus-rules.yml', 'deploy/grafana-dashboard.json']) {
      const asked = readFileSync(file, 'utf8').match(/\b(?:tipwell|nodejs|process)_[a-z0-9_]+/g) ?? [];
      expect(asked.length).toBeGreaterThan(5);
      const unknown = asked.filter((name) => !known.has(name.replace(/_(?:bucket|count|sum)$/, '')));
      expect(unknown, file).toEqual([]);
    }
  });
});
