/**
 * A clock that is set back or forth under a running server: nobody is locked out for longer than a limit
 * lasts, no session outlives its term, and the ledger keeps the order in which tips were recorded.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FIRST_SWEEP_DELAY_MS, startClockwork } from '#server/clockwork.ts';
import { createTroubles } from '#server/troubles.ts';
import { createClockWatch } from '#server/watches.ts';
import { callRest, logInThrough, refusedBy } from '#tests/support/both-doors.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

async function isAlive(t: TestApp, token: string): Promise<boolean> {
  return (await callRest(t, 'GET', '/auth/me', undefined, { token })).status === 200;
}

describe('a clock that is turned back', () => {
  test('keeps nobody waiting longer than the limit lasts, and lets nobody guess more', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    await t.registerCustomer('cam');
    for (let guess = 0; guess < 5; guess += 1) await logInThrough('REST', t, 'cam@example.com', 'wrong');
    t.clock.nowMs = START_MS - YEAR_MS;
    const refused = await logInThrough('REST', t, 'cam@example.com', PASSWORD);
    expect(refusedBy('REST', refused).code).toBe('too_many_requests');
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(15 * 60);
  });

  test('keeps a limit that was touched since from lasting beyond its time', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    await t.registerCustomer('cam');
    for (let guess = 0; guess < 4; guess += 1) await logInThrough('REST', t, 'cam@example.com', 'wrong');
    t.clock.nowMs = START_MS - YEAR_MS;
    await logInThrough('REST', t, 'cam@example.com', 'wrong');
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(429);
    t.clock.nowMs += 15 * MINUTE_MS;
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(200);
  });

  test('logs nobody out, and lets a session that is used live no longer than its term from then', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    t.clock.nowMs = START_MS - YEAR_MS;
    expect(await isAlive(t, token)).toBe(true);
    t.clock.nowMs += 30 * DAY_MS - 1;
    expect(await isAlive(t, token)).toBe(true);
    t.clock.nowMs += 30 * DAY_MS;
    expect(await isAlive(t, token)).toBe(false);
  });

  test('twice, the second time further, lets a session live no longer than its term from then', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    for (const behindMs of [10 * DAY_MS, YEAR_MS, YEAR_MS - 60 * MINUTE_MS]) {
      t.clock.nowMs = START_MS - behindMs;
      expect(await isAlive(t, token)).toBe(true);
    }
    t.clock.nowMs += 30 * DAY_MS;
    expect(await isAlive(t, token)).toBe(false);
  });

  test('for less than an hour ends no session that is used meanwhile for when it is right again', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    for (const behindMs of [YEAR_MS, YEAR_MS - 59 * MINUTE_MS, 0]) {
      t.clock.nowMs = START_MS - behindMs;
      expect(await isAlive(t, token)).toBe(true);
    }
    t.clock.nowMs = START_MS + 30 * DAY_MS - 1;
    expect(await isAlive(t, token)).toBe(true);
  });

  test('leaves tips in the order in which they were recorded, listed and told, each with its own time', async () => {
    const t = await createTestApp();
    const { provider, customer, code } = await t.setTheScene();
    const give = (amountCents: number) =>
      customer.trpc.transactions.create.mutate({
        receiverQrId: code.id,
        amountCents,
        serviceCategory: 'bartender',
      });
    const first = await give(1_000);
    t.clock.nowMs = START_MS - DAY_MS;
    const second = await give(2_000);
    t.clock.nowMs = START_MS + DAY_MS;
    await give(3_000);

    const { transactions } = await provider.trpc.transactions.list.query({ limit: 2 });
    expect(transactions.map(({ amountCents }) => amountCents)).toEqual([3_000, 2_000]);
    expect(second.createdAt).toBe(new Date(START_MS - DAY_MS).toISOString());
    const stream = await openStream(t.send, 'REST', { token: provider.token, lastEventId: first.id });
    expect((await stream.take(2)).map(({ amountCents }) => amountCents)).toEqual([2_000, 3_000]);
    await stream.close();
    const { nextCursor } = await provider.trpc.transactions.list.query({ limit: 2 });
    const rest = await provider.trpc.transactions.list.query({ limit: 2, cursor: nextCursor });
    expect(rest.transactions.map(({ id }) => id)).toEqual([first.id]);
  });

  test('still gives the same tip for the same key', async () => {
    const t = await createTestApp();
    const { customer, code } = await t.setTheScene();
    const tip = {
      receiverQrId: code.id,
      amountCents: 1_000,
      serviceCategory: 'bartender',
      idempotencyKey: 'once',
    } as const;
    const first = await customer.trpc.transactions.create.mutate(tip);
    t.clock.nowMs = START_MS - YEAR_MS;
    expect(await customer.trpc.transactions.create.mutate(tip)).toEqual(first);
  });
});

test('a clock that jumps ahead ends sessions and limits, and takes no tip away', async () => {
  const t = await createTestApp({ config: { isRateLimited: true } });
  const { provider, customer, code } = await t.setTheScene();
  await customer.trpc.transactions.create.mutate({
    receiverQrId: code.id,
    amountCents: 1_000,
    serviceCategory: 'bartender',
  });
  for (let guess = 0; guess < 5; guess += 1)
    await logInThrough('REST', t, provider.user.email, 'not the password');
  t.clock.nowMs += 10 * YEAR_MS;
  await t.app.sweep();
  expect(await isAlive(t, customer.token)).toBe(false);
  expect((await t.data.dump())['attempts']).toEqual([]);
  const { trpc } = { trpc: t.trpc(await t.logIn(provider.user.email)) };
  expect(await trpc.transactions.list.query({ limit: 10 })).toMatchObject({
    transactions: [{ amountCents: 1_000 }],
  });
});

describe('what is deleted for good', () => {
  const log = pino({ level: 'silent' });

  function withFakeTimers(): void {
    const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;
    vi.useFakeTimers({ toFake: [...toFake] });
    onTestFinished(() => void vi.useRealTimers());
  }

  test('is kept where the clock is ahead for a moment at the start, as before it has asked for the time', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const closing = { current_password: PASSWORD, confirmation: 'close' };
    expect((await callRest(t, 'POST', '/auth/me/closing', closing, { token })).status).toBe(200);
    withFakeTimers();
    t.clock.nowMs += YEAR_MS;
    const swept: number[] = [];
    const sweep = async () => {
      swept.push(t.clock.nowMs);
      await t.app.sweep();
    };
    const stop = startClockwork({
      app: { ...t.app, sweep },
      // PostgreSQL has a clock of its own, which is not that of this test.
      storage: { checkGround: async () => null, checkRecent: t.storage.checkRecent },
      care: { start() {}, stop() {} },
      clock: () => t.clock.nowMs,
      log,
      troubles: createTroubles(() => t.clock.nowMs),
    });
    onTestFinished(stop);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(swept).toEqual([]);
    expect(await t.storage.findCredentials('cam@example.com')).not.toBeNull();
    // One that was right all the time.
    for (let waitedMs = 0; waitedMs < FIRST_SWEEP_DELAY_MS; waitedMs += MINUTE_MS) {
      t.clock.nowMs += MINUTE_MS;
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
    }
    expect(swept).toEqual([START_MS + YEAR_MS + FIRST_SWEEP_DELAY_MS]);
  });

  test('is kept for an hour after the clock was set by more than a minute', () => {
    withFakeTimers();
    const clock = { nowMs: START_MS };
    const isSteady = createClockWatch(() => clock.nowMs, log);
    const wait = (timeMs: number, setByMs = 0) => {
      clock.nowMs += timeMs + setByMs;
      vi.advanceTimersByTime(timeMs);
      return isSteady();
    };
    expect([isSteady(), wait(MINUTE_MS), wait(MINUTE_MS, 50_000)]).toEqual([true, true, true]);
    expect([wait(MINUTE_MS, YEAR_MS), wait(59 * MINUTE_MS), wait(MINUTE_MS)]).toEqual([false, false, true]);
    expect([wait(MINUTE_MS, -YEAR_MS), wait(60 * MINUTE_MS)]).toEqual([false, true]);
  });
});
