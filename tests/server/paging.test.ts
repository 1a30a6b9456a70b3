/**
 * A listing is the whole history, newest first, in pages that neither double nor drop a tip, also while new
 * ones arrive, and a cursor of somebody else's is no cursor.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, test, vi } from 'vitest';
import type { TransactionId } from '#shared/ids.ts';
import { call, callTrpc, DOORS, refusedBy } from '#tests/support/both-doors.ts';
import { listTips } from '#tests/support/ledger-steps.ts';
import { createTestApp, type RestAnswer, type TestApp } from '#tests/support/test-app.ts';
import { enter, giveMany } from '#tests/support/test-ledger.ts';

/** No history here has as many pages: a listing that repeats itself ends there. */
const MANY_PAGES = 30;

/** Two providers who tip each other and a customer who tips both: pat has sent and received. */
async function createHistory(count: number) {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender']);
  const sam = await enter(t, 'sam', ['barber']);
  const cam = await enter(t, 'cam');
  const toPat = { receiverQrId: pat.codes[0] ?? '', serviceCategory: 'bartender' } as const;
  const toSam = { receiverQrId: sam.codes[0] ?? '', serviceCategory: 'barber' } as const;
  const amountCents = 1_000;

  /** Ids of pat's tips, newest first. */
  const ids: string[] = [];
  async function tipPat(): Promise<void> {
    ids.unshift((await cam.trpc.transactions.create.mutate({ ...toPat, amountCents })).id);
  }
  async function tipFromPat(): Promise<void> {
    ids.unshift((await pat.trpc.transactions.create.mutate({ ...toSam, amountCents })).id);
  }
  /** Gives a tip that pat neither gave nor receives. */
  const tipSam = () => cam.trpc.transactions.create.mutate({ ...toSam, amountCents });

  for (let index = 0; index < count; index += 1) {
    await (index % 3 === 1 ? tipFromPat() : tipPat());
    if (index % 4 === 0) await tipSam();
  }
  return { t, pat, sam, cam, ids, tipPat, tipFromPat, tipSam };
}

/** The chunks of a body, as they are made. */
async function* bodyOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}

const idsOf = ({ body }: RestAnswer): string[] => body.map(({ id }: { id: string }) => id);

/** The path of the next page below /api, from the Link header (RFC 8288); null on the last page. */
function nextPath({ headers }: RestAnswer): string | null {
  const link = headers.get('Link');
  if (link === null) return null;
  const target = /^<\/api(\/(?:transactions|ended-qr-codes)\?[^<>]+)>; rel="next"$/.exec(link)?.[1];
  if (target === undefined) throw new Error(`the link leads astray: ${link}`);
  return target;
}

/** Follows the links of REST from the first page to the last. */
async function followLinks(
  t: TestApp,
  token: string,
  limit: number,
  between = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let path: string | null = `/transactions?limit=${limit}`; path !== null; ) {
    const answer: RestAnswer = await t.rest('GET', path, { token });
    expect(answer.status).toBe(200);
    pages.push(idsOf(answer));
    expect(pages.length).toBeLessThan(MANY_PAGES);
    path = nextPath(answer);
    await between();
  }
  return pages;
}

/** Follows the cursors of tRPC from the first page to the last. */
async function followCursors(
  { trpc }: { trpc: ReturnType<TestApp['trpc']> },
  limit: number,
  between = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof trpc.transactions.list.query>> = await trpc.transactions.list.query(
      {
        limit,
        ...(cursor !== null && { cursor: cursor as TransactionId }),
      },
    );
    pages.push(page.transactions.map(({ id }) => id));
    expect(pages.length).toBeLessThan(MANY_PAGES);
    cursor = page.nextCursor;
    await between();
  } while (cursor !== null);
  return pages;
}

describe.each([1, 2, 3, 5, 7, 12, 13, 200])('in pages of %i', (limit) => {
  test('both doors tell the same whole history, newest first, sent and received', async () => {
    const { t, pat, ids } = await createHistory(12);
    const pages = Array.from({ length: Math.ceil(12 / limit) }, (_, page) =>
      ids.slice(page * limit, (page + 1) * limit),
    );
    expect(await followLinks(t, pat.token, limit)).toEqual(pages);
    expect(await followCursors(pat, limit)).toEqual(pages);
  });
});

test.each([
  'REST',
  'tRPC',
])('tips that arrive meanwhile neither double nor drop one, through %s', async (door) => {
  const { t, pat, ids, tipPat, tipFromPat, tipSam } = await createHistory(12);
  const atFirst = [...ids];
  const tipMore = async () => {
    await tipPat();
    await tipFromPat();
    await tipSam();
  };
  const pages = await (door === 'REST'
    ? followLinks(t, pat.token, 5, tipMore)
    : followCursors(pat, 5, tipMore));
  expect(pages.flat()).toEqual(atFirst);
});

test('the order is that of the tips, also when the clock was set back in between', async () => {
  const { t, pat, ids, tipPat } = await createHistory(4);
  t.clock.nowMs -= 3_600_000;
  await tipPat();
  expect((await followLinks(t, pat.token, 2)).flat()).toEqual(ids);
  const times = (await t.rest('GET', '/transactions', { token: pat.token })).body.map(
    (tip: { created_at: string }) => tip.created_at,
  );
  expect([...times].sort()).not.toEqual([...times].reverse());
});

test('the same page is the same however often it is asked for', async () => {
  const { t, pat, tipPat } = await createHistory(6);
  const first = await t.rest('GET', '/transactions?limit=3', { token: pat.token });
  const second = nextPath(first) ?? '';
  const before = await t.rest('GET', second, { token: pat.token });
  await tipPat();
  expect((await t.rest('GET', second, { token: pat.token })).body).toEqual(before.body);
});

test('REST answers the whole history without a limit, and without a link', async () => {
  const { t, pat, ids } = await createHistory(60);
  const answer = await t.rest('GET', '/transactions', { token: pat.token });
  expect(idsOf(answer)).toEqual(ids);
  expect(answer.headers.has('Link')).toBe(false);
  const older = await t.rest('GET', `/transactions?cursor=${ids[9]}`, { token: pat.token });
  expect(idsOf(older)).toEqual(ids.slice(10));
});

describe('a long history without a limit', () => {
  /** Pages of 200 and one more tip. */
  const LENGTH = 401;
  const TURNS_AT_LEAST = 3;

  async function createLongHistory() {
    const history = await createHistory(1);
    const { t, pat, ids, cam } = history;
    await giveMany(t, cam, pat, LENGTH - 1);
    t.clock.nowMs += LENGTH * 1_000;
    const stored = await listTips(t.storage, pat.user.id);
    expect(stored).toHaveLength(LENGTH);
    ids.unshift(...stored.slice(0, -1).map(({ id }) => id));
    const open = async () =>
      t.send('/api/transactions', { headers: { Authorization: `Bearer ${pat.token}` } });
    return { ...history, open };
  }

  test('is one whole list, as it was at the beginning, whatever arrives meanwhile', async () => {
    const { ids, tipPat, tipFromPat, open } = await createLongHistory();
    const atFirst = [...ids];
    const answer = await open();
    expect(answer.headers.get('Content-Type')).toBe('application/json');
    const parts: string[] = [];
    for await (const part of bodyOf(answer)) {
      parts.push(Buffer.from(part).toString());
      await tipPat();
      await tipFromPat();
    }
    expect(parts.length).toBeGreaterThanOrEqual(TURNS_AT_LEAST);
    const listed: { id: string }[] = JSON.parse(parts.join(''));
    expect(listed.map(({ id }) => id)).toEqual(atFirst);
  });

  test('leaves the event loop to others after each page', async () => {
    const { t, pat, open } = await createLongHistory();
    // Looking the session up, before each page, and moving its end would take turns of their own.
    await pat.trpc.auth.me.query();
    const find = t.storage.findSession;
    let found: ReturnType<typeof find> | undefined;
    vi.spyOn(t.storage, 'findSession').mockImplementation((...asked) => {
      found ??= find(...asked);
      return found;
    });
    let turn = 0;
    const count = () => {
      turn += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const list = t.storage.listTransactions;
    const turns: number[] = [];
    vi.spyOn(t.storage, 'listTransactions').mockImplementation((...asked) => {
      turns.push(turn);
      return list(...asked);
    });
    const listed: unknown[] = await (await open()).json();
    clearImmediate(counting);
    expect(listed).toHaveLength(LENGTH);
    expect(turns.length).toBeGreaterThanOrEqual(TURNS_AT_LEAST);
    expect(new Set(turns).size).toBe(turns.length);
  });

  test('counts once, as a page of it would', async () => {
    const { t, pat } = await createLongHistory();
    const limited = await createTestApp({ config: { isRateLimited: true }, data: t.data });
    limited.clock.nowMs = t.clock.nowMs;
    const leftAfter = async (query = '') =>
      (await limited.rest('GET', `/transactions${query}`, { token: pat.token })).headers.get('RateLimit');
    expect(await leftAfter()).toBe('"lists";r=599;t=60');
    expect(await leftAfter('?limit=1')).toBe('"lists";r=598;t=60');
  });

  test.each([
    'application/json',
    'text/csv',
  ])('is sent to its end once it has begun, however many the account asks for at once (%s)', async (type) => {
    const { t, pat } = await createLongHistory();
    const headers = { Authorization: `Bearer ${pat.token}`, Accept: type };
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => t.send('/api/transactions', { headers })),
    );
    const begun = answers.filter(({ status }) => status === 200);
    // Those that wait with these to be begun are refused; what has begun is not.
    expect(begun.length).toBeGreaterThanOrEqual(50);
    const lengths = await Promise.all(begun.map(async (answer) => (await answer.text()).length));
    expect(new Set(lengths).size).toBe(1);
    for (const { status } of answers) expect([200, 503]).toContain(status);
  });

  test('takes turns with other lists: however many are read at once, each turn has a page or two of all of them', async () => {
    const { t, open } = await createLongHistory();
    const reading = vi.spyOn(t.storage, 'listTransactions');
    const answers = await Promise.all(Array.from({ length: 8 }, open));
    let before = reading.mock.calls.length;
    let most = 0;
    const endTurn = () => {
      most = Math.max(most, reading.mock.calls.length - before);
      before = reading.mock.calls.length;
      turning = setImmediate(endTurn);
    };
    let turning = setImmediate(endTurn);
    const lists = await Promise.all(answers.map(async (answer) => (await answer.json()) as unknown[]));
    endTurn();
    clearImmediate(turning);
    for (const list of lists) expect(list).toHaveLength(LENGTH);
    expect(reading.mock.calls.length).toBeGreaterThanOrEqual(lists.length * TURNS_AT_LEAST);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('breaks off when its session ends, rather than pass for the whole', async () => {
    const { pat, open } = await createLongHistory();
    const parts = bodyOf(await open());
    expect((await parts.next()).done).toBe(false);
    await pat.trpc.auth.logout.mutate();
    await expect(parts.next()).rejects.toThrow();
  });

  test('breaks off on the line as well, and nothing is printed beside the log', async () => {
    const { t, pat } = await createLongHistory();
    const server = createServer(getRequestListener(t.app.fetch)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    // The session ends when the third page is asked for.
    const { nowMs } = t.clock;
    let looks = 0;
    Object.defineProperty(t.clock, 'nowMs', {
      get: () => {
        looks += 1;
        return looks < 3 ? nowMs : nowMs + 365 * 86_400_000;
      },
    });
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/api/transactions`, {
        headers: { Authorization: `Bearer ${pat.token}` },
      });
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow();
      expect(looks).toBeGreaterThanOrEqual(3);
      expect(console.error).not.toHaveBeenCalled();
    } finally {
      server.close();
    }
  });

  test('breaks off when it cannot be read on, and the log says why', async () => {
    const { t, open } = await createLongHistory();
    const answer = await open();
    const parts = bodyOf(answer);
    await parts.next();
    await t.data.setFault('a detail from deep inside');
    await expect(parts.next()).rejects.toThrow();
    const id = answer.headers.get('X-Request-Id') ?? '';
    expect(t.logLines.filter((line) => line.includes(id) && line.includes('unexpected error'))).toHaveLength(
      1,
    );
  });
});

test('tRPC answers 50 transactions unless told otherwise', async () => {
  const { pat, ids } = await createHistory(60);
  const page = await pat.trpc.transactions.list.query({});
  expect(page.transactions.map(({ id }) => id)).toEqual(ids.slice(0, 50));
  expect(page.nextCursor).toBe(ids[49]);
});

test('each side sees its own: what was neither sent nor received is not listed', async () => {
  const { t, pat, sam, cam } = await createHistory(12);
  const listed = await Promise.all(
    [pat, sam, cam].map(async ({ user, token }) => {
      const { body } = await t.rest('GET', '/transactions', { token });
      for (const tip of body) expect([tip.giver_id, tip.receiver_id]).toContain(user.id);
      return body.length;
    }),
  );
  // 8 of the customer's and 4 of his own for pat; those 4 and 3 of the customer's for sam.
  expect(listed).toEqual([12, 7, 11]);
});

test('an empty history is one empty page', async () => {
  const { t, pat } = await createHistory(0);
  expect(await followLinks(t, pat.token, 5)).toEqual([[]]);
  expect(await followCursors(pat, 5)).toEqual([[]]);
});

describe('a limit', () => {
  const MESSAGE = 'The limit must be a whole number from 1 to 200.';

  test('that is no whole number from 1 to 200 is refused by both doors', async () => {
    const { t, pat } = await createHistory(0);
    for (const limit of ['0', '201', '-1', '1.5', 'abc', '', '1e2', ' 5', '0x10', '9999999999']) {
      const path = `/transactions?limit=${encodeURIComponent(limit)}`;
      expect(await t.rest('GET', path, { token: pat.token }), limit).toMatchObject({
        status: 422,
        body: { code: 'invalid_input', errors: [{ field: 'limit', message: MESSAGE }] },
      });
    }
    for (const limit of [0, 201, -1, 1.5, 1e9, null]) {
      const answer = await callTrpc(t, 'transactions.list', { limit }, pat);
      expect(refusedBy('tRPC', answer), String(limit)).toMatchObject({
        code: 'invalid_input',
        fields: [{ field: 'limit', message: MESSAGE }],
      });
    }
  });

  test.each([1, 200])('may be %i', async (limit) => {
    const { t, pat } = await createHistory(1);
    const answer = await t.rest('GET', `/transactions?limit=${limit}`, { token: pat.token });
    expect([answer.status, idsOf(answer).length]).toEqual([200, 1]);
    expect((await pat.trpc.transactions.list.query({ limit })).transactions).toHaveLength(1);
  });
});

describe('a cursor', () => {
  test('that is somebody else’s transaction is refused exactly as one that does not exist', async () => {
    const { t, pat, tipSam } = await createHistory(3);
    const others = (await tipSam()).id;
    for (const door of DOORS) {
      const ask = async (cursor: string) => ({
        ...refusedBy(door, await call(door, t, 'transactions.list', { limit: 2, cursor }, pat)),
        requestId: null,
      });
      expect(await ask(others)).toEqual(await ask('txn_00000000000000000000000000'));
      expect(await ask(others)).toMatchObject({
        code: 'invalid_input',
        fields: [{ field: 'cursor', message: 'The cursor is not valid.' }],
      });
    }
  });

  test('that is no id of a transaction is refused by both doors', async () => {
    const { t, pat } = await createHistory(2);
    for (const cursor of ['', '0', '-1', `' OR 1=1 --`, 'txn_%', '\u0000', 'x'.repeat(5_000)]) {
      for (const door of DOORS) {
        const answer = await call(door, t, 'transactions.list', { cursor }, pat);
        expect(refusedBy(door, answer).code, cursor).toBe('invalid_input');
      }
    }
  });

  test('at the oldest tip is an empty last page', async () => {
    const { t, pat, ids } = await createHistory(4);
    const answer = await t.rest('GET', `/transactions?limit=2&cursor=${ids.at(-1)}`, { token: pat.token });
    expect([answer.status, answer.body, nextPath(answer)]).toEqual([200, [], null]);
  });
});

test('the links of REST lead through all old codes, each once, and name the limit as it was read', async () => {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender']);
  const old: string[] = [...pat.codes];
  for (let id = pat.codes[0] ?? ''; old.length <= 5; ) {
    const { status, body } = await t.rest('POST', `/qr-codes/${id}/replacement`, {
      token: pat.token,
      body: {},
    });
    expect(status).toBe(201);
    id = body.id;
    old.push(id);
  }
  const read: string[] = [];
  for (let path: string | null = '/ended-qr-codes?limit=02'; path !== null; ) {
    const answer: RestAnswer = await t.rest('GET', path, { token: pat.token });
    expect(answer.status).toBe(200);
    read.push(...idsOf(answer));
    expect(read.length).toBeLessThan(MANY_PAGES);
    path = nextPath(answer);
    if (path !== null) expect(new URLSearchParams(path.split('?')[1]).get('limit')).toBe('2');
  }
  // The last one leads to the tip page still.
  expect(read).toEqual(old.slice(0, -1).reverse());
});
