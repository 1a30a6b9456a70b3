/**
 * Everything at once for minutes: people register, log in and out, tip through both doors, look codes up,
 * list, watch streams, and others guess passwords and send rubbish. Every answer must be the one that is
 * right for what was asked; the memory of the server is followed and must be flat after the warm-up; the
 * ledger must add up in the end.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCode, enter, type Person } from '#tests/support/rest-client.ts';
import { type RunningServer, runToEnd, startServer, temporaryFolder } from '#tests/support/running-server.ts';
import { UGLY_STRINGS } from '#tests/support/ugly-strings.ts';

const CLIENTS = 12;
const LONGEST_PAUSE_MS = 20;
const FIRST_PEOPLE = 12;
/** Older accounts stay in the database without requests. */
const MOST_PEOPLE = 60;
const STREAM_PATHS = ['/api/transactions/stream', '/trpc/transactions.onTip'] as const;
const STREAM_PATIENCE_MS = 10_000;
/** Caches fill and code is compiled in this share of the time. */
const WARM_UP_SHARE = 0.3;
/** The growth allowed after the warm-up; a leak of a kilobyte a request is far above it. */
const HEAP_GROWTH_LIMIT = 0.25;
const RSS_GROWTH_LIMIT = 0.25;
const MEGABYTE = 1_048_576;

export interface MixedFigures {
  readonly seconds: number;
  readonly actions: number;
  readonly unexpected: number;
  readonly serverFaults: number;
  readonly tips: number;
  readonly streams: number;
  readonly accounts: number;
  readonly rssMegabytes: string;
  readonly liveHeapMegabytes: string;
  readonly heldGrowth: string;
}

interface Provider extends Person {
  readonly code: string;
}

interface Sample {
  readonly uptimeSeconds: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly isAfterCollection: boolean;
}

interface Request {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON; strings are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws AssertionError when the load could not be judged; otherwise tells what it saw, good or bad. */
export async function mixLoads(
  seconds: number,
  report: (line: string) => void,
): Promise<{ figures: MixedFigures; violations: readonly string[] }> {
  const memoryFile = join(temporaryFolder(), 'memory.jsonl');
  const server = await startServer({
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'memory-probe.js')}`,
    MEMORY_PROBE_FILE: memoryFile,
  });
  const load = await createLoad(server);
  const startedAt = performance.now();
  const secondsGone = () => (performance.now() - startedAt) / 1_000;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (secondsGone() < seconds) {
      await load.actOnce();
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  });
  const telling = (async () => {
    for (let told = 60; told < seconds; told += 60) {
      await sleep(Math.max(0, (told - secondsGone()) * 1_000));
      const last = readSamples(memoryFile).at(-1);
      report(`${told} s: ${load.summary()}, RSS ${inMegabytes(last?.rss)} MB`);
    }
  })();
  await Promise.all([...clients, telling]);

  const samples = readSamples(memoryFile).filter(({ uptimeSeconds }) => uptimeSeconds <= seconds + 5);
  const ended = await server.stop();
  const check = await runToEnd('db-check', { DATABASE_URL: server.databasePath });
  const memory = judgeMemory(samples, seconds);
  const violations = [
    ...load.violations(),
    ...memory.violations,
    ...(ended.code === 0 ? [] : [`the server ended with ${ended.code ?? ended.signal}`]),
    ...(check.code === 0 ? [] : [`the ledger does not add up: ${check.stdout}${check.stderr}`]),
    ...(check.stdout.includes(`ledger of ${load.tips()} tips`)
      ? []
      : [`not every tip is there: ${check.stdout}`]),
  ];
  return { figures: { seconds, ...load.figures(), ...memory.figures }, violations };
}

async function createLoad(server: RunningServer) {
  const providers: Provider[] = [];
  const customers: Person[] = [];
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  let people = 0;
  let tips = 0;
  let streams = 0;
  let serverFaults = 0;

  async function addPerson(): Promise<void> {
    people += 1;
    const index = people;
    if (index % 2 === 0) {
      customers.push(await enter(server, `cam-${index}`));
      if (customers.length > MOST_PEOPLE / 2) customers.shift();
      return;
    }
    const person = await enter(server, `pat-${index}`, ['dj', 'barber']);
    providers.push({ ...person, code: await createCode(server, person.token, 'dj') });
    if (providers.length > MOST_PEOPLE / 2) providers.shift();
  }
  for (let index = 0; index < FIRST_PEOPLE; index += 1) await addPerson();

  async function expectStatus(expected: number, path: string, request: Request = {}): Promise<string> {
    const { token, body, headers, method = body === undefined ? 'GET' : 'POST' } = request;
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 500) serverFaults += 1;
    assert.equal(response.status, expected, `${method} ${path}: ${text.slice(0, 300)}`);
    return text;
  }

  const tipBody = (code: string) => ({
    receiver_qr_id: code,
    amount: (1_000 + Math.floor(Math.random() * 9_000)) / 100,
    service_category: 'dj',
  });

  async function tipThroughRest(): Promise<void> {
    const { token } = anyOf(customers);
    const body = tipBody(anyOf(providers).code);
    const key = `mixed-${Math.random()}`;
    const request = { token, body, headers: { 'Idempotency-Key': key } };
    const first = await expectStatus(201, '/api/transactions', request);
    tips += 1;
    if (Math.random() > 0.2) return;
    assert.equal(await expectStatus(201, '/api/transactions', request), first);
    await expectStatus(422, '/api/transactions', { ...request, body: { ...body, amount: 5_000 } });
  }

  async function tipThroughTrpc(): Promise<void> {
    const { receiver_qr_id: receiverQrId, amount } = tipBody(anyOf(providers).code);
    await expectStatus(200, '/trpc/transactions.create', {
      token: anyOf(customers).token,
      body: { receiverQrId, amountCents: Math.round(amount * 100), serviceCategory: 'dj' },
    });
    tips += 1;
  }

  async function watchATip(): Promise<void> {
    const provider = anyOf(providers);
    const hangUp = new AbortController();
    const patience = setTimeout(() => hangUp.abort(new Error('no tip arrived')), STREAM_PATIENCE_MS);
    try {
      const response = await fetch(`${server.url}${anyOf(STREAM_PATHS)}`, {
        headers: { Authorization: `Bearer ${provider.token}`, Accept: 'text/event-stream' },
        signal: hangUp.signal,
      });
      assert.equal(response.status, 200);
      assert.ok(response.body);
      streams += 1;
      const decoder = new TextDecoder();
      let seen = '';
      let id: string | null = null;
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        seen += decoder.decode(chunk, { stream: true });
        if (id === null && seen.includes('connected')) {
          const request = { token: anyOf(customers).token, body: tipBody(provider.code) };
          id = JSON.parse(await expectStatus(201, '/api/transactions', request)).id;
          tips += 1;
        }
        if (id !== null && seen.includes(id)) return;
      }
      assert.fail('the stream ended before its tip');
    } finally {
      clearTimeout(patience);
      hangUp.abort();
    }
  }

  const actions: readonly { readonly name: string; readonly weight: number; act(): Promise<unknown> }[] = [
    { name: 'tip, REST', weight: 20, act: tipThroughRest },
    { name: 'tip, tRPC', weight: 20, act: tipThroughTrpc },
    { name: 'watch a tip', weight: 5, act: watchATip },
    { name: 'register', weight: 1, act: addPerson },
    {
      name: 'log in and out',
      weight: 2,
      async act() {
        const { email, password } = anyOf([...providers, ...customers]);
        const text = await expectStatus(200, '/api/auth/login', { body: { email, password } });
        const { access_token: token } = JSON.parse(text);
        await expectStatus(204, '/api/auth/logout', { token, method: 'POST' });
        await expectStatus(401, '/api/auth/me', { token });
      },
    },
    {
      name: 'guess a password',
      weight: 2,
      async act() {
        const email = Math.random() < 0.5 ? anyOf(customers).email : `nobody-${Math.random()}@example.com`;
        await expectStatus(401, '/api/auth/login', { body: { email, password: 'not the password' } });
        await expectStatus(401, '/trpc/auth.login', { body: { email, password: 'nor is this' } });
      },
    },
    {
      name: 'look a code up',
      weight: 15,
      async act() {
        const { code } = anyOf(providers);
        await expectStatus(200, `/api/qr-codes/${code.toLowerCase()}`);
        const input = encodeURIComponent(JSON.stringify({ id: code }));
        await expectStatus(200, `/trpc/qrCodes.lookup?input=${input}`);
        await expectStatus(404, '/api/qr-codes/0000000000');
      },
    },
    {
      name: 'codes',
      weight: 3,
      async act() {
        const { token } = anyOf(providers);
        await expectStatus(200, '/api/qr-codes', { token });
        await expectStatus(409, '/api/qr-codes', { token, body: { service_category: 'dj' } });
        await expectStatus(403, '/api/qr-codes', { token, body: { service_category: 'bartender' } });
        await expectStatus(401, '/api/qr-codes', { body: { service_category: 'dj' } });
      },
    },
    {
      name: 'list',
      weight: 10,
      async act() {
        const { token } = anyOf([...providers, ...customers]);
        await expectStatus(200, '/api/transactions?limit=50', { token });
        const input = encodeURIComponent(JSON.stringify({ limit: 20, cursor: null }));
        await expectStatus(200, `/trpc/transactions.list?input=${input}`, { token });
        const zone = encodeURIComponent(JSON.stringify({ timeZone: 'Europe/Vienna' }));
        await expectStatus(200, `/trpc/transactions.summary?input=${zone}`, { token });
        await expectStatus(200, '/api/auth/me', { token });
      },
    },
    {
      name: 'rubbish',
      weight: 10,
      async act() {
        const { token } = anyOf(customers);
        await expectStatus(400, '/api/transactions', { token, body: '{"amount":' });
        await expectStatus(422, '/api/transactions', { token, body: { amount: anyOf(UGLY_STRINGS).text } });
        await expectStatus(422, '/api/auth/register', { body: { email: anyOf(UGLY_STRINGS).text } });
        await expectStatus(413, '/api/auth/login', { body: `"${'x'.repeat(70_000)}"` });
        await expectStatus(415, '/api/auth/login', {
          body: 'a=b',
          headers: { 'Content-Type': 'text/plain' },
        });
        await expectStatus(404, `/api/${encodeURIComponent('../../etc/passwd')}`);
        await expectStatus(405, '/api/auth/login', { method: 'DELETE' });
      },
    },
    {
      name: 'pages',
      weight: 5,
      async act() {
        await expectStatus(200, '/');
        await expectStatus(200, `/tip/${anyOf(providers).code}`);
        await expectStatus(200, '/readyz');
      },
    },
  ];
  const wheel = actions.flatMap((action) => Array.from({ length: action.weight }, () => action));
  const actionsDone = () => [...counts.values()].reduce((sum, count) => sum + count, 0);

  return {
    async actOnce(): Promise<void> {
      const { name, act } = anyOf(wheel);
      try {
        await act();
        counts.set(name, (counts.get(name) ?? 0) + 1);
      } catch (error) {
        wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    summary: () => `${actionsDone()} actions, ${tips} tips, ${people} accounts, ${wrong.length} unexpected`,
    tips: () => tips,
    violations: () => wrong.slice(0, 10),
    figures: () => ({
      actions: actionsDone(),
      unexpected: wrong.length,
      serverFaults,
      tips,
      streams,
      accounts: people,
    }),
  };
}

function judgeMemory(samples: readonly Sample[], seconds: number) {
  const warm = samples.filter(({ uptimeSeconds }) => uptimeSeconds >= seconds * WARM_UP_SHARE);
  const third = Math.ceil(warm.length / 3);
  const [early, late] = [warm.slice(0, third), warm.slice(-third)];
  const collected = warm.filter(({ isAfterCollection }) => isAfterCollection);
  const few = Math.ceil(collected.length / 3);
  if (collected.length < 2) {
    return {
      figures: { rssMegabytes: 'too short', liveHeapMegabytes: 'too short', heldGrowth: 'too short' },
      violations: ['too short to judge the memory'],
    };
  }
  const rssGrowth = medianOf(late, 'rss') / medianOf(early, 'rss') - 1;
  // Medians, because a single sample depends on what is under way.
  const heapGrowth =
    medianOf(collected.slice(-few), 'heapUsed') / medianOf(collected.slice(0, few), 'heapUsed') - 1;
  const violations = [
    ...(rssGrowth > RSS_GROWTH_LIMIT ? [`RSS grew by ${inPercent(rssGrowth)} after the warm-up`] : []),
    ...(heapGrowth > HEAP_GROWTH_LIMIT ? [`the live heap grew by ${inPercent(heapGrowth)}`] : []),
  ];
  return {
    figures: {
      rssMegabytes: `${inMegabytes(medianOf(early, 'rss'))} after the warm-up, ${inMegabytes(medianOf(late, 'rss'))} in the end, ${inMegabytes(Math.max(...samples.map(({ rss }) => rss)))} at most`,
      liveHeapMegabytes: collected.map(({ heapUsed }) => inMegabytes(heapUsed)).join(' '),
      heldGrowth: `RSS ${inPercent(rssGrowth)}, live heap ${inPercent(heapGrowth)}`,
    },
    violations,
  };
}

function readSamples(file: string): readonly Sample[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.filter((line) => line !== '').map((line): Sample => JSON.parse(line));
}

function medianOf(samples: readonly Sample[], what: 'rss' | 'heapUsed'): number {
  const sorted = samples.map((sample) => sample[what]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function inMegabytes(bytes: number | undefined): string {
  return bytes === undefined ? '?' : (bytes / MEGABYTE).toFixed(1);
}

function inPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function anyOf<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  assert.ok(item !== undefined, 'nothing to choose from');
  return item;
}
