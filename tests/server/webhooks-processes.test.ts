/**
 * Webhooks by processes that are killed again and again, to receivers that fail, are slow and lie: one on
 * SQLite, two on one PostgreSQL database. Whatever happens, every event arrives where it belongs and nowhere
 * else, signed, and each for the first time in its order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createChance } from '#tests/support/chance.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { call } from '#tests/support/rest-client.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import {
  type ReceivedEvent,
  type ReceiverFault,
  startWebhookReceiver,
} from '#tests/support/webhook-receiver.ts';

const SEED = Number(process.env['WEBHOOK_SEED'] ?? 20_261_126);
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 2);
const ACTS_PER_KILL = 40;
const PATIENCE = { timeout: 60_000, interval: 250 };

const ALL = ['tip.received', 'tip.refunded', 'tip.changed', 'tip.thanked', 'code.changed', 'statement.ready'];
const WEBHOOKS = [
  ['pat', ALL],
  ['pat', ['tip.refunded', 'tip.thanked']],
  ['kim', ALL],
  ['lee', ['tip.received']],
] as const;

afterAll(stopEverything);

interface Page {
  readonly events: readonly ReceivedEvent[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

test(`every event arrives in order over ${KILLS} kills (seed ${SEED})`, {
  timeout: 120_000 + 40_000 * KILLS,
}, async () => {
  const chance = createChance(SEED);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const path = isOnSqlite() ? createMigratedFile() : await createMigratedDatabase();
  const { people } = await prepareLedger(['pat', 'kim', 'lee', 'cam'], path);
  const named = new Map(['pat', 'kim', 'lee', 'cam'].map((name, index) => [name, people[index]]));
  const person = (name: string) => {
    const found = named.get(name);
    if (!found) throw new Error(`nobody is ${name}`);
    return found;
  };
  const env = { DATABASE_URL: path, WEBHOOK_LOOPBACK: 'on' };
  const servers: RunningServer[] = await Promise.all(
    Array.from({ length: isOnSqlite() ? 1 : 2 }, () => startServer(env)),
  );
  const anyServer = () => chance.pick(servers);

  const webhooks = await Promise.all(
    WEBHOOKS.map(async ([name, types], index) => {
      const { url, endpoint } = receiver.open(`${name}-${index}`);
      const { token } = person(name);
      const body = { url, events: types };
      const added = await call<{ id: string; secret: string }>(anyServer(), '/webhooks', { token, body });
      expect(added.status).toBe(201);
      endpoint.secrets = [added.body.secret];
      const latest = await call<Page>(anyServer(), '/events?after=latest', { token });
      return { ...added.body, name, types, url, endpoint, after: latest.body.next_cursor };
    }),
  );
  for (const { url } of webhooks) receiver.keep(url, () => FAULTS[chance.below(FAULTS.length)]);

  // Chance alone might refund and thank nobody, and a webhook would have nothing to take.
  const { token, code } = person('pat');
  for (const path of ['refund', 'thank-you']) {
    const body = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
    const given = await call<{ id: string }>(anyServer(), '/transactions', {
      token: person('cam').token,
      body,
    });
    const about = path === 'refund' ? {} : { text: 'Cheers' };
    await call(anyServer(), `/transactions/${given.body.id}/${path}`, { token, body: about });
  }

  /** Does something that is an event; a server that was killed meanwhile has done it or not. */
  async function act(): Promise<void> {
    const owner = person(chance.pick(['pat', 'kim', 'lee']));
    const server = anyServer();
    const kind = chance.below(8);
    if (kind === 0) {
      await patch(server, `/qr-codes/${owner.code}`, owner.token, { greeting: `Hello ${chance.below(99)}` });
      return;
    }
    const { body: tips } = await call<{ id: string; status: string; sent: boolean }[]>(
      server,
      '/transactions?direction=received&limit=5',
      { token: owner.token },
    );
    const tip = tips.length > 0 ? chance.pick(tips) : null;
    if (tip && kind === 1)
      await call(server, `/transactions/${tip.id}/refund`, { token: owner.token, body: {} });
    else if (tip && kind === 2)
      await call(server, `/transactions/${tip.id}/thank-you`, {
        token: owner.token,
        body: { text: 'Cheers' },
      });
    else {
      const body = { receiver_qr_id: owner.code, amount: 20, service_category: 'bartender' };
      await call(server, '/transactions', { token: person('cam').token, body });
    }
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const acting = Promise.all(
      Array.from({ length: 4 }, async () => {
        // What nobody was there for is no act, however long a server takes to be back.
        for (let count = 0; count < ACTS_PER_KILL / 4; ) {
          const isAnswered = await act().then(
            () => true,
            (error: unknown) => {
              ignoreLostConnections(error);
              return false;
            },
          );
          if (isAnswered) count += 1;
          await sleep(chance.below(60));
        }
      }),
    );
    // What a webhook took by hand makes the rest due, so that the pauses of tries do not last.
    const hurrying = Promise.all(
      webhooks.map(({ id, name }) =>
        call(anyServer(), `/webhooks/${id}/test`, { token: person(name).token, body: {} }).catch(
          ignoreLostConnections,
        ),
      ),
    );
    await sleep(300 + chance.below(1_200));
    const killed = chance.below(servers.length);
    const [one] = servers.slice(killed);
    await one?.stop('SIGKILL');
    servers[killed] = await startServer({ ...env, PORT: String(one?.port), PUBLIC_URL: one?.url ?? '' });
    await Promise.all([acting, hurrying]);
  }

  // From here on receivers behave, and their owners have what waits sent at once.
  for (const { url } of webhooks) receiver.keep(url, undefined);
  for (const webhook of webhooks) {
    const { token } = person(webhook.name);
    const expected = await eventsAfter(servers, token, webhook.after);
    const wanted = expected.filter(({ type }) => webhook.types.some((each) => each === type));
    // How many of some dozens are repetitions depends on when servers were killed.
    expect(wanted.length).toBeGreaterThan(0);
    await patch(anyServer(), `/webhooks/${webhook.id}`, token, { events: webhook.types });
    await expect.poll(() => firstOf(webhook.endpoint.events).length, PATIENCE).toBe(wanted.length);
    expect(firstOf(webhook.endpoint.events)).toEqual(wanted);
  }
  expect(receiver.problems).toEqual([]);
});

/** Mostly none; `cut` after the event was taken and `isLie` make it come again. */
const FAULTS: readonly (ReceiverFault | undefined)[] = [
  ...Array<undefined>(8).fill(undefined),
  { is: 'status', status: 500 },
  { is: 'status', status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
  { is: 'status', status: 503, headers: { 'Retry-After': '1' }, isLie: true },
  { is: 'slow', ms: 400 },
  { is: 'cut', when: 'before' },
  { is: 'cut', when: 'after' },
];

/** Each event once, as it came first; test events stand in no list. */
function firstOf(events: readonly ReceivedEvent[]): readonly ReceivedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ id, type }) => {
    if (type === 'webhook.test' || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

async function eventsAfter(servers: readonly RunningServer[], token: string, cursor: string | null) {
  const events: ReceivedEvent[] = [];
  const [server] = servers;
  if (!server) throw new Error('no server runs');
  for (let after = cursor; ; ) {
    const query = after === null ? '' : `&after=${after}`;
    const { body } = await call<Page>(server, `/events?limit=7${query}`, { token });
    events.push(...body.events);
    after = body.next_cursor;
    if (!body.has_more) return events;
  }
}

async function patch({ url }: RunningServer, path: string, token: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api${path}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
}

function ignoreLostConnections(error: unknown): void {
  if (!(error instanceof TypeError)) throw error;
}
