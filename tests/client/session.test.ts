/** Who is logged in on a device, as far as the device itself knows it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { newUserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';
import { fill, stubPage, stubStorage } from './browser.ts';

const user: User = {
  id: newUserId((size) => Buffer.alloc(size)),
  email: 'cam@example.com',
  username: 'cam',
  fullName: 'Cam',
  phone: null,
  isServiceProvider: false,
  serviceCategories: [],
  dayStartHour: null,
  mustChangePassword: false,
  mustAddSecondFactor: false,
  totalTipsReceivedCents: cents(0),
  totalTipsGivenCents: cents(0),
};

async function loadPage() {
  vi.resetModules();
  return import('#client/session/session.ts');
}

let storage: Storage;
let page: ReturnType<typeof stubPage>;
beforeEach(() => {
  storage = stubStorage('localStorage');
  page = stubPage();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a page that is loaded', () => {
  it('is signed out without a token, and verifies one that is stored', async () => {
    expect((await loadPage()).presentSession()).toEqual({ status: 'signed-out' });
    storage.setItem(brand.tokenStorageKey, 'a token');
    const { presentSession, readToken } = await loadPage();
    expect(presentSession()).toEqual({ status: 'checking' });
    expect(readToken()).toBe('a token');
  });

  it('keeps the token of a login until the session ends', async () => {
    const { beginSession, endSession, presentSession } = await loadPage();
    beginSession('a token', user);
    expect(presentSession()).toEqual({ status: 'signed-in', user, token: 'a token' });
    expect(storage.getItem(brand.tokenStorageKey)).toBe('a token');
    endSession();
    expect(presentSession()).toEqual({ status: 'signed-out' });
    expect(storage).toHaveLength(0);
  });

  it('keeps the token for as long as it is open where storage is forbidden', async () => {
    stubStorage('localStorage', true);
    const { beginSession, endSession, readToken } = await loadPage();
    beginSession('a token', user);
    expect(readToken()).toBe('a token');
    endSession();
    expect(readToken()).toBeNull();
    beginSession('a token', user);
    expect((await loadPage()).readToken()).toBeNull();
  });
});

describe('a full storage', () => {
  it('takes no token, which the page keeps until the session ends', async () => {
    fill(storage);
    const { beginSession, endSession, presentSession, readToken } = await loadPage();
    beginSession('a token', user);
    expect([readToken(), presentSession().status]).toEqual(['a token', 'signed-in']);
    endSession();
    expect([readToken(), presentSession().status]).toEqual([null, 'signed-out']);
  });
});

describe('what another tab does', () => {
  const tell = (key: string | null) =>
    page.window.dispatchEvent(Object.assign(new Event('storage'), { key }));

  it('signs this one out when the token is gone, also when all of the storage is', async () => {
    for (const key of [brand.tokenStorageKey, null]) {
      const { beginSession, followOtherTabs, presentSession } = await loadPage();
      const stop = followOtherTabs(() => expect.unreachable('there is nothing to verify'));
      beginSession('a token', user);
      storage.clear();
      tell(key);
      expect(presentSession()).toEqual({ status: 'signed-out' });
      stop();
    }
  });

  it('lets this one verify another token, unless it listens no more or the token is not what changed', async () => {
    const { followOtherTabs } = await loadPage();
    let verified = 0;
    const stop = followOtherTabs(() => {
      verified += 1;
    });
    storage.setItem(brand.tokenStorageKey, 'another token');
    tell('something else');
    expect(verified).toBe(0);
    tell(brand.tokenStorageKey);
    expect(verified).toBe(1);
    stop();
    tell(brand.tokenStorageKey);
    expect(verified).toBe(1);
  });

  it('is found by a page that the browser had kept for Back, and heard of nothing', async () => {
    storage.setItem(brand.tokenStorageKey, 'a token');
    const { become, beginSession, followOtherTabs, presentSession } = await loadPage();
    let verified = 0;
    const stop = followOtherTabs(() => {
      verified += 1;
    });
    const pass = (type: string) =>
      page.window.dispatchEvent(Object.assign(new Event(type), { persisted: true }));
    beginSession('a token', user);
    pass('pagehide');
    pass('pageshow');
    expect([verified, presentSession().status]).toEqual([0, 'signed-in']);
    pass('pagehide');
    storage.setItem(brand.tokenStorageKey, 'another token');
    pass('pageshow');
    expect([verified, presentSession().status]).toEqual([1, 'signed-in']);
    // A question that was under way has failed because the page was left.
    pass('pagehide');
    become({ status: 'unreachable' });
    pass('pageshow');
    expect(verified).toBe(2);
    pass('pagehide');
    storage.clear();
    pass('pageshow');
    expect([verified, presentSession().status]).toEqual([2, 'signed-out']);
    stop();
  });
});

describe('an answer about the stored token', () => {
  const other: User = { ...user, username: 'sam', fullName: 'Sam' };

  /** Asks whose the token is, and lets `meanwhile` happen before `answer` arrives. */
  async function verified(
    meanwhile: (loaded: Awaited<ReturnType<typeof loadPage>>) => void,
    answer: Response,
  ) {
    let answerNow: (() => void) | undefined;
    vi.stubGlobal(
      'fetch',
      () =>
        new Promise<Response>((resolve) => {
          answerNow = () => resolve(answer);
        }),
    );
    storage.setItem(brand.tokenStorageKey, 'a token');
    const loaded = await loadPage();
    const { verifySession } = await import('#client/calls.ts');
    const verifying = verifySession();
    await vi.waitFor(() => expect(answerNow).toBeDefined());
    meanwhile(loaded);
    answerNow?.();
    await verifying;
    return loaded.presentSession();
  }

  const mine = () => Response.json([{ result: { data: user } }]);

  it('signs the page in', async () => {
    expect(await verified(() => {}, mine())).toEqual({ status: 'signed-in', user, token: 'a token' });
  });

  it('signs nobody in once the token is gone', async () => {
    expect(await verified(({ endSession }) => endSession(), mine())).toEqual({ status: 'signed-out' });
  });

  it('leaves the server unreachable when it does not come in time', async () => {
    const patience = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
    vi.stubGlobal('fetch', (_: unknown, init?: RequestInit) => {
      patience.abort();
      return init?.signal?.aborted ? Promise.reject(init.signal.reason) : new Promise(() => {});
    });
    storage.setItem(brand.tokenStorageKey, 'a token');
    const { presentSession } = await loadPage();
    await (await import('#client/calls.ts')).verifySession();
    expect(presentSession()).toEqual({ status: 'unreachable' });
    expect(timeout).toHaveBeenCalledWith(CLIENT_PATIENCE_MS);
    timeout.mockRestore();
  });

  it.each([
    ['tells whose that one was', mine()],
    ['is a failure', new Response('', { status: 502 })],
  ])('changes nothing once another one is stored, when it %s', async (_, answer) => {
    const session = await verified(({ beginSession }) => beginSession('another token', other), answer);
    expect(session).toEqual({ status: 'signed-in', user: other, token: 'another token' });
  });
});
