/** One idempotency key for each attempt to pay, as long as nobody knows what became of it. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GUEST } from '#client/tip/payer.ts';
import { cents } from '#shared/money.ts';
import { stubStorage } from './browser.ts';

const CODE = 'K7Q2M9XW4T';
const TWENTY = cents(2_000);
const FIFTY = cents(5_000);

/**
 * The module as a page has it that has just been loaded: it remembers nothing, and the tab's storage does.
 */
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
      userId: 'cam',
      amountCents: TWENTY,
      wasSent: false,
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
    settleAttempt(CODE, key);
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
    settleAttempt(CODE, attempt.key);
    expect(awaitsLogin(CODE)).toBe(false);
  });

  it('what an account has sent is its own again after other accounts, and no guest’s meanwhile', async () => {
    const { openAttempt, markSent } = await loadPage();
    const ofCam = openAttempt(CODE, 'cam', TWENTY);
    markSent(CODE, ofCam);
    const ofKim = openAttempt(CODE, 'kim', FIFTY);
    expect(ofKim.key).not.toBe(ofCam.key);
    markSent(CODE, ofKim);
    openAttempt(CODE, 'lou', FIFTY);
    const later = await loadPage();
    expect(later.awaitsLogin(CODE)).toBe(true);
    expect(later.openAttempt(CODE, 'cam', TWENTY)).toEqual({ ...ofCam, wasSent: true });
    expect(later.unsettledAttempt(CODE, 'cam')).toEqual({ ...ofCam, wasSent: true });
    later.settleAttempt(CODE, ofCam.key);
    expect(later.unsettledAttempt(CODE, 'cam')).toBeNull();
    expect(later.openAttempt(CODE, 'kim', FIFTY)).toEqual({ ...ofKim, wasSent: true });
    later.settleAttempt(CODE, ofKim.key);
    expect(later.awaitsLogin(CODE)).toBe(false);
  });

  it('an outcome ends the attempt that it is of, though another account has opened one meanwhile', async () => {
    const { openAttempt, markSent, settleAttempt, unsettledAttempt, awaitsLogin } = await loadPage();
    const ofCam = openAttempt(CODE, 'cam', TWENTY);
    markSent(CODE, ofCam);
    const ofKim = openAttempt(CODE, 'kim', FIFTY);
    settleAttempt(CODE, ofCam.key);
    expect(openAttempt(CODE, 'kim', FIFTY)).toEqual(ofKim);
    expect(awaitsLogin(CODE)).toBe(false);
    expect(unsettledAttempt(CODE, 'cam')).toBeNull();
  });

  it('what becomes of an attempt of one account changes none of another one, and none that came after it', async () => {
    const words = { message: 'Great drinks', withName: false, complaints: [] };
    const { openAttempt, markSent, markBegun, nextAttempt, giveUpAttempt, unsettledAttempt } =
      await loadPage();
    const ofCam = { ...openAttempt(CODE, 'cam', TWENTY), words };
    markSent(CODE, ofCam);
    const ofKim = openAttempt(CODE, 'kim', FIFTY);
    markBegun(CODE, ofCam, 'txn_1');
    expect(unsettledAttempt(CODE, 'cam')).toMatchObject({ key: ofCam.key, transactionId: 'txn_1' });
    const next = nextAttempt(CODE, ofCam, words);
    expect(next).toEqual({ ...ofCam, wasSent: false, key: expect.not.stringMatching(ofCam.key) });
    expect(unsettledAttempt(CODE, 'cam')).toEqual(next);
    expect(unsettledAttempt(CODE, 'kim')).toEqual(ofKim);

    markBegun(CODE, ofCam, 'txn_1');
    expect(nextAttempt(CODE, ofCam)).toBeNull();
    giveUpAttempt(CODE, ofCam);
    expect(unsettledAttempt(CODE, 'cam')).toEqual(next);
  });

  it('one that an earlier version has kept is gone on with', async () => {
    const sent = { key: 'a key', userId: 'cam', amountCents: TWENTY, wasSent: true };
    storage.setItem(`tip-attempt:${CODE}`, JSON.stringify(sent));
    const { openAttempt } = await loadPage();
    expect(openAttempt(CODE, 'cam', TWENTY)).toEqual(sent);
  });

  describe('the words of an attempt', () => {
    const WORDS = { message: 'Great drinks', withName: true, complaints: [] };
    const OTHERS = { ...WORDS, message: 'Even better' };

    it('can be changed under the same key until it is sent, and survive a reload', async () => {
      const { openAttempt, reword } = await loadPage();
      const attempt = openAttempt(CODE, 'cam', TWENTY);
      const worded = reword(CODE, attempt, WORDS);
      expect(worded).toEqual({ ...attempt, words: WORDS });
      expect(reword(CODE, worded, OTHERS)).toEqual({ ...attempt, words: OTHERS });
      const after = await loadPage();
      expect(after.openAttempt(CODE, 'cam', TWENTY)).toEqual({ ...attempt, words: OTHERS });
      expect(after.reword(CODE, worded, undefined)).toEqual(attempt);
      expect(after.openAttempt(CODE, 'cam', TWENTY)).toEqual(attempt);
    });

    it('stay as they were sent while nobody knows what became of it', async () => {
      const before = await loadPage();
      const attempt = before.reword(CODE, before.openAttempt(CODE, 'cam', TWENTY), WORDS);
      before.markSent(CODE, attempt);
      // Also for whoever still holds the attempt as it was before it was sent.
      expect(before.reword(CODE, attempt, OTHERS)).toBe(attempt);
      const { openAttempt, reword, unsettledAttempt } = await loadPage();
      const sent = { ...attempt, wasSent: true };
      expect(reword(CODE, openAttempt(CODE, 'cam', TWENTY), undefined)).toEqual(sent);
      expect(unsettledAttempt(CODE, 'cam')).toEqual(sent);
    });

    it('begin the next attempt under another key once it is known that nothing was paid', async () => {
      const { openAttempt, reword, markBegun, giveUpAttempt, unsettledAttempt } = await loadPage();
      const attempt = reword(CODE, openAttempt(CODE, 'cam', TWENTY), WORDS);
      markBegun(CODE, attempt, 'txn_1');
      giveUpAttempt(CODE, attempt);
      const next = unsettledAttempt(CODE, 'cam');
      expect(next).toEqual({
        userId: 'cam',
        amountCents: TWENTY,
        wasSent: false,
        words: WORDS,
        key: expect.not.stringMatching(attempt.key),
      });
      expect(openAttempt(CODE, 'cam', TWENTY)).toEqual(next);
    });

    it('are forgotten with a tip that was paid, and leave nothing where there were none', async () => {
      const { openAttempt, reword, settleAttempt, giveUpAttempt } = await loadPage();
      giveUpAttempt(CODE, openAttempt(CODE, 'cam', TWENTY));
      expect(storage).toHaveLength(0);
      settleAttempt(CODE, reword(CODE, openAttempt(CODE, 'cam', TWENTY), WORDS).key);
      expect(storage).toHaveLength(0);
      expect(openAttempt(CODE, 'cam', TWENTY)).not.toHaveProperty('words');
    });

    it('go along to another amount, and with a guest who logs in, but to nobody else', async () => {
      const { openAttempt, reword } = await loadPage();
      reword(CODE, openAttempt(CODE, GUEST, TWENTY), WORDS);
      expect(openAttempt(CODE, GUEST, FIFTY)).toMatchObject({ words: WORDS });
      expect(openAttempt(CODE, 'cam', FIFTY)).toMatchObject({ userId: 'cam', words: WORDS });
      expect(openAttempt(CODE, 'kim', FIFTY)).not.toHaveProperty('words');
      reword(CODE, openAttempt(CODE, 'kim', FIFTY), WORDS);
      expect(openAttempt(CODE, GUEST, FIFTY)).not.toHaveProperty('words');
    });

    it('are left out where they cannot be read, and the key stays', async () => {
      const { openAttempt, markSent, unsettledAttempt } = await loadPage();
      const attempt = openAttempt(CODE, 'cam', TWENTY);
      markSent(CODE, attempt);
      const name = storage.key(0) ?? '';
      for (const words of [
        1,
        'words',
        [],
        { message: 1, withName: true },
        { message: 'Hi', withName: 'yes' },
      ]) {
        storage.setItem(name, JSON.stringify({ ...attempt, wasSent: true, words }));
        expect(unsettledAttempt(CODE, 'cam'), JSON.stringify(words)).toEqual({ ...attempt, wasSent: true });
      }
      const complaints = [{ field: 'message', message: 'No' }, { field: 'message' }, null, 'No'];
      storage.setItem(name, JSON.stringify({ ...attempt, words: { ...WORDS, complaints } }));
      expect(unsettledAttempt(CODE, 'cam')?.words?.complaints).toEqual([complaints[0]]);
    });
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
  page.settleAttempt(CODE, attempt.key);
  expect(page.unsettledAttempt(CODE, 'cam')).toBeNull();
  page.openAttempt(CODE, 'cam', TWENTY);
  expect((await loadPage()).unsettledAttempt(CODE, 'cam')).toBeNull();
});
