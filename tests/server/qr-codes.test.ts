/**
 * QR codes: one for each service, and a look-up that forgives how a printed code was typed and tells no more
 * than the tip page needs.
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSimulatedPayments } from '#server/payments/simulated.ts';
import { createQrCodes } from '#server/qr-codes/qr-codes.ts';
import { isServiceCategory, SERVICE_CATEGORIES } from '#shared/categories.ts';
import { newQrCodeId, readQrCodeId, showQrCodeId } from '#shared/ids.ts';
import { call, DOORS, type Door, PUBLIC_URL, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { testDrawing } from '#tests/support/drawing.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const QR_ID = /^[0-9A-HJKMNP-TV-Z]{10}$/;

const create = (door: Door, t: TestApp, category: unknown, token: string) =>
  call(door, t, 'qrCodes.create', { serviceCategory: category }, { token });

const lookUp = (door: Door, t: TestApp, id: string) => call(door, t, 'qrCodes.lookup', { id });

function headersBut(name: string, answer: Response): Record<string, string> {
  return Object.fromEntries([...answer.headers].filter(([header]) => header !== name));
}

/** Puts a code with a chosen id into the database, as if it had been drawn by lot. */
async function issue(t: TestApp, userId: string, id: string, category = 'bartender'): Promise<void> {
  await t.data.addCode(id, userId, category);
}

describe.each(DOORS)('creating codes by %s', (door) => {
  test('each service of a provider has one code, listed oldest first', async () => {
    const t = await createTestApp();
    const { token, user } = await t.registerProvider('pat', [...SERVICE_CATEGORIES]);
    const order = ['dj', 'bartender', 'live_event'].filter(isServiceCategory);
    for (const category of order) resultOf(await create(door, t, category, token));
    const codes = await t.trpc(token).qrCodes.list.query();
    expect(codes.map(({ serviceCategory }) => serviceCategory)).toEqual(order);
    for (const code of codes)
      expect(code).toMatchObject({ userId: user.id, id: expect.stringMatching(QR_ID) });
    expect(new Set(codes.map(({ id }) => id)).size).toBe(3);
  });

  test('a second code for a service is refused, and the first stays', async () => {
    const t = await createTestApp();
    const { provider, code } = await t.setTheScene();
    const answer = await create(door, t, 'bartender', provider.token);
    expect(refusedBy(door, answer)).toMatchObject({ status: 409, code: 'qr_code_exists' });
    expect(await provider.trpc.qrCodes.list.query()).toEqual([code]);
  });

  test('of many at once for one service, one is made', async () => {
    const t = await createTestApp();
    const { token } = await t.registerProvider('pat', ['dj']);
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(door, t, 'dj', token)));
    const refused = answers.filter(({ status }) => status >= 300);
    expect(refused).toHaveLength(5);
    for (const answer of refused) expect(refusedBy(door, answer).code).toBe('qr_code_exists');
    expect(await t.data.dump()).toMatchObject({
      qr_codes: [expect.anything()],
      qr_pictures: [expect.anything()],
    });
  });

  test('two providers may each have a code for the same service', async () => {
    const t = await createTestApp();
    for (const username of ['pat', 'quinn']) {
      const { token } = await t.registerProvider(username, ['dj']);
      expect(resultOf(await create(door, t, 'dj', token))).toMatchObject({
        id: expect.stringMatching(QR_ID),
      });
    }
    expect((await t.data.dump())['qr_codes']).toHaveLength(2);
  });

  test('a service that the provider does not offer is refused', async () => {
    const t = await createTestApp();
    const { token } = await t.registerProvider('pat', ['dj']);
    for (const category of SERVICE_CATEGORIES.filter((other) => other !== 'dj')) {
      expect(refusedBy(door, await create(door, t, category, token))).toMatchObject({
        status: 403,
        code: 'category_not_offered',
      });
    }
    expect((await t.data.dump())['qr_codes']).toEqual([]);
  });

  test('a customer is refused, and has an empty list', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    expect(refusedBy(door, await create(door, t, 'dj', token))).toMatchObject({
      status: 403,
      code: 'providers_only',
    });
    const list = await call(door, t, 'qrCodes.list', undefined, { token });
    expect(resultOf(list)).toEqual([]);
  });

  test.each(['astronaut', '', null, undefined, 7, ['dj'], {}])('%j is no service', async (category) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider('pat', ['dj']);
    const field = door === 'REST' ? 'service_category' : 'serviceCategory';
    expect(refusedBy(door, await create(door, t, category, token))).toMatchObject({
      status: 422,
      code: 'invalid_input',
      fields: [{ field }],
    });
  });
});

describe('an id', () => {
  test('is ten characters of Crockford’s base 32, which never read as a demo code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
        const id = newQrCodeId(() => bytes);
        expect(id).toMatch(QR_ID);
        expect(readQrCodeId(id)).toBe(id);
        for (const form of [id, showQrCodeId(id)]) expect(form.toLowerCase().startsWith('demo-')).toBe(false);
      }),
    );
  });

  test('is shown in two groups of five, which read as the same id', () => {
    const id = newQrCodeId(randomBytes);
    expect(showQrCodeId(id)).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
    expect(readQrCodeId(showQrCodeId(id))).toBe(id);
  });

  test('differs from one code to the next', () => {
    const ids = Array.from({ length: 2_000 }, () => newQrCodeId(randomBytes));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.join('')).size).toBe(32);
  });
});

describe.each(DOORS)('looking a code up by %s', (door) => {
  test('is open to everybody and tells the six facts and what the tip page shows, no more', async () => {
    const t = await createTestApp();
    const { provider, code } = await t.setTheScene();
    const names = { username: 'pat' };
    expect(resultOf(await lookUp(door, t, code.id))).toStrictEqual(
      door === 'REST'
        ? {
            qr_code: {
              id: code.id,
              service_category: 'bartender',
              user_id: provider.user.id,
              status: 'active',
              is_payable: true,
              takes_words: true,
            },
            service_provider: {
              ...names,
              full_name: 'Provider pat',
              service_category: 'bartender',
              greeting: null,
              photo_url: null,
            },
          }
        : {
            qrCode: {
              id: code.id,
              serviceCategory: 'bartender',
              userId: provider.user.id,
              status: 'active',
              isPayable: true,
              takesWords: true,
            },
            serviceProvider: {
              ...names,
              fullName: 'Provider pat',
              serviceCategory: 'bartender',
              greeting: null,
              photoUrl: null,
            },
          },
    );
  });

  test('forgives case, spaces, hyphens, and I, L and O', async () => {
    const t = await createTestApp();
    const { user } = await t.registerProvider();
    await issue(t, user.id, '10AB110Z9K');
    const found = resultOf(await lookUp(door, t, '10AB110Z9K'));
    const typed = [
      '10ab110z9k',
      '10AB1-10Z9K',
      '10ab1 10z9k',
      ' 10AB110Z9K ',
      '1-0-A-B-1-1-0-Z-9-K',
      '10AB1\t10Z9K',
      'IOABLLOZ9K',
      'iOabIloZ9k',
      'loabi-ioz9k',
      'l0AB1 1oZ9K\n',
    ];
    for (const text of typed) expect(resultOf(await lookUp(door, t, text)), text).toEqual(found);
  });

  test('answers 404 to what is no code', async () => {
    const t = await createTestApp();
    const { code, provider } = await t.setTheScene();
    const others = [
      '0000000000',
      'ABCDE',
      `${code.id}0`,
      code.id.slice(1),
      'UUUUUUUUUU',
      '!',
      '%',
      '...',
      provider.user.id,
      "' OR 1=1 --",
      'x'.repeat(5_000),
      '\0',
      'demo-alex-bartender',
      'demo-sam-barber',
      `demo-${code.id}`,
      `${PUBLIC_URL}/tip/${code.id}`,
      ' '.repeat(100) + code.id,
    ];
    for (const text of others) {
      expect(refusedBy(door, await lookUp(door, t, text)), text).toMatchObject({
        status: 404,
        code: 'qr_code_not_found',
        detail: 'QR code not found',
      });
    }
  });

  test('a demo code is nobody’s, even where it reads like an id that was drawn', async () => {
    const t = await createTestApp();
    const { user } = await t.registerProvider();
    await issue(t, user.id, 'DEM0123456');
    expect((await lookUp(door, t, 'DEM0-123456')).status).toBe(200);
    for (const demo of ['demo-123456', 'DEMO-123456', ' Demo-12345-6']) {
      expect(refusedBy(door, await lookUp(door, t, demo)).code).toBe('qr_code_not_found');
    }
  });
});

describe('a code that was looked up is remembered', () => {
  test.each(DOORS)('and an unknown one is not: made a moment later, it is found by %s', async (door) => {
    const t = await createTestApp();
    const { user } = await t.registerProvider();
    for (let time = 0; time < 2; time += 1) {
      expect((await lookUp(door, t, 'ABCDEFGHJK')).status).toBe(404);
    }
    await issue(t, user.id, 'ABCDEFGHJK');
    for (let time = 0; time < 2; time += 1) {
      expect(resultOf(await lookUp(door, t, 'ABCDEFGHJK'))).toMatchObject({});
    }
  });

  test('and answered as it was read, with everything that an answer carries, and in the log', async () => {
    const t = await createTestApp();
    const { code } = await t.setTheScene();
    const path = `/api/qr-codes/${code.id}`;
    const read = await t.send(path);
    const text = await read.text();
    await t.data.setFault('a detail from deep inside');
    t.logLines.length = 0;
    const ids = new Set([read.headers.get('X-Request-Id')]);
    for (const again of [path, path.toLowerCase(), `/api/qr-codes/${showQrCodeId(code.id)}`]) {
      const answer = await t.send(again);
      expect([answer.status, await answer.text()]).toEqual([200, text]);
      expect(headersBut('x-request-id', answer)).toEqual(headersBut('x-request-id', read));
      ids.add(answer.headers.get('X-Request-Id'));
    }
    expect(ids.size).toBe(4);
    const logged = t.logLines.map((line) => JSON.parse(line));
    expect(logged).toHaveLength(3);
    for (const line of logged) {
      expect(line).toMatchObject({
        method: 'GET',
        route: '/api/qr-codes/:qr_code_id',
        status: 200,
        msg: 'request',
      });
      expect(ids).toContain(line.requestId);
    }
  });

  test('for every way to ask, each of which is answered as before', async () => {
    const t = await createTestApp();
    const { code } = await t.setTheScene();
    const path = `/api/qr-codes/${code.id}`;
    const asked: readonly (readonly [string, RequestInit])[] = [
      [path, {}],
      [`${path}?a=b`, {}],
      [`${path}/`, {}],
      [`${path}%20`, {}],
      [path, { method: 'HEAD' }],
      [path, { method: 'POST' }],
      [path, { headers: { Origin: 'https://app.example.com' } }],
      [`/trpc/qrCodes.lookup?input=${encodeURIComponent(JSON.stringify({ id: code.id }))}`, {}],
    ];
    const askAll = () =>
      Promise.all(
        asked.map(async ([way, init]) => {
          const answer = await t.send(way, init);
          const text = (await answer.text()).replace(/[0-9a-f-]{36}/, 'an id');
          return [answer.status, text, headersBut('x-request-id', answer)];
        }),
      );
    const first = await askAll();
    expect(first.map(([status]) => status)).toEqual([200, 422, 404, 200, 200, 405, 200, 200]);
    expect(await askAll()).toEqual(first);
  });

  test('but not by a server that is on its way out', async () => {
    let isShuttingDown = false;
    const t = await createTestApp({ isShuttingDown: () => isShuttingDown });
    const { code } = await t.setTheScene();
    expect((await lookUp('REST', t, code.id)).status).toBe(200);
    isShuttingDown = true;
    for (const door of DOORS) expect((await lookUp(door, t, code.id)).status).toBe(503);
  });

  test('and other origins are told what they may read', async () => {
    const origin = 'https://app.example.com';
    const t = await createTestApp({ config: { corsOrigins: [origin] } });
    const { code } = await t.setTheScene();
    for (let time = 0; time < 2; time += 1) {
      const answer = await t.send(`/api/qr-codes/${code.id}`, { headers: { Origin: origin } });
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(origin);
    }
  });

  test('until as many others were looked up as there is room for', async () => {
    const t = await createTestApp();
    const { user } = await t.registerProvider('pat', ['bartender', 'barber', 'dj']);
    const ids = ['A000000000', 'B000000000', 'C000000000'];
    for (const [index, id] of ids.entries())
      await issue(t, user.id, id, ['bartender', 'barber', 'dj'][index]);
    const codes = createQrCodes({
      payments: createSimulatedPayments(t.storage, () => 0),
      storage: t.storage,
      clock: () => 0,
      random: randomBytes,
      publicUrl: PUBLIC_URL,
      draw: testDrawing.draw,
      maxRemembered: 2,
    });
    const known = () => ids.filter((id) => codes.recall(id) !== null);
    expect(known()).toEqual([]);
    for (const id of ids) expect((await codes.lookup(id)).qrCode.id).toBe(id);
    expect(known()).toEqual(ids.slice(1));
    expect((await codes.lookup('A000000000')).serviceProvider.username).toBe('pat');
    expect(known()).toEqual(['A000000000', 'C000000000']);
  });

  test('and nobody who has the answer can change it for others', async () => {
    const t = await createTestApp();
    const { code } = await t.setTheScene();
    const codes = createQrCodes({
      payments: createSimulatedPayments(t.storage, () => 0),
      storage: t.storage,
      clock: () => 0,
      random: randomBytes,
      publicUrl: PUBLIC_URL,
      draw: testDrawing.draw,
    });
    const found = await codes.lookup(code.id);
    for (const part of [found, found.qrCode, found.serviceProvider]) expect(Object.isFrozen(part)).toBe(true);
  });
});

test('a tip finds its code as a look-up does, however it was typed', async () => {
  const t = await createTestApp();
  const { user } = await t.registerProvider();
  const customer = await t.registerCustomer();
  await issue(t, user.id, '10AB110Z9K');
  const made = await customer.trpc.transactions.create.mutate({
    receiverQrId: ' io ab1-iOz9k ',
    amountCents: 1_000,
    serviceCategory: 'bartender',
  });
  expect(made).toMatchObject({ receiverId: user.id });
});
