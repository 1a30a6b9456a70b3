/** One idempotency key for each attempt to pay, as long as nobody knows what became of it. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GUEST } from '#client/tip/payer.ts';
import { cents } from '#shared/money.ts';
import { stubStorage } from './browser.ts';

const CODE = 'K7Q2M9XW4T';
const TWENTY = cents(2_000);
const FIFTY = cents(5_000);

/** The module as a page has it that has just been loaded: it remembers nothing, and the tab's storage does. */
async function loadPage() {
  vi.resetModules();
  return import('#client/tip/attempt.ts');
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('in a tab with storage', () => {
  let storage: Storage;
  beforeEach(() => {
    storage = stubStorage('sessionStorage');
  });

  it('the same payment keeps its key, of 128 random bits', async () => {
    const { openAttempt } = await loadPage();
    const attempt = openAttempt(CODE, 'cam', TWENTY);
    expect(attempt).toEqual({
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...{ userId: 'cam', amountCents: TWENTY, wasSent: false },
    });
    expect(openAttempt(CODE, 'cam', TWENTY)).toEqual(attempt);
  });

  it('the same payment keeps its key over a reload, and that it was sent', async () => {
    const before = await loadPage();
    const attempt = before.openAttempt(CODE, 'cam', TWENTY);
    before.markSent(CODE, attempt);
    const { openAttempt, unsettledAttempt } = await loadPage();
    expect(unsettledAttempt(CODE, 'cam')).toEqual({ ...attempt, wasSent: true });
    expect(openAttempt(CODE, 'cam', TWENTY)).toEqual({ ...attempt, wasSent: true });
  });

  it('a payment that was begun at a payment service keeps its transaction over a reload', async () => {
    const before = await loadPage();
    const attempt = before.openAttempt(CODE, 'cam', TWENTY);
    before.markBegun(CODE, attempt, 'txn_1');
    const { unsettledAttempt } = await loadPage();
    expect(unsettledAttempt(CODE, 'cam')).toEqual({ ...attempt, wasSent: true, transactionId: 'txn_1' });
    expect(unsettledAttempt(CODE, 'kim')).toBeNull();
  });

  it('another amount is another payment under another key, which was not sent', async () => {
    const { openAttempt, markSent, unsettledAttempt } = await loadPage();
    const first = openAttempt(CODE, 'cam', TWENTY);
    markSent(CODE, first);
    const second = openAttempt(CODE, 'cam', FIFTY);
    expect(second).toMatchObject({ amountCents: FIFTY, wasSent: false });
    expect(second.key).not.toBe(first.key);
    expect(unsettledAttempt(CODE, 'cam')).toEqual(second);
  });

  it('a payment whose outcome is known leaves nothing, and the next one has another key', async () => {
    const { openAttempt, settleAttempt, unsettledAttempt } = await loadPage();
    const { key } = openAttempt(CODE, 'cam', TWENTY);
    settleAttempt(CODE);
    expect(unsettledAttempt(CODE, 'cam')).toBeNull();
    expect(storage).toHaveLength(0);
    expect(openAttempt(CODE, 'cam', TWENTY).key).not.toBe(key);
  });

  it('nobody goes on with the payment of another person, or of another code', async () => {
    const { openAttempt, unsettledAttempt } = await loadPage();
    const { key } = openAttempt(CODE, 'cam', TWENTY);
    expect(unsettledAttempt(CODE, 'kim')).toBeNull();
    expect(unsettledAttempt('another code', 'cam')).toBeNull();
    expect(openAttempt('another code', 'cam', TWENTY).key).not.toBe(key);
    expect(unsettledAttempt(CODE, 'cam')?.key).toBe(key);
    expect(openAttempt(CODE, 'kim', TWENTY).key).not.toBe(key);
  });

  it('what a guest has not sent yet is nobody else’s, and what a guest has sent is gone on with by whoever logs in', async () => {
    const { openAttempt, markSent, unsettledAttempt, awaitsLogin } = await loadPage();
    const attempt = openAttempt(CODE, GUEST, TWENTY);
    expect(unsettledAttempt(CODE, 'cam')).toBeNull();
    markSent(CODE, attempt);
    const sent = { ...attempt, wasSent: true };
    expect(unsettledAttempt(CODE, 'cam')).toEqual(sent);
    expect(openAttempt(CODE, 'cam', TWENTY)).toEqual(sent);
    expect(awaitsLogin(CODE)).toBe(false);
    expect(openAttempt(CODE, 'cam', FIFTY)).toMatchObject({ userId: 'cam', wasSent: false });
  });

  it('what an account has sent is no guest’s, who has to login first', async () => {
    const { openAttempt, markSent, unsettledAttempt, awaitsLogin, settleAttempt } = await loadPage();
    expect(awaitsLogin(CODE)).toBe(false);
    const attempt = openAttempt(CODE, 'cam', TWENTY);
    expect(awaitsLogin(CODE)).toBe(false);
    markSent(CODE, attempt);
    expect(unsettledAttempt(CODE, GUEST)).toBeNull();
    expect(awaitsLogin(CODE)).toBe(true);
    settleAttempt(CODE);
    expect(awaitsLogin(CODE)).toBe(false);
  });

  it('what is no attempt in the storage counts as none', async () => {
    const { openAttempt, unsettledAttempt } = await loadPage();
    openAttempt(CODE, 'cam', TWENTY);
    const name = storage.key(0) ?? '';
    const sound = { key: 'a key', userId: 'cam', amountCents: 2_000, wasSent: true };
    storage.setItem(name, JSON.stringify(sound));
    expect(unsettledAttempt(CODE, 'cam')).toEqual(sound);
    for (const broken of [{ key: 1 }, { amountCents: '2000' }, { amountCents: 20.5 }, { userId: null }]) {
      storage.setItem(name, JSON.stringify({ ...sound, ...broken }));
      expect(unsettledAttempt(CODE, 'cam'), JSON.stringify(broken)).toBeNull();
    }
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        storage.setItem(name, text);
        expect(unsettledAttempt(CODE, 'cam')).toBeNull();
      }),
    );
  });
});

it('where storage is forbidden, the same payment keeps its key until the page is reloaded', async () => {
  stubStorage('sessionStorage', true);
  const page = await loadPage();
  const attempt = page.openAttempt(CODE, 'cam', TWENTY);
  page.markSent(CODE, attempt);
  expect(page.openAttempt(CODE, 'cam', TWENTY)).toEqual({ ...attempt, wasSent: true });
  page.settleAttempt(CODE);
  expect(page.unsettledAttempt(CODE, 'cam')).toBeNull();
  page.openAttempt(CODE, 'cam', TWENTY);
  expect((await loadPage()).unsettledAttempt(CODE, 'cam')).toBeNull();
});
