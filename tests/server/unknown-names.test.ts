/**
 * What a request names and nothing takes is refused where it would change the meaning of the answer: a
 * misspelt parameter, and a member that is not known of what moves money. Elsewhere a member that is not
 * known is ignored.
 */
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { callRest, callTrpc, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { createTestApp } from '#tests/support/test-app.ts';

async function openScene() {
  const t = await createTestApp();
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' };
  return { t, provider, customer, code, tip };
}

describe('a parameter that a route does not take', () => {
  test('is refused by its name, by every route', async () => {
    const { t, customer } = await openScene();
    const before = await t.data.dump();
    for (const { method, path } of ENDPOINTS) {
      const at = `${path.replace(/:\w+/g, 'none')}?no_such_name=1`;
      const refused = refusedBy('REST', await callRest(t, method, at, undefined, customer));
      expect(refused, `${method} ${path}`).toMatchObject({
        status: 422,
        code: 'invalid_input',
        fields: [{ field: 'no_such_name', message: 'There is no parameter `no_such_name` here.' }],
      });
    }
    expect(await t.data.dump()).toEqual(before);
  });

  const MISSPELT = [
    ['/transactions/sums?form=2026-01-01', 'form', 'from'],
    ['/transactions?too=2026-01-01', 'too', 'to'],
    ['/transactions?From=2026-01-01', 'From', 'from'],
    ['/transactions?timeZone=UTC', 'timeZone', 'time_zone'],
    ['/transactions?time-zone=UTC', 'time-zone', 'time_zone'],
    ['/transactions?category=dj', 'category', 'service_category'],
    ['/transactions?limits=5', 'limits', 'limit'],
    ['/transactions/summary?timezone=UTC', 'timezone', 'time_zone'],
    ['/transactions/insights?granularty=week', 'granularty', 'granularity'],
    ['/auth/me/export?timezone=UTC', 'timezone', 'time_zone'],
  ] as const;

  test('is told with the one that was meant', async () => {
    const { t, customer } = await openScene();
    for (const [path, field, meant] of MISSPELT) {
      const { fields } = refusedBy('REST', await callRest(t, 'GET', path, undefined, customer));
      const message = `There is no parameter \`${field}\` here. Did you mean \`${meant}\`?`;
      expect(fields).toEqual([{ field, message }]);
    }
  });

  test('is refused also when it is none that could be written down, or one of thousands', async () => {
    const { t, customer } = await openScene();
    for (const name of ['', '__proto__', 'constructor', '%zz', '%00', 'x'.repeat(5_000)]) {
      const answer = await callRest(t, 'GET', `/transactions?${name}=1`, undefined, customer);
      expect(refusedBy('REST', answer).fields, name).toHaveLength(1);
      expect(answer.text.length).toBeLessThan(1_000);
    }
    const many = Array.from({ length: 2_000 }, (_, index) => `fro${index}=1`).join('&');
    const answer = await callRest(t, 'GET', `/transactions?${many}`, undefined, customer);
    expect(refusedBy('REST', answer).fields).toHaveLength(5);
  });

  test('is refused when it is one that is taken once, and comes twice', async () => {
    const { t, customer } = await openScene();
    const path = '/transactions/sums?service_category=dj&service_category=barber';
    const { fields } = refusedBy('REST', await callRest(t, 'GET', path, undefined, customer));
    expect(fields).toEqual([
      { field: 'service_category', message: '`service_category` can be sent once only.' },
    ]);
  });

  test('is no matter of probes and of the description', async () => {
    const { t } = await openScene();
    for (const path of ['/healthz', '/readyz', '/api/openapi.json', '/api/docs'])
      expect((await t.send(`${path}?from=a-letter`)).status, path).toBe(200);
  });

  test('is refused of a filter through tRPC as well', async () => {
    const { t, customer } = await openScene();
    for (const [procedure, input, field, meant] of [
      ['transactions.list', {}, 'form', 'from'],
      ['transactions.sums', {}, 'form', 'from'],
      ['transactions.insights', { from: '2026-01-01', to: '2026-01-02' }, 'form', 'from'],
      ['transactions.summary', { timeZone: 'UTC' }, 'dayStartsHour', 'dayStartHour'],
    ] as const) {
      const answer = await callTrpc(t, procedure, { ...input, [field]: '5' }, customer);
      const message = `There is no field \`${field}\` here. Did you mean \`${meant}\`?`;
      expect(refusedBy('tRPC', answer)).toMatchObject({
        status: 422,
        code: 'invalid_input',
        fields: [{ field, message }],
      });
    }
  });
});

describe('a field that is not known', () => {
  test('keeps a tip from being given, through both doors', async () => {
    const { t, customer, code, tip } = await openScene();
    const before = await t.data.dump();
    for (const [wrong, message] of [
      [{ currency: 'EUR' }, 'There is no field `currency` here.'],
      [{ amountCents: 2_000 }, 'There is no field `amountCents` here. Did you mean `amount`?'],
      [{ receiverQrId: code.id }, 'There is no field `receiverQrId` here. Did you mean `receiver_qr_id`?'],
      [{ idempotency_key: 'a' }, 'There is no field `idempotency_key` here.'],
    ] as const) {
      const answer = await callRest(t, 'POST', '/transactions', { ...tip, ...wrong }, customer);
      const [field] = Object.keys(wrong);
      expect(refusedBy('REST', answer)).toMatchObject({ status: 422, fields: [{ field, message }] });
    }
    const trpcTip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' };
    for (const wrong of [{ currency: 'EUR' }, { amount: 20 }]) {
      const refused = refusedBy(
        'tRPC',
        await callTrpc(t, 'transactions.create', { ...trpcTip, ...wrong }, customer),
      );
      expect(refused).toMatchObject({ status: 422, fields: [{ field: Object.keys(wrong)[0] }] });
    }
    expect(await t.data.dump()).toEqual(before);
    expect((await callRest(t, 'POST', '/transactions', tip, customer)).status).toBe(201);
  });

  test('keeps a tip from being refunded in full by whoever wanted a part of it, through both doors', async () => {
    const { t, customer, tip } = await openScene();
    const { body: given } = await t.rest('POST', '/transactions', { ...customer, body: tip });
    const before = await t.data.dump();
    for (const what of ['refund', 'cancel']) {
      const at = `/transactions/${given.id}/${what}`;
      const refused = refusedBy('REST', await callRest(t, 'POST', at, { amount: 5 }, customer));
      expect(refused).toMatchObject({ status: 422, code: 'invalid_input', fields: [{ field: 'amount' }] });
      expect((await t.rest('POST', at, { ...customer, body: '{"amount":' })).body.code).toBe(
        'malformed_json',
      );
    }
    for (const procedure of ['transactions.refund', 'transactions.giveUp']) {
      const input = { id: given.id, amountCents: 500 };
      const refused = refusedBy('tRPC', await callTrpc(t, procedure, input, customer));
      expect(refused).toMatchObject({ status: 422, fields: [{ field: 'amountCents' }] });
    }
    expect(await t.data.dump()).toEqual(before);
    const refunded = await t.rest('POST', `/transactions/${given.id}/refund`, { ...customer, body: {} });
    expect(refunded.body.status).toBe('refunded');
  });

  test('is refused where the way of payouts is asked for', async () => {
    const { t, provider } = await openScene();
    for (const path of ['/payments/account', '/payments/dashboard-link']) {
      const refused = refusedBy('REST', await callRest(t, 'POST', path, { currency: 'eur' }, provider));
      expect(refused).toMatchObject({ status: 422, fields: [{ field: 'currency' }] });
    }
  });

  test('is ignored elsewhere', async () => {
    const { t, provider, code } = await openScene();
    const unknown = { no_such_field: 1, noSuchField: 1 };
    const change = { full_name: 'Pat A. Doe', ...unknown };
    expect(await t.rest('PATCH', '/auth/me', { ...provider, body: change })).toMatchObject({ status: 200 });
    const page = { greeting: 'Hello', ...unknown };
    expect(await t.rest('PATCH', `/qr-codes/${code.id}`, { ...provider, body: page })).toMatchObject({
      status: 200,
    });
    expect(resultOf(await callTrpc(t, 'qrCodes.lookup', { id: code.id, ...unknown }))).toMatchObject({
      qrCode: { id: code.id },
    });
  });
});
