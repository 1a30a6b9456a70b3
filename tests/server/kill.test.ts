/**
 * The power may go at any moment: a server that is killed under load has kept every tip that it acknowledged, once,
 * and whoever sends the others again pays once. Twenty times over the same file.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RunningServer, runToEnd, startServer } from '#tests/support/running-server.ts';
import { PASSWORD } from '#tests/support/test-app.ts';

const KILLS = 20;
const GIVERS = 4;
const REQUESTS_AT_ONCE = 16;
/** The moment of a kill, counted from when tips begin to flow. */
const LONGEST_LIFE_MS = 250;

interface Tip {
  readonly key: string;
  readonly giver: number;
  readonly amount: number;
}

interface Recorded {
  readonly id: string;
  readonly giver_id: string;
  readonly amount: number;
  readonly net_amount: number;
}

async function call<Body>(
  server: RunningServer,
  path: string,
  { token, body, key }: { token?: string | undefined; body?: unknown; key?: string } = {},
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${server.url}/api${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function register(server: RunningServer, username: string, serviceCategories: readonly string[] = []) {
  const email = `${username}@example.com`;
  const registered = await call<{ id: string }>(server, '/auth/register', {
    body: {
      ...{ email, username, full_name: username, password: PASSWORD, phone: null },
      is_service_provider: serviceCategories.length > 0,
      service_categories: serviceCategories,
    },
  });
  expect(registered.status).toBe(201);
  const login = await call<{ access_token: string }>(server, '/auth/login', {
    body: { email, password: PASSWORD },
  });
  return { id: registered.body.id, token: login.body.access_token };
}

test('a server killed under load, 20 times, keeps every acknowledged tip and doubles none', async () => {
  let server = await startServer();
  const env = { DATABASE_URL: server.databasePath };
  const provider = await register(server, 'pat', ['bartender']);
  const givers = await Promise.all(
    Array.from({ length: GIVERS }, (_, index) => register(server, `giver-${index}`)),
  );
  const code = await call<{ id: string }>(server, '/qr-codes', {
    token: provider.token,
    body: { service_category: 'bartender' },
  });

  const sent: Tip[] = [];
  /** The answer to each tip that was acknowledged, by its key. */
  const acknowledged = new Map<string, Recorded>();
  const unexpected: unknown[] = [];
  let unansweredInAll = 0;

  async function send({ key, giver, amount }: Tip): Promise<void> {
    const answer = await call<Recorded>(server, '/transactions', {
      token: givers[giver]?.token,
      body: { amount, receiver_qr_id: code.body.id, service_category: 'bartender' },
      key,
    });
    expect(answer.status).toBe(201);
    const earlier = acknowledged.get(key);
    if (earlier) expect(answer.body).toEqual(earlier);
    acknowledged.set(key, answer.body);
  }

  /** One client: a tip after the other, until the server is gone. */
  async function tipUntilKilled(isKilled: () => boolean): Promise<void> {
    while (!isKilled()) {
      const index = sent.length;
      const tip = { key: `key-${index}`, giver: index % GIVERS, amount: (1_000 + (index % 9_000)) / 100 };
      sent.push(tip);
      try {
        await send(tip);
      } catch (error) {
        // Nothing but the loss of the connection may keep a tip from being acknowledged.
        if (!(isKilled() && error instanceof TypeError)) unexpected.push(error);
      }
    }
  }

  const readLedger = async () =>
    (await call<Recorded[]>(server, '/transactions', { token: provider.token })).body;

  for (let kill = 1; kill <= KILLS; kill += 1) {
    let isKilled = false;
    const load = Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, () => tipUntilKilled(() => isKilled)));
    await sleep(1 + Math.random() * LONGEST_LIFE_MS);
    isKilled = true;
    const { signal } = await server.stop('SIGKILL');
    expect(signal).toBe('SIGKILL');
    await load;
    expect(unexpected).toEqual([]);

    const check = await runToEnd('db-check.js', env);
    expect(check).toMatchObject({ code: 0, stderr: '' });
    server = await startServer(env);

    const kept = await readLedger();
    const byId = new Map(kept.map((tip) => [tip.id, tip]));
    expect(byId.size).toBe(kept.length);
    const lost = [...acknowledged.values()].filter(({ id }) => !byId.has(id));
    expect(lost).toEqual([]);
    for (const tip of acknowledged.values()) expect(byId.get(tip.id)).toEqual(tip);

    const unanswered = sent.filter(({ key }) => !acknowledged.has(key));
    unansweredInAll += unanswered.length;
    await Promise.all(unanswered.map(send));
    // Some that were acknowledged are sent again as well: the key is kept as surely as the tip.
    await Promise.all(sent.slice(-10).map(send));

    const ledger = await readLedger();
    expect(ledger).toHaveLength(sent.length);
    expect(new Set(ledger.map(({ id }) => id))).toEqual(
      new Set([...acknowledged.values()].map(({ id }) => id)),
    );
    for (const { key, giver, amount } of sent) {
      expect(acknowledged.get(key)).toMatchObject({ giver_id: givers[giver]?.id, amount });
    }
  }
  // The kills really came in the middle of tips.
  expect(unansweredInAll).toBeGreaterThan(0);

  const inCents = (dollars: number) => Math.round(dollars * 100);
  const ledger = await readLedger();
  const sumOf = (tips: readonly Recorded[], field: 'amount' | 'net_amount') =>
    tips.reduce((sum, tip) => sum + inCents(tip[field]), 0);
  type Me = { total_tips_received: number; total_tips_given: number };
  const me = await call<Me>(server, '/auth/me', { token: provider.token });
  expect(inCents(me.body.total_tips_received)).toBe(sumOf(ledger, 'net_amount'));
  for (const { id, token } of givers) {
    const own = ledger.filter((tip) => tip.giver_id === id);
    const { body } = await call<Me>(server, '/auth/me', { token });
    expect(inCents(body.total_tips_given)).toBe(sumOf(own, 'amount'));
  }

  expect(await server.stop()).toEqual({ code: 0, signal: null });
  const check = await runToEnd('db-check.js', env);
  expect(check).toMatchObject({ code: 0, stderr: '' });
  expect(check.stdout).toContain(`its ledger of ${sent.length} tips adds up`);
}, 180_000);
