/**
 * Which tips a listing and its sums mean: by direction, service and the days of the viewer's own calendar,
 * the same through both doors and from page to page.
 */
import { describe, expect, test, vi } from 'vitest';
import { call, callRest, callTrpc, DOORS, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { beginSession, createPeople } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';

/** Pat, a provider with codes for two services, with whoever tips them, and tips at chosen times. */
async function openScene() {
  const t = await createTestApp();
  const { setTheScene, addAccount, addCode } = createPeople(t.storage);
  const { provider, customer, tip } = await setTheScene();
  const sam = await addAccount('sam', ['dj']);
  const hair = { qrCodeId: await addCode(provider, 'barber'), serviceCategory: 'barber' } as const;
  const toSam = {
    qrCodeId: await addCode(sam, 'dj'),
    serviceCategory: 'dj',
    giverId: provider.id,
  } as const;
  const token = await beginSession(t.storage, provider.email);

  /** @param time in ISO 8601. */
  async function give(time: string, changes: Parameters<typeof tip>[0] = {}): Promise<string> {
    const given = tip({ createdAtMs: Date.parse(time), ...changes });
    expect(await t.storage.recordTip(given)).toMatchObject({ outcome: 'recorded' });
    return given.id;
  }
  return { t, trpc: t.trpc(token), token, hair, toSam, give, customer };
}

const DAY = { from: '2026-05-15', to: '2026-05-15' } as const;

describe('a day', () => {
  // The first and the last millisecond of the day in each zone.
  test.each([
    ['UTC', '2026-05-15', '2026-05-15T00:00:00Z', '2026-05-15T23:59:59.999Z'],
    ['Europe/Vienna', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z'],
    ['Europe/Vienna', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T04:59:59.999Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', '2026-04-05T13:29:59.999Z'],
    ['Asia/Kathmandu', '2026-05-15', '2026-05-14T18:15:00Z', '2026-05-15T18:14:59.999Z'],
    ['Pacific/Kiritimati', '2026-05-15', '2026-05-14T10:00:00Z', '2026-05-15T09:59:59.999Z'],
  ])('in %s on %s is from %s to %s, for listings and sums', async (timeZone, date, first, last) => {
    const { trpc, give, toSam } = await openScene();
    const at = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
    await give(at(first, -1), { amountCents: 1_000 });
    const within = [
      await give(first, { amountCents: 2_000 }),
      await give(last, { ...toSam, amountCents: 3_000 }),
    ];
    await give(at(last, 1), { ...toSam, amountCents: 4_000 });
    const filter = { from: date, to: date, timeZone };
    const { transactions, nextCursor } = await trpc.transactions.list.query(filter);
    expect([transactions.map(({ id }) => id), nextCursor]).toEqual([[...within].reverse(), null]);
    expect(await trpc.transactions.sums.query(filter)).toMatchObject({
      receivedCount: 1,
      receivedCents: 1_940,
      sentCount: 1,
      sentCents: 3_000,
      paidCents: 3_150,
    });
  });

  test('is one of UTC where no time zone is named, and a period may be open at either end', async () => {
    const { trpc, give } = await openScene();
    const ids = [
      await give('2026-05-14T23:59:59.999Z'),
      await give('2026-05-15T00:00:00Z'),
      await give('2026-05-16T00:00:00Z'),
    ];
    const list = async (filter: object) =>
      (await trpc.transactions.list.query(filter)).transactions.map(({ id }) => ids.indexOf(id));
    const count = async (filter: object) => (await trpc.transactions.sums.query(filter)).receivedCount;
    expect([await list(DAY), await count(DAY)]).toEqual([[1], 1]);
    expect([await list({ from: DAY.from }), await count({ from: DAY.from })]).toEqual([[2, 1], 2]);
    expect([await list({ to: DAY.to }), await count({ to: DAY.to })]).toEqual([[1, 0], 2]);
    expect([await list({}), await count({})]).toEqual([[2, 1, 0], 3]);
  });
});

test('sums are of the direction and the service that are asked for, without what was refunded', async () => {
  const { t, trpc, token, give, hair, toSam, customer } = await openScene();
  await give('2026-05-15T10:00:00Z', { amountCents: 1_000 });
  await give('2026-05-15T11:00:00Z', { ...hair, amountCents: 2_000 });
  await give('2026-05-15T12:00:00Z', { ...toSam, amountCents: 3_000 });
  const received = { receivedCount: 2, receivedCents: 2_910 };
  const sent = { sentCount: 1, sentCents: 3_000, paidCents: 3_150 };
  const nothing = { receivedCount: 0, receivedCents: 0, sentCount: 0, sentCents: 0, paidCents: 0 };
  const { sums } = trpc.transactions;
  expect(await sums.query({})).toMatchObject({ ...received, ...sent });
  expect(await sums.query({ direction: 'received' })).toMatchObject({ ...nothing, ...received });
  expect(await sums.query({ direction: 'sent' })).toMatchObject({ ...nothing, ...sent });
  expect(await sums.query({ serviceCategory: 'barber' })).toMatchObject({
    ...nothing,
    receivedCount: 1,
    receivedCents: 1_940,
  });
  expect(await sums.query({ serviceCategory: 'dj', ...DAY })).toMatchObject({ ...nothing, ...sent });
  expect(await sums.query({ direction: 'sent', serviceCategory: 'barber' })).toMatchObject(nothing);
  const rest = await t.rest('GET', '/transactions/sums?direction=sent&from=2026-05-15', { token });
  expect(rest.body).toMatchObject({
    received_count: 0,
    received: 0,
    received_minor: 0,
    sent_count: 1,
    sent: 30,
    sent_minor: 3_000,
    paid: 31.5,
    paid_minor: 3_150,
    currency: 'USD',
  });

  const refunded = [
    await give('2026-05-15T13:00:00Z', { amountCents: 9_000 }),
    await give('2026-05-15T13:00:00Z', { ...toSam, amountCents: 9_000 }),
  ];
  t.clock.nowMs = Date.parse('2026-05-15T13:05:00Z');
  for (const id of refunded) await trpc.transactions.refund.mutate({ id });
  expect(await sums.query({})).toMatchObject({ ...received, ...sent });
  expect(await sums.query(DAY)).toMatchObject({ ...received, ...sent });
  const noneSince = { count: 0, netCents: 0 };
  expect((await sums.query(DAY)).books).toEqual({
    receivedTips: { count: 3, netCents: 2_910 + 8_730 },
    receivedChanges: { count: 1, netCents: -8_730 },
    receivedSince: noneSince,
    sentTips: { count: 2, amountCents: 12_000, paidCents: 12_600 },
    sentChanges: { count: 1, amountCents: -9_000, paidCents: -9_450 },
    sentSince: { count: 0, amountCents: 0, paidCents: 0 },
  });
  const ofBarber = { ...DAY, direction: 'received', serviceCategory: 'barber' } as const;
  expect((await sums.query(ofBarber)).books).toMatchObject({
    receivedTips: { count: 1, netCents: 1_940 },
    receivedChanges: noneSince,
    sentTips: { count: 0 },
  });
  const { transactions } = await trpc.transactions.list.query({ ...DAY, limit: 2 });
  expect(transactions).toMatchObject([{ status: 'refunded' }, { status: 'refunded' }]);
  const giver = t.trpc(await beginSession(t.storage, customer.email));
  expect(await giver.transactions.sums.query({})).toMatchObject({
    ...nothing,
    sentCount: 2,
    sentCents: 3_000,
    paidCents: 3_150,
  });
});

test('for the sums of who never gave nothing is looked for among what they received', async () => {
  const { t, trpc, give, toSam } = await openScene();
  const steps = vi.spyOn(t.storage, 'sumGiven');
  await give('2026-05-15T10:00:00Z');
  for (const filter of [{}, DAY, { direction: 'sent' }] as const)
    expect(await trpc.transactions.sums.query(filter)).toMatchObject({ sentCount: 0, sentCents: 0 });
  expect(steps).not.toHaveBeenCalled();
  const id = await give('2026-05-15T12:00:00Z', toSam);
  expect(await trpc.transactions.sums.query({})).toMatchObject({ sentCount: 1, sentCents: 2_000 });
  await trpc.transactions.refund.mutate({ id });
  steps.mockClear();
  expect((await trpc.transactions.sums.query({})).books.sentTips).toMatchObject({
    count: 1,
    amountCents: 2_000,
  });
  expect(steps).toHaveBeenCalledTimes(1);
});

test('pages of a filtered listing follow each other by their links, which keep the filter', async () => {
  const { t, token, give, hair, toSam } = await openScene();
  const meant: string[] = [];
  for (let minute = 10; minute < 35; minute += 1) {
    const time = `2026-05-15T10:${minute}:00Z`;
    const id = await give(time, minute % 3 === 0 ? hair : {});
    if (minute % 3 === 0) meant.unshift(id);
    if (minute % 4 === 0) await give(time, toSam);
  }
  await give('2026-05-16T10:00:00Z', hair);
  const query =
    'direction=received&service_category=barber&from=2026-05-14&to=2026-05-15&time_zone=Europe%2FVienna';
  const seen: string[] = [];
  let pages = 0;
  for (let path: string | undefined = `/transactions?${query}&limit=3`; path !== undefined; pages += 1) {
    const { status, body, headers } = await t.rest('GET', path, { token });
    expect(status).toBe(200);
    expect(body.length).toBeLessThanOrEqual(3);
    seen.push(...body.map(({ id }: { readonly id: string }) => id));
    const link = headers.get('Link') ?? '';
    path = /^<\/api(?<path>\/transactions\?[^>]*)>; rel="next"$/.exec(link)?.groups?.['path'];
    if (path === undefined) expect(link).toBe('');
    else
      expect([...new URLSearchParams(path.split('?')[1])].slice(0, 6)).toEqual([
        ...new URLSearchParams(`${query}&limit=3`),
      ]);
  }
  expect(seen).toEqual(meant);
  expect(pages).toBe(Math.ceil(meant.length / 3));
  // Without a limit it is one whole list.
  const whole = await t.rest('GET', `/transactions?${query}`, { token });
  expect(whole.body.map(({ id }: { readonly id: string }) => id)).toEqual(meant);
  expect(whole.headers.has('Link')).toBe(false);
});

test('a page goes on after a tip that the filter does not mean', async () => {
  const { trpc, give, hair } = await openScene();
  const ids = [
    await give('2026-05-14T10:00:00Z', hair),
    await give('2026-05-15T10:00:00Z'),
    await give('2026-05-16T10:00:00Z', hair),
  ];
  const list = async (cursor: number, filter: object) => {
    const page = await trpc.transactions.list.query({ cursor: ids[cursor] ?? null, ...filter });
    return page.transactions.map(({ id }) => ids.indexOf(id));
  };
  expect(await list(1, { serviceCategory: 'barber' })).toEqual([0]);
  expect(await list(2, DAY)).toEqual([1]);
  expect(await list(1, DAY)).toEqual([]);
  expect(await list(0, DAY)).toEqual([]);
});

test('a page is found also where thousands of other tips lie between', async () => {
  const { t, trpc, give, toSam } = await openScene();
  const { tip } = {
    tip: (index: number) => give(new Date(Date.UTC(2026, 4, 15) + index * 1_000).toISOString()),
  };
  const early = await give('2026-05-14T12:00:00Z', toSam);
  await Promise.all(Array.from({ length: 4_100 }, (_, index) => tip(index)));
  const late = await give('2026-05-15T12:00:00Z', toSam);
  for (const filter of [{ direction: 'sent' }, { direction: 'sent', from: '2026-05-01' }] as const) {
    const { transactions, nextCursor } = await trpc.transactions.list.query({ ...filter, limit: 2 });
    expect([transactions.map(({ id }) => id), nextCursor]).toEqual([[late, early], null]);
    expect(await trpc.transactions.sums.query(filter)).toMatchObject({ sentCount: 2, receivedCount: 0 });
  }
  expect(await t.data.check()).toEqual([]);
});

describe.each(DOORS)('through %s', (door) => {
  const name = (field: string) =>
    door === 'REST' ? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : field;

  test.each([
    ['direction', { direction: 'both' }],
    ['serviceCategory', { serviceCategory: 'astronaut' }],
    ['from', { from: '2026-02-30' }],
    ['from', { from: '15.05.2026' }],
    ['from', { from: '' }],
    ['from', { from: '1970-12-31' }],
    ['to', { to: '2026-5-1' }],
    ['to', { to: '9001-01-01' }],
    ['to', { to: '2026-05-15T00:00' }],
    ['to', { from: '2026-05-16', to: '2026-05-15' }],
    ['timeZone', { from: '2026-05-15', timeZone: 'Mars/Olympus' }],
  ])('a wrong %s is refused by its name: %j', async (field, filter) => {
    const { t, token } = await openScene();
    for (const procedure of ['transactions.list', 'transactions.sums']) {
      const refused = refusedBy(door, await call(door, t, procedure, filter, { token }));
      expect(refused).toMatchObject({ status: 422, code: 'invalid_input', fields: [{ field: name(field) }] });
    }
  });

  test('a day before all others, or after them, is told between which days it must be', async () => {
    const { t, token } = await openScene();
    for (const [field, date] of [
      ['from', '1970-01-01'],
      ['to', '9001-01-01'],
    ] as const) {
      const answer = await call(door, t, 'transactions.sums', { [field]: date }, { token });
      const message = 'A date must be from 1971-01-01 to 9000-12-31.';
      expect(refusedBy(door, answer).fields).toEqual([{ field, message }]);
    }
  });

  test('the first and the last day that there are may be asked for', async () => {
    const { t, token, give } = await openScene();
    await give('2026-05-15T10:00:00Z');
    const filter = { from: '1971-01-01', to: '9000-12-31', timeZone: 'Pacific/Kiritimati' };
    const sums = resultOf(await call(door, t, 'transactions.sums', filter, { token }));
    expect(sums).toMatchObject({ [name('receivedCount')]: 1 });
  });
});

test('somebody else’s tips are in no listing and no sum', async () => {
  const { t, give } = await openScene();
  await give('2026-05-15T10:00:00Z');
  const { addAccount } = createPeople(t.storage);
  const stranger = await addAccount('kim', ['bartender']);
  const token = await beginSession(t.storage, stranger.email);
  expect(resultOf(await callTrpc(t, 'transactions.list', DAY, { token }))).toMatchObject({
    transactions: [],
  });
  expect(resultOf(await callRest(t, 'GET', '/transactions/sums', undefined, { token }))).toMatchObject({
    received_count: 0,
    received: 0,
    sent_count: 0,
    sent: 0,
    paid: 0,
  });
});
