/** Sending a tip to the real app, over a connection that loses what it is told to: nobody pays twice. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Attempt } from '#client/tip/attempt.ts';
import type { Provider } from '#client/tip/provider.ts';
import { brand } from '#shared/brand.ts';
import { AppError } from '#shared/errors.ts';
import { cents, putInForce, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';
import { REFUSALS } from '#shared/refusals.ts';
import { listTips } from '#tests/support/ledger-steps.ts';
import { beginSession } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';
import { stubStorage, toastsOf, trpcAnswerOf } from './browser.ts';

const TWENTY = cents(2_000);
const PAYMENT_FAILED = 'Payment failed. Please try again.';
const TIP_SENT = 'Tip sent successfully! $20.00 sent to Pat Doe';

const NOT_SENT = { type: 'failed', interruption: 'not-sent' };
const NO_ANSWER = { type: 'failed', interruption: 'no-answer' };
const REFUSED = { type: 'failed', interruption: null };
const PAID = expect.objectContaining({ type: 'paid' });

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  putInForce(SPECIFIED_TERMS);
});

/** A customer in front of a provider's code, with a connection that is sound until it is told otherwise. */
async function openTipPage() {
  const t = await createTestApp();
  const receiver = await enter(t, 'pat', ['bartender']);
  const giver = await enter(t, 'cam');
  const connection: {
    answer: ((answer: Response) => Response | Promise<Response>) | null;
    requests: number;
    lastBody: RequestInit['body'];
    /** What a proxy sends in place of a body. */
    swappedBody: RequestInit['body'];
  } = {
    answer: (answer) => answer,
    requests: 0,
    lastBody: null,
    swappedBody: null,
  };
  const device = { onLine: true };
  stubStorage('sessionStorage');
  const storage = stubStorage('localStorage');
  vi.stubGlobal('navigator', device);
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    connection.requests += 1;
    const body = connection.swappedBody ?? init.body ?? null;
    connection.lastBody = init.body;
    const answer = await t.send(url, { ...init, body, signal: null });
    if (connection.answer === null) throw new TypeError('Failed to fetch');
    return connection.answer(answer);
  });
  vi.resetModules();
  const { sendTip } = await import('#client/tip/send-tip.ts');
  const { openAttempt, unsettledAttempt, reword } = await import('#client/tip/attempt.ts');
  const toasts = await import('#client/toasts.ts');
  const { beginSession: logIn, readToken } = await import('#client/session/session.ts');
  const [qrId = ''] = receiver.codes;
  const provider: Provider = {
    qrId,
    fullName: 'Pat Doe',
    username: 'pat',
    serviceCategory: 'bartender',
    isDemo: false,
  };
  const me = () => t.trpc(giver.token).auth.me.query();
  logIn(giver.token, await me());
  return {
    t,
    giver,
    receiver,
    provider,
    connection,
    device,
    storage,
    readToken,
    pay: (to: Provider = provider) => sendTip(to, openAttempt(to.qrId, giver.user.id, TWENTY)),
    open: () => unsettledAttempt(qrId, giver.user.id),
    openAs: (payerId: string) => openAttempt(qrId, payerId, TWENTY),
    async setTerms(changed: Partial<Terms>) {
      const next = { ...SPECIFIED_TERMS, ...changed, version: 1, fromMs: 0, createdAtMs: t.clock.nowMs };
      await t.storage.addTerms(next);
      await t.app.tick();
    },
    write: (message: string, withName = false) =>
      reword(qrId, openAttempt(qrId, giver.user.id, TWENTY), { message, withName, complaints: [] }),
    tips: () => listTips(t.storage, giver.user.id),
    toasts: () => toastsOf(toasts),
    logInAs: async (token: string) => logIn(token, await t.trpc(token).auth.me.query()),
    async logInAgain() {
      const token = await beginSession(t.storage, giver.user.email);
      logIn(token, await t.trpc(token).auth.me.query());
    },
  };
}

it('pays nothing when a proxy sends the body of another tip in its place, and pays under the same key when it is sent again', async () => {
  const page = await openTipPage();
  await page.pay();
  page.connection.swappedBody = page.connection.lastBody;
  const [earlier] = await page.tips();
  expect(await page.pay()).toEqual({ event: REFUSED, next: null });
  expect(page.toasts()).toEqual([TIP_SENT, REFUSALS.attempts_differ.detail]);
  expect(await page.tips()).toEqual([earlier]);
  const key = page.open()?.key;
  expect(key).toEqual(expect.any(String));
  page.connection.swappedBody = null;
  expect(await page.pay()).toEqual({ event: PAID, next: null });
  expect(page.connection.lastBody).toContain(key);
  expect(await page.tips()).toHaveLength(2);
});

it('sends a new key after a tip that is open and has no page, as one of keys that are gone', async () => {
  const page = await openTipPage();
  page.connection.answer = async (answer) =>
    new Response((await answer.text()).replace('"status":"completed"', '"status":"pending"'), answer);
  expect(await page.pay()).toEqual({ event: REFUSED, next: null });
  expect(page.toasts()).toEqual([PAYMENT_FAILED]);
  expect(page.open()).toBeNull();
  page.connection.answer = (answer) => answer;
  expect(await page.pay()).toEqual({ event: PAID, next: null });
  expect(await page.tips()).toHaveLength(2);
});

it('pays no attempt of another account than the one that is logged in now, and keeps its message for that one', async () => {
  const page = await openTipPage();
  page.write('for Pat, from Cam');
  const other = await page.t.registerCustomer('other');
  await page.logInAs(other.token);
  const failed = { type: 'failed', interruption: null };
  expect(await page.pay()).toEqual({ event: failed, next: null });
  expect(page.toasts()).toEqual([expect.stringContaining('Nothing was charged')]);
  expect(page.connection.requests).toBe(0);
  await page.logInAs(page.giver.token);
  expect(await page.pay()).toEqual({ event: PAID, next: null });
  expect(page.connection.lastBody).toContain('for Pat, from Cam');
});

it('pays no attempt by a token that another tab has stored since, before it is known whose that is', async () => {
  const page = await openTipPage();
  page.write('for Pat, from Cam');
  const other = await page.t.registerCustomer('other');
  page.storage.setItem(brand.tokenStorageKey, other.token);
  expect(await page.pay()).toEqual({ event: REFUSED, next: null });
  expect(page.toasts()).toEqual([expect.stringContaining('Another account is logged in now')]);
  expect(await listTips(page.t.storage, other.user.id)).toEqual([]);
  expect(page.open()).toMatchObject({ wasSent: false });

  await page.logInAs(page.giver.token);
  page.storage.setItem(brand.tokenStorageKey, other.token);
  page.connection.answer = null;
  expect(await page.pay()).toEqual({ event: NOT_SENT, next: null });
  page.connection.answer = (answer) => answer;
  page.storage.removeItem(brand.tokenStorageKey);
  expect(await page.pay()).toEqual({ event: REFUSED, next: 'login' });

  page.storage.setItem(brand.tokenStorageKey, await beginSession(page.t.storage, page.giver.user.email));
  expect(await page.pay()).toEqual({ event: PAID, next: null });
  expect(page.connection.lastBody).toContain('for Pat, from Cam');
});

it('pays once, says so, and closes the attempt, so that a second tip of the same amount is a second one', async () => {
  const page = await openTipPage();
  const sent = await page.pay();
  const [recorded, ...others] = await page.tips();
  expect(others).toEqual([]);
  expect(sent).toEqual({
    event: {
      type: 'paid',
      receipt: {
        amountCents: TWENTY,
        giverFeeCents: 100,
        transactionId: recorded?.id,
        paymentMode: 'simulated',
        thankYou: null,
        undoUntil: expect.any(String),
        capturesAt: null,
        paidAt: new Date(recorded?.createdAtMs ?? 0).toISOString(),
      },
    },
    next: null,
  });
  expect(page.toasts()).toEqual([TIP_SENT]);
  expect(page.open()).toBeNull();

  expect(await page.pay()).toMatchObject({ event: PAID });
  expect(await page.tips()).toHaveLength(2);
});

describe('nobody pays twice', () => {
  it('when the answer is lost after the tip was recorded, however often', async () => {
    const page = await openTipPage();
    page.connection.answer = null;
    for (let attempts = 0; attempts < 3; attempts += 1)
      expect(await page.pay()).toEqual({ event: NO_ANSWER, next: null });
    expect(page.open()).toMatchObject({ amountCents: TWENTY, wasSent: true });
    page.connection.answer = (answer) => answer;
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await page.tips()).toHaveLength(1);
    expect(page.toasts()).toEqual([PAYMENT_FAILED, PAYMENT_FAILED, PAYMENT_FAILED, TIP_SENT]);
    expect(page.open()).toBeNull();
  });

  it.each([
    'busy',
    'storage_unavailable',
    'internal',
  ] as const)('when the server answers "%s" although the tip was recorded', async (code) => {
    const page = await openTipPage();
    page.connection.answer = () => trpcAnswerOf(new AppError(code));
    expect(await page.pay()).toEqual({ event: REFUSED, next: null });
    expect(page.toasts()).toEqual([REFUSALS[code].detail]);
    page.connection.answer = (answer) => answer;
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await page.tips()).toHaveLength(1);
  });

  it.each([
    'account_suspended',
    'second_factor_required',
  ] as const)('when the answer is lost and the account is refused (%s) before it is tried again', async (code) => {
    const page = await openTipPage();
    page.connection.answer = null;
    await page.pay();
    page.connection.answer = () => trpcAnswerOf(new AppError(code));
    expect(await page.pay()).toEqual({ event: REFUSED, next: null });
    page.connection.answer = (answer) => answer;
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await page.tips()).toHaveLength(1);
  });

  it('when the answer is lost and the session ends before it is tried again', async () => {
    const page = await openTipPage();
    page.connection.answer = null;
    await page.pay();
    page.connection.answer = (answer) => answer;
    await page.t.trpc(page.giver.token).auth.logout.mutate();
    expect(await page.pay()).toEqual({ event: REFUSED, next: 'login' });
    expect(page.readToken()).toBeNull();
    await page.logInAgain();
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await page.tips()).toHaveLength(1);
  });

  it('when the answer is lost and then the connection, without a word that nothing was charged', async () => {
    const page = await openTipPage();
    page.connection.answer = null;
    await page.pay();
    page.device.onLine = false;
    expect(await page.pay()).toEqual({ event: NO_ANSWER, next: null });
    page.device.onLine = true;
    page.connection.answer = (answer) => answer;
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await page.tips()).toHaveLength(1);
  });
});

it('says of a tip that went back before its answer came neither that it was sent nor that it failed', async () => {
  const page = await openTipPage();
  page.connection.answer = null;
  await page.pay();
  const [tip] = await page.tips();
  await page.t.trpc(page.giver.token).transactions.refund.mutate({ id: tip?.id ?? '' });
  page.connection.answer = (answer) => answer;
  const before = page.toasts();
  expect(await page.pay()).toEqual({ event: PAID, next: 'receipt' });
  expect(page.toasts()).toEqual(before);
  expect(page.open()).toBeNull();
});

it('says that nothing was sent only when the device has no connection at all', async () => {
  const page = await openTipPage();
  page.device.onLine = false;
  expect(await page.pay()).toEqual({ event: NOT_SENT, next: null });
  expect(page.connection.requests).toBe(0);
  expect(page.open()).toMatchObject({ wasSent: false });
});

it('asks to log in when the session has ended before anything was sent, and closes the attempt', async () => {
  const page = await openTipPage();
  await page.t.trpc(page.giver.token).auth.logout.mutate();
  expect(await page.pay()).toEqual({ event: REFUSED, next: 'login' });
  expect(page.open()).toBeNull();
});

it('says the server’s own words when it refuses for good, and closes the attempt', async () => {
  const page = await openTipPage();
  expect(await page.pay({ ...page.provider, serviceCategory: 'dj' })).toEqual({
    event: REFUSED,
    next: null,
  });
  expect(page.toasts()).toEqual([expect.stringMatching(/service/)]);
  expect(page.open()).toBeNull();
  expect(await page.tips()).toEqual([]);
});

describe('words', () => {
  const words = async ({ t, receiver }: Awaited<ReturnType<typeof openTipPage>>) => {
    const { transactions } = await t.trpc(receiver.token).transactions.list.query({});
    return transactions.map(({ message, giverName }) => [message, giverName]);
  };

  it('are sent with the tip, and are forgotten with it', async () => {
    const page = await openTipPage();
    page.write('  Great\ndrinks ', true);
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(page.open()).toBeNull();
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await words(page)).toEqual([
      [null, null],
      ['Great drinks', page.giver.user.fullName],
    ]);
  });

  it('are the same under the same key after a lost answer, so that the tip is paid once', async () => {
    const page = await openTipPage();
    page.write('Great drinks');
    page.connection.answer = null;
    expect(await page.pay()).toEqual({ event: NO_ANSWER, next: null });
    page.connection.answer = (answer) => answer;
    // What is written meanwhile is not taken.
    page.write('Other words');
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await words(page)).toEqual([['Great drinks', null]]);
  });

  it('that are refused stay, with what is said against them, for another attempt with the same amount', async () => {
    const page = await openTipPage();
    const { key } = page.write('See www.example.com', true);
    const complaints = [{ field: 'message', message: 'The message must not have links.' }];
    const refused = { message: 'See www.example.com', withName: true, complaints };
    const sent = await page.pay();
    const open = page.open();
    expect(open).toMatchObject({ amountCents: TWENTY, wasSent: false, words: refused });
    expect(open?.key).not.toBe(key);
    expect(sent).toEqual({ event: { type: 'revised', attempt: open }, next: null });
    expect(await page.tips()).toEqual([]);
    page.write('See you');
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await words(page)).toEqual([['See you', null]]);
  });

  it('are dropped where the code takes none any more, and the tip can be given without', async () => {
    const page = await openTipPage();
    page.write('Great drinks', true);
    const [id = ''] = page.receiver.codes;
    await page.t.trpc(page.receiver.token).qrCodes.update.mutate({ id, takesWords: false });
    expect(await page.pay()).toMatchObject({ event: { type: 'revised' } });
    expect(page.toasts()).toEqual([REFUSALS.words_not_taken.detail]);
    expect(page.open()?.words).toMatchObject({ message: '', withName: false });
    expect(await page.tips()).toEqual([]);
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await words(page)).toEqual([[null, null]]);
  });

  it('survive a session that has ended, for whoever logs in again', async () => {
    const page = await openTipPage();
    page.write('Great drinks');
    await page.t.trpc(page.giver.token).auth.logout.mutate();
    expect(await page.pay()).toEqual({ event: REFUSED, next: 'login' });
    await page.logInAgain();
    expect(await page.pay()).toMatchObject({ event: PAID });
    expect(await words(page)).toEqual([['Great drinks', null]]);
  });
});

it.each(['paused', 'blocked'] as const)('says of a code that takes no tips (%s) the same', async (why) => {
  const page = await openTipPage();
  const receiver = page.t.trpc(page.receiver.token);
  const [id = ''] = page.receiver.codes;
  expect(await page.pay()).toMatchObject({ event: PAID });
  const [tip] = await page.tips();
  if (why === 'paused') await receiver.qrCodes.update.mutate({ id, status: 'paused' });
  else await receiver.messages.block.mutate({ id: tip?.id ?? '' });
  expect(await page.pay()).toEqual({ event: { type: 'failed', interruption: 'paused' }, next: null });
  expect(page.toasts()).toEqual([TIP_SENT, `${REFUSALS.qr_code_paused.detail} Nothing was charged.`]);
  expect(page.open()).toBeNull();
});

describe('what one account is answered while another one prepares a tip at the same code', () => {
  async function meanwhile(change: (page: Awaited<ReturnType<typeof openTipPage>>) => Promise<unknown>) {
    const page = await openTipPage();
    await change(page);
    let ofOther: Attempt | null = null;
    page.connection.answer = (answer) => {
      ofOther = page.openAs('other');
      return answer;
    };
    await page.pay();
    expect(page.openAs('other')).toEqual(ofOther);
    return page;
  }

  it('about its message', async () => {
    const page = await meanwhile(async ({ write }) => write('See www.example.com'));
    expect(page.open()?.words?.complaints).toHaveLength(1);
  });

  it('about new fees', async () => {
    const page = await meanwhile(({ setTerms }) => setTerms({ giverFeeRate: 1_000 }));
    expect(page.open()).toMatchObject({ amountCents: TWENTY, wasSent: false });
    expect(page.toasts()).toEqual(['The fees have changed. Nothing was charged. The total is $22.00 now.']);
  });
});

it('loads the page anew where another currency holds by now, in which the amount would be another one', async () => {
  const page = await openTipPage();
  await page.setTerms({ currency: 'JPY', exponent: 0 });
  expect(await page.pay()).toEqual({ event: REFUSED, next: 'other-page' });
  expect(page.toasts()).toEqual([]);
});

it('plays at paying a demo for two seconds, without asking the server anything', async () => {
  const page = await openTipPage();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const demo = { ...page.provider, qrId: 'demo-pat-bartender', isDemo: true };
  let isOver = false;
  const paying = page.pay(demo).finally(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(1_999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await paying).toMatchObject({ event: { type: 'paid', receipt: { transactionId: null } } });
  expect(page.toasts()).toEqual(['Demo tip sent successfully! $20.00 sent to Pat Doe']);
  expect(page.connection.requests).toBe(0);
});
