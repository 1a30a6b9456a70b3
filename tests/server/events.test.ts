/** The list of an account's events at both doors. */
import { describe, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

async function openScene() {
  const t = await createTestApp();
  const scene = await t.setTheScene();
  const tip = { receiverQrId: scene.code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const give = () => scene.customer.trpc.transactions.create.mutate(tip);
  return { t, ...scene, give };
}

/** Follows the Link header from the first page on. */
async function followLinks(t: TestApp, token: string, limit: number) {
  const pages = [];
  for (let at: string | undefined = `/events?limit=${limit}`; at !== undefined; ) {
    const { status, body, headers } = await t.rest('GET', at, { token });
    expect(status).toBe(200);
    at = /<\/api([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
    expect(body.has_more).toBe(at !== undefined);
    if (at !== undefined) expect(at).toContain(`after=${body.next_cursor}`);
    pages.push(...body.events);
  }
  return pages;
}

/** The months of pat's statements that have been told by a time. */
async function statementsAt(t: TestApp, time: string) {
  t.clock.nowMs = Date.parse(time);
  await t.app.sweep();
  const token = await t.logIn('pat@example.com');
  const { events } = await t.trpc(token).webhooks.events.query({});
  return events.flatMap(({ type, data }) => (type === 'statement.ready' ? [data.month] : []));
}

describe('the list of events', () => {
  test('tells tips, refunds, thanks and codes by ids alone, in pages whose cursor goes on', async () => {
    const { t, provider, code, give } = await openScene();
    const { id } = await give();
    await provider.trpc.messages.thank.mutate({ id, text: 'Cheers, darling' });
    t.clock.nowMs += 1_000;
    await provider.trpc.qrCodes.update.mutate({ id: code.id, greeting: 'Hello there' });
    await provider.trpc.transactions.refund.mutate({ id });
    const timestamp = new Date(t.clock.nowMs - 1_000).toISOString();
    const later = new Date(t.clock.nowMs).toISOString();
    const money = { amount: 20, net_amount: 19.4, currency: 'USD' };
    const all = await followLinks(t, provider.token, 2);
    expect(all).toMatchObject([
      { type: 'code.changed', data: { qr_code_id: code.id } },
      { type: 'tip.received', timestamp, data: { transaction_id: id, qr_code_id: code.id, ...money } },
      { type: 'tip.thanked', timestamp, data: { transaction_id: id } },
      { type: 'code.changed', timestamp: later, data: { qr_code_id: code.id } },
      { type: 'tip.refunded', timestamp: later, data: { transaction_id: id, ...money } },
    ]);
    expect(await followLinks(t, provider.token, 200)).toEqual(all);
    const seen = await provider.trpc.webhooks.events.query({});
    expect(seen.events.map((event) => event.id)).toEqual(all.map((event) => event.id));
    expect(JSON.stringify(all)).not.toMatch(/Cheers|Hello|Customer|Provider|usr_|gvr_/);
    const { body } = await t.rest('GET', `/events?after=${all[2].id}`, { token: provider.token });
    expect(body.events).toEqual(all.slice(3));
  });

  test('ends for a program that keeps a code as it wants whenever one changed', async () => {
    const { t, provider, code } = await openScene();
    const keep = (greeting: string) =>
      t.rest('PATCH', `/qr-codes/${code.id}`, { token: provider.token, body: { greeting } });
    const count = async () => (await followLinks(t, provider.token, 200)).length;
    expect(await count()).toBe(1);
    for (const status of [200, 200]) expect((await keep('Hello')).status).toBe(status);
    expect(await count()).toBe(2);
    expect((await keep('Good evening')).body.greeting).toBe('Good evening');
    expect(await count()).toBe(3);
  });

  test('begins at the newest event for whoever asks for that, also where there is none', async () => {
    const { t, customer, provider, give } = await openScene();
    const latest = async (token: string) => (await t.rest('GET', '/events?after=latest', { token })).body;
    expect(await latest(customer.token)).toEqual({ events: [], has_more: false, next_cursor: null });
    await give();
    const { events, next_cursor: after } = await latest(provider.token);
    expect(events).toEqual([]);
    const { id } = await give();
    const { body } = await t.rest('GET', `/events?after=${after}`, { token: provider.token });
    expect(body.events).toMatchObject([{ data: { transaction_id: id } }]);
    const again = await t.rest('GET', `/events?after=${body.next_cursor}`, { token: provider.token });
    expect(again.body).toEqual({ events: [], has_more: false, next_cursor: body.next_cursor });
  });

  test('refuses what is no event of the account, as after a restored backup', async () => {
    const { t, customer, provider, give } = await openScene();
    await give();
    const { body } = await t.rest('GET', '/events', { token: provider.token });
    const code = body.events[0].id;
    for (const after of [code, 'evt_100000000000000000000000000', 'evt_1', 'txn_none', ''])
      expect((await t.rest('GET', `/events?after=${after}`, { token: customer.token })).body).toMatchObject({
        code: 'invalid_input',
        errors: [{ field: 'after', message: expect.stringContaining('You have no event with this id') }],
      });
  });

  test('tells once that the statement of a month can be had, to whoever received something in it', async () => {
    const { t, give } = await openScene();
    await give();
    expect(await statementsAt(t, '2026-06-01T23:59:00Z')).toEqual([]);
    expect(await statementsAt(t, '2026-06-02T00:01:00Z')).toEqual(['2026-05']);
    expect(await statementsAt(t, '2026-06-02T01:01:00Z')).toEqual(['2026-05']);
    expect(await statementsAt(t, '2026-07-02T01:01:00Z')).toEqual(['2026-05']);
    const ofCustomer = await t.trpc(await t.logIn('cam@example.com')).webhooks.events.query({});
    expect(ofCustomer.events).toEqual([]);
  });

  test('tells a statement by the time zone of monthly statements, and by the hour at which the account begins its days', async () => {
    const { t, provider, give } = await openScene();
    await provider.trpc.auth.updateProfile.mutate({ dayStartHour: 5 });
    const wanted = { isOn: false, timeZone: 'Pacific/Chatham', statedMonth: '' };
    await t.storage.mails.setMonthlyStatement(provider.user.id, wanted);
    // Chatham is 12:45 hours ahead in June: 04:59 on 1 June, and the same on 1 July.
    t.clock.nowMs = Date.parse('2026-05-31T16:14:00Z');
    await give();
    expect(await statementsAt(t, '2026-06-01T11:14:00Z')).toEqual([]);
    expect(await statementsAt(t, '2026-06-01T11:16:00Z')).toEqual(['2026-05']);
    expect(await statementsAt(t, '2026-07-02T12:00:00Z')).toEqual(['2026-05']);
  });

  test('tells the statement of a month whose tips went back, which lists them', async () => {
    const { t, provider, give } = await openScene();
    const { id } = await give();
    await provider.trpc.transactions.refund.mutate({ id });
    expect(await statementsAt(t, '2026-06-02T00:01:00Z')).toEqual(['2026-05']);
    expect(await statementsAt(t, '2026-07-02T00:01:00Z')).toEqual(['2026-05']);
  });

  test('keeps the last ten thousand events that are no tips', async () => {
    const { t, provider, code, give } = await openScene();
    await give();
    await t.data.run(
      "INSERT INTO noted_events (user_id, number, position, id, kind, subject, created_at_ms) VALUES ($1, 10000, 1, 'evt_0', 'code.changed', $2, 0)",
      provider.user.id,
      code.id,
    );
    await provider.trpc.qrCodes.update.mutate({ id: code.id, greeting: 'Hello' });
    const kept = await t.data.run('SELECT number FROM noted_events ORDER BY number');
    expect(kept.map(({ number }) => Number(number))).toEqual([10_000, 10_001]);
    const { events } = await provider.trpc.webhooks.events.query({});
    expect(events.map(({ type }) => type)).toEqual(['tip.received', 'code.changed', 'code.changed']);
  });
});
