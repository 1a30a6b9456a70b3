/**
 * Behind the shipped Caddyfiles nobody pays for somebody else, and nobody gets somebody else's session,
 * whichever process is killed or replaced meanwhile, whether there is another one or not: who was charged
 * what is compared with who sent what.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { idOfKeyedTip } from '#server/tips/transactions.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import {
  installedCaddy,
  type RunningCaddy,
  type ShippedCaddyfile,
  startCaddy,
} from '#tests/support/caddy.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { ask } from '#tests/support/postgres-cluster.ts';
import { type PreparedPerson, prepareLedger } from '#tests/support/prepared-ledger.ts';
import { type Answer, call, enter, type Person } from '#tests/support/rest-client.ts';
import { freePort, startServer, stopEverything } from '#tests/support/running-server.ts';

const GIVERS = 6;
const VISITORS = 2;
const AT_ONCE_OF_EACH = 2;
const ENOUGH_TIPS = 100;
const PAUSE_MS = 50;
/** Far more than a process takes to start again. */
const MAX_TRIES = 1_000;
/**
 * Between two acts of somebody, so that the machine has time to start a process among them. While none answers,
 * all of them wait at Caddy at once, however long they take breath before.
 */
const BREATH_MS = 200;
/** Between two logins of somebody, each of which hashes for as long. */
const BREATH_AFTER_LOGIN_MS = 1_000;
/** Long enough for Caddy to ask for the health of a process, and for tips to meet it. */
const BETWEEN_MS = 1_000;

afterAll(stopEverything);

interface Tip {
  readonly giver_id: string;
  readonly amount: number;
}

/**
 * Sends a request until it is answered by a process that can answer it. @throws Error when none does for
 * long.
 */
async function insist<Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await send().catch((error: unknown) => {
      // The connection was lost, or what came was no JSON: Caddy's own refusal has no body.
      if (error instanceof TypeError || error instanceof SyntaxError) return null;
      throw error;
    });
    if (answer !== null && answer.status < 500) return answer;
    await sleep(PAUSE_MS);
  }
  throw new Error('no process answers');
}

describe.skipIf(installedCaddy() === null)('with Caddy, which is not on every machine,', () => {
  test('a kill and a restart behind either of the shipped files charge nobody for somebody else, and log nobody in as somebody else', async () => {
    const { path: databaseUrl, people } = await prepareLedger(
      ['pat', ...Array.from({ length: GIVERS }, (_, index) => `cam-${index}`)],
      await createMigratedDatabase(),
    );
    const [receiver, ...givers] = people;
    const start = async (port?: number) =>
      startServer({
        DATABASE_URL: databaseUrl,
        PORT: String(port ?? (await freePort())),
        TRUST_PROXY: '127.0.0.1',
      });
    const first = await start();
    const servers = [first];
    // Others, because a login ends the oldest of an account's fifty sessions.
    const visitors = await Promise.all(
      Array.from({ length: VISITORS }, (_, index) => enter(first, `dan-${index}`)),
    );

    let sent = 0;
    const wrong: unknown[] = [];
    const acknowledged = new Set<string>();

    async function give(caddy: RunningCaddy, { id, token }: PreparedPerson): Promise<void> {
      const amountCents = 1_000 + sent;
      const key = `${id} gives ${amountCents}`.replaceAll(' ', '_');
      sent += 1;
      const body = {
        receiver_qr_id: receiver?.code,
        amount: amountCents / 100,
        service_category: 'bartender',
      };
      const tip = await insist(() => call<Tip>(caddy, '/transactions', { token, body, key }));
      const { giver_id: chargedTo, amount } = tip.body;
      if (tip.status !== 201 || chargedTo !== id || Math.round(amount * 100) !== amountCents)
        wrong.push({ key, ...tip });
      acknowledged.add(key);
    }

    async function logIn(caddy: RunningCaddy, { id, email, password }: Person): Promise<void> {
      const login = await insist(() =>
        call<{ user: { id: string } }>(caddy, '/auth/login', { body: { email, password } }),
      );
      if (login.status !== 200 || login.body.user.id !== id) wrong.push({ email, ...login });
    }

    /** Has people act behind a file while the processes at these places are killed and replaced. */
    async function strike(file: ShippedCaddyfile, killed: number, replaced: number): Promise<void> {
      const caddy = await startCaddy(
        file,
        servers.map(({ port }) => port),
      );
      onTestFinished(caddy.stop);
      const enough = acknowledged.size + ENOUGH_TIPS;
      let isOver = false;
      const untilOver = async (act: () => Promise<void>, breathMs: number) => {
        while (!isOver) {
          await act();
          await sleep(breathMs);
        }
      };
      const acting = [
        ...givers.flatMap((giver) =>
          Array.from({ length: AT_ONCE_OF_EACH }, () => untilOver(() => give(caddy, giver), BREATH_MS)),
        ),
        ...visitors.map((visitor) => untilOver(() => logIn(caddy, visitor), BREATH_AFTER_LOGIN_MS)),
      ];
      try {
        for (const [place, signal] of [
          [killed, 'SIGKILL'],
          [replaced, 'SIGTERM'],
        ] as const) {
          await sleep(BETWEEN_MS);
          const one = servers[place];
          await one?.stop(signal);
          await sleep(BETWEEN_MS);
          servers[place] = await start(one?.port);
        }
        await sleep(BETWEEN_MS);
        // A busy machine takes longer for as many.
        while (acknowledged.size < enough) await sleep(PAUSE_MS);
      } finally {
        isOver = true;
      }
      await Promise.all(acting);
    }
    await strike('deploy/Caddyfile', 0, 0);
    servers.push(await start());
    await strike('deploy/Caddyfile.two', 0, 1);

    expect(wrong).toEqual([]);
    const kept = await ask<{ id: TransactionId; giver: UserId; cents: number }>(
      databaseUrl,
      'SELECT id, giver_id AS giver, amount_cents::integer AS cents FROM tipwell.transactions',
    );
    const keyOf = ({ giver, cents }: (typeof kept)[number]) => `${giver}_gives_${cents}`;
    expect(kept.filter((tip) => tip.id !== idOfKeyedTip(tip.giver, keyOf(tip)))).toEqual([]);
    expect(kept.map(keyOf).sort()).toEqual([...acknowledged].sort());
    expect(kept.length).toBeGreaterThanOrEqual(2 * ENOUGH_TIPS);
  });

  test('each of two versions has files of its own, and all of both are there for every page', async () => {
    const project = join(import.meta.dirname, '../..');
    const other = mkdtempSync(join(project, 'node_modules/.cache/other-version-'));
    onTestFinished(() => rmSync(other, { recursive: true }));
    cpSync(join(project, 'dist'), join(other, 'dist'), { recursive: true });
    // What a version has of the one before.
    rmSync(join(other, 'dist/earlier'), { recursive: true, force: true });
    writeFileSync(join(other, 'package.json'), '{ "type": "module" }');
    const assets = join(other, 'dist/client/assets');
    const [own = ''] = readdirSync(assets).filter((name) => name.endsWith('.js'));
    for (const name of ['', '.br', '.gz']) rmSync(join(assets, own + name), { force: true });
    writeFileSync(join(assets, 'of-the-other.js'), 'export {};');
    const databaseUrl = await createMigratedDatabase();
    const env = { DATABASE_URL: databaseUrl, TRUST_PROXY: '127.0.0.1' };
    const servers = await Promise.all([
      startServer(env),
      startServer(env, [join(other, 'dist/server/main.js')]),
    ]);
    const answers = async (url: string) => {
      const asked = [own, 'of-the-other.js', 'of-none.js'].map((name) => fetch(`${url}/assets/${name}`));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await Promise.all(servers.map(({ url }) => answers(url)))).toEqual([
      [200, 404, 404],
      [404, 200, 404],
    ]);
    const ports = servers.map(({ port }) => port);
    for (const order of [ports, ports.toReversed()]) {
      const caddy = await startCaddy('deploy/Caddyfile.two', order);
      onTestFinished(caddy.stop);
      expect(await answers(caddy.url)).toEqual([200, 200, 404]);
    }
  });
});
