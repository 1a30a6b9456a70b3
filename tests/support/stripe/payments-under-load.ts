/**
 * Servers that are paid at the stand-in for Stripe, under load: people who give tips, pay them or not, come
 * back or not, and ask for refunds from both sides; and webhook events that go to all servers at once, again and
 * again, or are lost. The servers are killed meanwhile.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChance } from '../chance.ts';
import { runHere } from '../commands.ts';
import { until } from '../postgres-cluster.ts';
import { prepareLedger } from '../prepared-ledger.ts';
import { type RunningServer, startServer } from '../running-server.ts';
import { lookInto } from '../stored-data.ts';
import { compareWithStripe } from './compare.ts';
import { type StandInRequest, type StandInWebhookEvent, startStripe } from './stand-in.ts';

const CLIENTS = 5;
const PAUSE_MS = 20;
/** Between two acts of somebody, so that the machine has time to start a process among them. */
const BREATH_MS = 60;
/** How long a sweep that begins with a start may take to come to what is due. */
const SWEEP_PATIENCE_MS = 5_000;
/** How often the servers are started for a last sweep. */
const MOST_SWEEPS = 30;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the wire is what is being tested, not typed
  readonly body: any;
}

export interface MeantRequest {
  isMeant(request: StandInRequest): boolean;
  readonly isOfSweep?: boolean;
  readonly isOfCaptured?: boolean;
}

/** @param path of a database file, or the address of an empty PostgreSQL database. */
export async function startPaymentsUnderLoad(path: string, servers: 1 | 2, seed: number) {
  const stripe = await startStripe();
  const { people } = await prepareLedger(['cam', 'kim', 'pat', 'sam'], path);
  const [secret = ''] = stripe.settings.webhookSecrets;
  const secrets = [stripe.settings.secretKey, secret];
  const env = {
    DATABASE_URL: path,
    LOG_LEVEL: 'trace',
    // The same at every start, because the pages that are asked for again have to be the same.
    PUBLIC_URL: 'https://tips.example.com',
    STRIPE_SECRET_KEY: stripe.settings.secretKey,
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_BASE: stripe.url,
  };
  const start = () => startServer(env);
  const running: RunningServer[] = [];
  const startAll = async () =>
    void running.push(...(await Promise.all(Array.from({ length: servers }, start))));
  await startAll();

  const chance = createChance(seed);
  const violations: unknown[] = [];
  const figures = { tips: 0, cutOff: 0, kills: 0, lost: 0 };
  const lost = new Set<StandInWebhookEvent>();
  const taken = new Set<StandInWebhookEvent>();
  let isEnding = false;
  let tips = 0;
  /** Tips that were paid, some of them captured by now. */
  const older: { readonly address: string; readonly receiver: string; readonly intentId: string }[] = [];

  function requireNoSecret(text: string): void {
    for (const one of secrets) assert.ok(!text.includes(one), 'a key was written or answered');
  }

  /** @throws TypeError when the connection is lost. */
  async function post(at: number, address: string, body: string, headers: Record<string, string>) {
    const { url } = running[at % running.length] ?? {};
    if (url === undefined) throw new TypeError('no server is running');
    const isGet = body === '';
    const answer = await fetch(`${url}${address}`, {
      method: isGet ? 'GET' : 'POST',
      headers: { ...headers, ...(!isGet && { 'Content-Type': 'application/json' }) },
      ...(!isGet && { body }),
    });
    const text = await answer.text();
    requireNoSecret(text);
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) } satisfies Answer;
  }

  /**
   * Asks one server after the other until one answers that is up, with something else than that it cannot at
   * the moment.
   */
  async function ask(address: string, token: string, body: string, key?: string): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'Idempotency-Key': key }),
    };
    for (let at = chance.below(2); ; at += 1) {
      try {
        const answer = await post(at, address, body, headers);
        if (answer.status !== 503) return answer;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        figures.cutOff += 1;
      }
      await sleep(PAUSE_MS);
    }
  }

  async function deliver(webhookEvent: StandInWebhookEvent): Promise<void> {
    const { body, signature } = stripe.sign(webhookEvent);
    await Promise.all(
      running.map(async (_, at) => {
        try {
          const { status } = await post(at, '/api/payments/stripe/webhook', body, {
            'Stripe-Signature': signature,
          });
          assert.ok(status === 200 || status === 503, `a webhook event was answered ${status}`);
          if (status === 200) taken.add(webhookEvent);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
      }),
    );
  }

  async function deliverWaiting(): Promise<void> {
    const waiting = stripe.webhookEvents.filter(
      (webhookEvent) => !lost.has(webhookEvent) && !taken.has(webhookEvent),
    );
    const [webhookEvent] = waiting.length > 0 ? [chance.pick(waiting)] : stripe.webhookEvents.slice(-1);
    if (webhookEvent) await deliver(webhookEvent);
  }

  /** One tip, from its beginning to whatever becomes of it. */
  async function live(): Promise<void> {
    tips += 1;
    const key = `key-${tips}`;
    const giver = chance.pick(people);
    const receiver = chance.pick(people.filter(({ id }) => id !== giver.id));
    const body = JSON.stringify({
      amount: (1_000 + chance.below(9_000)) / 100,
      receiver_qr_id: receiver.code,
      service_category: 'bartender',
    });
    const create = () => ask('/api/transactions', giver.token, body, key);
    const [first, ...others] = await Promise.all(Array.from({ length: 1 + chance.below(3) }, create));
    assert.equal(first?.status, 201, JSON.stringify(first));
    for (const other of others) assert.deepEqual(other.body.id, first.body.id, 'one key gave two tips');
    figures.tips += 1;
    const { id } = first.body;
    const [, page = ''] = /\/pay\/(\w+)$/.exec(first.body.payment_url ?? '') ?? [];
    const address = `/api/transactions/${id}`;
    /** @returns whether it is known that the tip was paid: while Stripe cannot be asked, it is shown as it was. */
    const comeBack = async () =>
      (await Promise.all([1, 2].map(() => ask(address, giver.token, '')))).some(
        ({ body }) => body.status !== 'pending' || body.captures_at !== null,
      );
    const kind = chance.below(10);
    if (kind < 2) {
      // Somebody pays in one tab and gives up in the other, or leaves.
      if (kind === 1) stripe.pay(page);
      const { status } = await ask('/trpc/transactions.giveUp', giver.token, JSON.stringify({ id }));
      assert.equal(status, 200);
      return;
    }
    if (kind === 2 || page === '' || !stripe.pay(page)) return;
    const webhookEvent = stripe.webhookEvents.at(-1);
    if (kind === 3 && webhookEvent) {
      // Nobody comes back, and the webhook event is lost: a sweep finds out.
      lost.add(webhookEvent);
      figures.lost += 1;
      return;
    }
    if (kind < 7) await comeBack();
    const { intentId } = stripe.sessions.get(page) ?? {};
    if (intentId) older.push({ address, receiver: receiver.token, intentId });
    if (kind === 7) {
      const captured = older.filter((one) => stripe.charges.get(one.intentId)?.isCaptured);
      if (captured.length === 0) return;
      const one = chance.pick(captured);
      if (chance.below(2) === 0) await ask(`${one.address}/refund`, one.receiver, '{}');
      else stripe[chance.pick(['dispute', 'refundAtStripe'] as const)](one.intentId);
    }
    if (kind > 7) {
      if (!(await comeBack())) return;
      const refunds = await Promise.all(
        [giver, receiver].map(({ token }) => ask(`${address}/refund`, token, '{}', `refund-${id}`)),
      );
      const statuses = refunds.map(({ status }) => status).sort();
      // It may have gone back by itself meanwhile, when whoever was to answer died.
      assert.ok(['200,200', '200,409', '409,409'].includes(statuses.join()), JSON.stringify(refunds));
    }
  }

  for (const { token } of people)
    assert.equal((await ask('/trpc/payments.onboard', token, '{"country":"US"}')).status, 200);
  for (const { id } of stripe.accounts.values()) stripe.enable(id);
  while (taken.size < stripe.webhookEvents.length) await deliverWaiting();

  const load = [
    ...Array.from({ length: CLIENTS }, () => async () => {
      await live();
      await sleep(BREATH_MS);
    }),
    async () => {
      await deliverWaiting();
      await sleep(BREATH_MS);
    },
  ].map(async (work) => {
    try {
      while (!isEnding && violations.length === 0) await work();
    } catch (error) {
      violations.push(error);
    }
  });

  /** Ends servers, and has whatever they have printed searched for keys. */
  async function end(which: readonly RunningServer[], signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    for (const one of which) running.splice(running.indexOf(one), 1);
    await Promise.all(which.map((one) => one.stop(signal)));
    for (const { stdout, stderr } of which) requireNoSecret(stdout() + stderr());
  }

  /** Lets everything that waits be due: what is held is captured at the next start. */
  const letBeDue = () =>
    lookInto(path, async ({ run }) => {
      await run(`UPDATE payments SET captures_at_ms = 0 WHERE state = 'authorised'`);
      await run('UPDATE payments SET look_at_ms = 0 WHERE look_at_ms IS NOT NULL');
    });

  /**
   * Ends the servers while the ledger has a tip that waits for its capture: Stripe knows of it before the
   * ledger does, and it may be taken back while the servers end.
   */
  async function endWithAuthorised(): Promise<void> {
    const hasAuthorised = () =>
      lookInto(
        path,
        async ({ run }) =>
          (await run(`SELECT id FROM payments WHERE state = 'authorised' AND refund_asked_at_ms IS NULL`))
            .length > 0,
      );
    await until(async () => {
      if (await hasAuthorised()) await end([...running], 'SIGTERM');
      if (running.length > 0) return violations.length > 0;
      if (await hasAuthorised()) return true;
      await startAll();
      return false;
    });
  }

  return {
    stripe,
    figures,

    async untilTips(count: number): Promise<void> {
      const goal = figures.tips + count;
      await until(() => figures.tips >= goal || violations.length > 0);
    },

    /**
     * Kills a server, or all, at the first request to Stripe that is meant: before Stripe has done what it
     * asks, or after. Starts as many again.
     * @param meant.isOfSweep whether only a sweep makes such requests, so that the servers are started for it.
     * @param meant.isOfCaptured whether they are about tips that were captured, of which there are none before a sweep.
     */
    async killAt(
      { isMeant, isOfSweep, isOfCaptured }: MeantRequest,
      when: 'before' | 'after',
      which: 'all' | 'one',
    ): Promise<void> {
      if (isOfCaptured) {
        await endWithAuthorised();
        await letBeDue();
        await startAll();
      }
      let killed: Promise<void> | null = null;
      let isStarted = Promise.resolve();
      stripe.fail((request) => {
        if (!isMeant(request)) return null;
        killed ??= isStarted.then(() => end(which === 'all' ? [...running] : running.slice(0, 1), 'SIGKILL'));
        return { is: 'cut', when };
      });
      // What is due may be taken back before a sweep comes to it.
      while (isOfSweep && killed === null && violations.length === 0) {
        await endWithAuthorised();
        await letBeDue();
        isStarted = startAll();
        await isStarted;
        const patienceEndsAt = performance.now() + SWEEP_PATIENCE_MS;
        await until(() => killed !== null || violations.length > 0 || performance.now() > patienceEndsAt);
      }
      await until(
        () => killed !== null || violations.length > 0,
        () => `a request that is ${isMeant}`,
      );
      await killed;
      stripe.fail(() => null);
      figures.kills += 1;
      await letBeDue();
      running.push(...(await Promise.all(Array.from({ length: servers - running.length }, start))));
    },

    /** Ends the load, lets everything come to its end, and compares the ledger with Stripe. */
    async compare(): Promise<void> {
      isEnding = true;
      await Promise.all(load);
      assert.deepEqual(violations, []);
      const [{ url } = { url: '' }] = running;
      for (const page of [
        '/',
        '/login',
        '/dashboard',
        `/tip/${people[0]?.code}`,
        '/api/openapi.json',
        '/readyz',
      ])
        requireNoSecret(await (await fetch(`${url}${page}`)).text());
      for (let sweep = 0; sweep < MOST_SWEEPS; sweep += 1) {
        for (const { id, status } of stripe.sessions.values()) if (status === 'open') stripe.expire(id);
        while (
          stripe.webhookEvents.some((webhookEvent) => !lost.has(webhookEvent) && !taken.has(webhookEvent))
        )
          await deliverWaiting();
        await end([...running], 'SIGTERM');
        await letBeDue();
        const waiting = `SELECT id FROM payments
          WHERE look_at_ms IS NOT NULL AND owed_by_receiver_cents + owed_to_receiver_cents = 0`;
        const due = (await lookInto(path, ({ run }) => run(waiting))).length;
        if (due === 0) break;
        await startAll();
        const open = 'SELECT id FROM payments WHERE look_at_ms = 0';
        await until(() => lookInto(path, async ({ run }) => (await run(open)).length === 0));
        await sleep(10 * PAUSE_MS);
      }
      const [stored, problems] = await lookInto(
        path,
        async (data) => [await data.dump(), await data.check()] as const,
      );
      assert.deepEqual(problems, []);
      compareWithStripe(stripe, stored);
      const check = await runHere('db-check', { DATABASE_URL: path });
      assert.deepEqual({ code: check.code, stderr: check.stderr }, { code: 0, stderr: '' }, check.stdout);
    },

    async close(): Promise<void> {
      isEnding = true;
      violations.push('closed');
      await end([...running], 'SIGKILL');
      await stripe.stop();
    },
  };
}
