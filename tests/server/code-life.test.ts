/**
 * The life of a code: it is paused and goes on, is replaced by another one, or ends with its service. A code
 * that was printed is trusted, so that one which was given up is never paid again and leads nowhere else.
 */
import { describe, expect, test, vi } from 'vitest';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { createLimitedApp } from '#tests/support/attempts.ts';
import { call, DOORS, doorFor, refusedBy, resultOf, tally, times } from '#tests/support/both-doors.ts';
import { drawPhoto } from '#tests/support/photos.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';

/** Pat tends the bar and is a DJ, with a code for each; Cam has tipped the bar once. */
async function openScene(app?: TestApp) {
  const t = app ?? (await createTestApp());
  const pat = await enter(t, 'pat', ['bartender', 'dj']);
  const cam = await enter(t, 'cam');
  const [code = '', dj = ''] = pat.codes;
  const tip = { receiverQrId: code, amountCents: 2_000, serviceCategory: 'bartender' as const };
  const given = await cam.trpc.transactions.create.mutate({ ...tip, idempotencyKey: 'early' });
  const statuses = async () => {
    const ended = await pat.trpc.qrCodes.ended.query({});
    return Object.fromEntries(
      [...ended.codes, ...(await pat.trpc.qrCodes.list.query())].map(({ id, status }) => [id, status]),
    );
  };
  return { t, pat, cam, code, dj, tip, given, statuses };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/**
 * Nobody can pay the code through either door, nothing moves, and a tip from before is answered as it was.
 */
async function expectUnpaid({ t, cam, tip, given }: Scene, code: string, receiverQrId = tip.receiverQrId) {
  const before = await t.data.dump();
  for (const door of DOORS) {
    for (const amountCents of [1_000, 2_000]) {
      const idempotencyKey = `late-${amountCents}`;
      const late = { ...tip, receiverQrId, amountCents, idempotencyKey };
      const answer = await call(door, t, 'transactions.create', late, cam);
      expect(refusedBy(door, answer).code).toBe(code);
    }
    const again = await call(door, t, 'transactions.create', { ...tip, idempotencyKey: 'early' }, cam);
    expect(resultOf(again)).toMatchObject({ id: given.id });
  }
  expect(await t.data.dump()).toEqual(before);
}

describe('a paused code', () => {
  test.each(
    DOORS,
  )('shows whose it is, takes no tip, and takes tips again when it goes on (%s)', async (door) => {
    const scene = await openScene();
    const { t, pat, cam, code, tip } = scene;
    const set = (status: string) => call(door, t, 'qrCodes.update', { id: code, status }, pat);
    for (let time = 0; time < 2; time += 1) {
      expect(resultOf(await set('paused'))).toMatchObject({ id: code, status: 'paused' });
      const found = await call(door, t, 'qrCodes.lookup', { id: code });
      expect(found.status).toBe(200);
      expect(found.text).toContain('"status":"paused"');
      expect(found.text).toContain('Name of pat');
      await expectUnpaid(scene, 'qr_code_paused');
    }
    expect(resultOf(await set('active'))).toMatchObject({ id: code, status: 'active' });
    expect((await call(door, t, 'transactions.create', tip, cam)).status).toBeLessThan(300);
    // The key of a tip that was refused is still free.
    const late = { ...tip, amountCents: 1_000, idempotencyKey: 'late-1000' };
    expect((await call(door, t, 'transactions.create', late, cam)).status).toBeLessThan(300);
  });

  test('still takes its place: its service has no other code', async () => {
    const { pat, code } = await openScene();
    await pat.trpc.qrCodes.update.mutate({ id: code, status: 'paused' });
    await expect(pat.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' })).rejects.toThrow(
      'You already have a QR code for this service.',
    );
  });

  test('says to its owner that it is their own, and to others that it is for another service only once it goes on', async () => {
    const { t, pat, cam, code, tip } = await openScene();
    await pat.trpc.qrCodes.update.mutate({ id: code, status: 'paused' });
    const own = await call('REST', t, 'transactions.create', tip, pat);
    expect(refusedBy('REST', own).code).toBe('own_qr_code');
    const wrong = await call('REST', t, 'transactions.create', { ...tip, serviceCategory: 'dj' }, cam);
    expect(refusedBy('REST', wrong).code).toBe('qr_code_paused');
  });
});

describe('a replaced code', () => {
  test.each(DOORS)('leads nowhere, and leaves its page to the new one (%s)', async (door) => {
    const scene = await openScene();
    const { t, pat, cam, code, dj, tip, statuses } = scene;
    const page = { displayName: 'The Bar', greeting: 'Cheers', status: 'active' } as const;
    await pat.trpc.qrCodes.update.mutate({ id: code, ...page });
    await call('REST', t, 'qrCodes.setPhoto', { id: code, photo: await drawPhoto() }, pat);
    await t.trpc().qrCodes.lookup.query({ id: code });

    const answer = await call(door, t, 'qrCodes.replace', { id: code }, pat);
    expect(answer.status).toBe(door === 'REST' ? 201 : 200);
    const next = Object(resultOf(answer)).id;
    expect(next).not.toBe(code);
    expect(await statuses()).toEqual({ [code]: 'replaced', [dj]: 'active', [next]: 'active' });

    const found = await t.trpc().qrCodes.lookup.query({ id: next });
    expect(found.serviceProvider).toMatchObject({
      fullName: 'The Bar',
      greeting: 'Cheers',
      photoUrl: expect.stringMatching(/^\/photos\//),
    });
    for (const one of DOORS) {
      const refused = refusedBy(one, await call(one, t, 'qrCodes.lookup', { id: code }));
      expect(refused).toMatchObject({ status: 410, code: 'qr_code_replaced' });
      expect(refused.detail).not.toContain(next);
    }
    await expectUnpaid(scene, 'qr_code_replaced');
    expect((await cam.trpc.transactions.create.mutate({ ...tip, receiverQrId: next })).qrCodeId).toBe(next);
  });

  test('cannot be changed, replaced or paid in any way, for as long as there are codes', async () => {
    const scene = await openScene();
    const { t, pat, code } = scene;
    let current = code;
    const given = [code];
    for (let time = 0; time < 4; time += 1) {
      current = (await pat.trpc.qrCodes.replace.mutate({ id: current })).id;
      given.push(current);
    }
    expect(new Set(given).size).toBe(5);
    for (const id of given.slice(0, -1)) {
      for (const door of DOORS) {
        for (const [procedure, input] of [
          ['qrCodes.update', { id, status: 'active' }],
          ['qrCodes.update', { id, greeting: 'Hello' }],
          ['qrCodes.replace', { id }],
          ['qrCodes.removePhoto', { id }],
        ] as const)
          expect(refusedBy(door, await call(door, t, procedure, input, pat)).code).toBe('qr_code_replaced');
      }
      const photo = await call('REST', t, 'qrCodes.setPhoto', { id, photo: await drawPhoto() }, pat);
      expect(refusedBy('REST', photo).code).toBe('qr_code_replaced');
      await expectUnpaid(scene, 'qr_code_replaced', id);
    }
  });

  test('has one successor however often and however concurrently it is replaced, through both doors', async () => {
    const { t, pat, code, dj, statuses } = await openScene();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        turn % 3 === 0
          ? call(doorFor(turn), t, 'qrCodes.create', { serviceCategory: 'bartender' }, pat)
          : call(doorFor(turn), t, 'qrCodes.replace', { id: code }, pat),
      ),
    );
    expect(tally(answers)).toEqual({ fine: 1, qr_code_replaced: 7, qr_code_exists: 4 });
    const { [code]: old, [dj]: other, ...rest } = await statuses();
    expect([old, other, Object.values(rest)]).toEqual(['replaced', 'active', ['active']]);
  });

  test('that was paused has a paused successor', async () => {
    const { pat, code } = await openScene();
    await pat.trpc.qrCodes.update.mutate({ id: code, status: 'paused' });
    expect((await pat.trpc.qrCodes.replace.mutate({ id: code })).status).toBe('paused');
  });

  test('is replaced however its id is typed', async () => {
    const { t, pat, code } = await openScene();
    const typed = ` ${code.slice(0, 5).toLowerCase()}-${code.slice(5)} `;
    expect((await call('REST', t, 'qrCodes.replace', { id: typed }, pat)).status).toBe(201);
  });

  test('stays in the history of both: their tips name it', async () => {
    const { pat, cam, code, given } = await openScene();
    await pat.trpc.qrCodes.replace.mutate({ id: code });
    for (const person of [pat, cam]) {
      const { transactions } = await person.trpc.transactions.list.query({ limit: 10 });
      expect(transactions).toMatchObject([{ id: given.id, qrCodeId: code, netAmountCents: 1_940 }]);
    }
    expect(await pat.trpc.auth.me.query()).toMatchObject({ totalTipsReceivedCents: 1_940 });
  });
});

describe('a retired service', () => {
  test.each(
    DOORS,
  )('takes its code with it, and has another one when it is taken up again (%s)', async (door) => {
    const scene = await openScene();
    const { t, pat, cam, code, dj, given, tip, statuses } = scene;
    await t.trpc().qrCodes.lookup.query({ id: code });
    const offer = (serviceCategories: readonly string[]) =>
      call(door, t, 'auth.updateProfile', { serviceCategories }, pat);

    expect((await offer(['dj'])).status).toBe(200);
    expect(await statuses()).toEqual({ [code]: 'retired', [dj]: 'active' });
    expect(refusedBy(door, await call(door, t, 'qrCodes.lookup', { id: code }))).toMatchObject({
      status: 410,
      code: 'qr_code_retired',
    });
    await expectUnpaid(scene, 'qr_code_retired');
    for (const [procedure, input] of [
      ['qrCodes.update', { id: code, status: 'active' }],
      ['qrCodes.replace', { id: code }],
      ['qrCodes.removePhoto', { id: code }],
    ] as const)
      expect(refusedBy(door, await call(door, t, procedure, input, pat)).code).toBe('qr_code_retired');
    const create = () => call(door, t, 'qrCodes.create', { serviceCategory: 'bartender' }, pat);
    expect(refusedBy(door, await create()).code).toBe('category_not_offered');

    expect((await offer(['bartender', 'dj'])).status).toBe(200);
    expect(await statuses()).toEqual({ [code]: 'retired', [dj]: 'active' });
    const made = await create();
    const next = Object(resultOf(made)).id;
    expect(next).not.toBe(code);
    await expectUnpaid(scene, 'qr_code_retired');
    expect((await cam.trpc.transactions.create.mutate({ ...tip, receiverQrId: next })).qrCodeId).toBe(next);
    const { transactions } = await pat.trpc.transactions.list.query({ limit: 10 });
    expect(transactions.map(({ qrCodeId }) => qrCodeId)).toEqual([next, code]);
    expect(transactions[1]?.id).toBe(given.id);
  });

  test('leaves no current code behind when it is replaced at the same moment', async () => {
    const { t, pat, code, dj, statuses } = await openScene();
    await Promise.all([
      ...Array.from({ length: 4 }, (_, turn) => call(doorFor(turn), t, 'qrCodes.replace', { id: code }, pat)),
      pat.trpc.auth.updateProfile.mutate({ serviceCategories: ['dj'] }),
    ]);
    const { [dj]: other, ...rest } = await statuses();
    expect(other).toBe('active');
    expect(Object.values(rest)).not.toContain('active');
  });
});

// It is counted in memory, on every engine alike.
describe.runIf(isOnSqlite())('how often codes are changed', () => {
  test('is 30 new ones an hour for one account, made or to replace another, over both doors', async () => {
    const t = await createLimitedApp();
    const { pat, code } = await openScene(t);
    const answers = await times(30, (turn) =>
      turn % 2 === 0
        ? call('REST', t, 'qrCodes.replace', { id: code }, pat)
        : call('tRPC', t, 'qrCodes.create', { serviceCategory: 'bartender' }, pat),
    );
    expect(tally(answers)).toEqual({ fine: 1, qr_code_replaced: 14, qr_code_exists: 15 });
    for (const door of DOORS)
      expect(refusedBy(door, await call(door, t, 'qrCodes.replace', { id: code }, pat)).code).toBe(
        'too_many_requests',
      );
    t.clock.nowMs += 3_600_000;
    expect(refusedBy('REST', await call('REST', t, 'qrCodes.replace', { id: code }, pat)).code).toBe(
      'qr_code_replaced',
    );
  });

  test('is 240 changes an hour of the pages of one account, and nobody else’s', async () => {
    const t = await createLimitedApp();
    const { pat, cam, code } = await openScene(t);
    const change = (turn: number, person = pat) =>
      turn % 3 === 0
        ? call(doorFor(turn), t, 'qrCodes.removePhoto', { id: code }, person)
        : call(doorFor(turn), t, 'qrCodes.update', { id: code, greeting: `${turn}` }, person);
    expect(tally(await times(240, (turn) => change(turn)))).toEqual({ fine: 240 });
    for (const turn of [240, 241, 242, 243])
      expect(refusedBy(doorFor(turn), await change(turn)).code).toBe('too_many_requests');
    expect(refusedBy('REST', await change(0, cam)).code).toBe('qr_code_not_found');
  });
});

test.each(DOORS)('old codes go on after one of their owner, and after nobody else’s (%s)', async (door) => {
  const { t, pat, cam, code } = await openScene();
  const sam = await enter(t, 'sam', ['barber']);
  const ask = (person: { readonly token: string }, cursor: string) =>
    call(door, t, 'qrCodes.ended', { limit: 1, cursor }, person);
  await pat.trpc.qrCodes.replace.mutate({ id: code });
  expect((await ask(pat, code)).status).toBe(200);
  for (const [person, cursor] of [
    [sam, code],
    [cam, code],
    [pat, sam.codes[0] ?? ''],
    [pat, '0000000000'],
  ] as const) {
    expect(refusedBy(door, await ask(person, cursor))).toMatchObject({
      code: 'invalid_input',
      fields: [{ field: 'cursor', message: 'The cursor is not valid.' }],
    });
  }
});

test('a provider of all services can have a code for each, and each is replaced alone', async () => {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', SERVICE_CATEGORIES);
  const [first = ''] = pat.codes;
  const next = await pat.trpc.qrCodes.replace.mutate({ id: first });
  const codes = await pat.trpc.qrCodes.list.query();
  const active = codes.filter(({ status }) => status === 'active').map(({ id }) => id);
  expect(active.sort()).toEqual([...pat.codes.slice(1), next.id].sort());
});

test.runIf(!isOnSqlite())(
  'a code that changes at one process is told by the other, and paid at neither',
  async () => {
    const one = await createTestApp();
    const other = await createTestApp({ data: one.data });
    const { pat, cam, code, tip } = await openScene(one);
    /** Asks the other process until it says so; only one that is never told takes longer. */
    const untilOtherSays = (part: string, id = code) =>
      vi.waitFor(
        async () => expect((await call('REST', other, 'qrCodes.lookup', { id })).text).toContain(part),
        { timeout: 30_000, interval: 20 },
      );
    const pay = async (receiverQrId: string) => {
      const answer = await call('REST', other, 'transactions.create', { ...tip, receiverQrId }, cam);
      return answer.status < 300 ? 'fine' : refusedBy('REST', answer).code;
    };
    await untilOtherSays('Name of pat');
    await pat.trpc.qrCodes.update.mutate({ id: code, displayName: 'The Bar' });
    await untilOtherSays('The Bar');
    await pat.trpc.qrCodes.update.mutate({ id: code, displayName: null, greeting: 'Cheers' });
    await untilOtherSays('Cheers');
    await pat.trpc.auth.updateProfile.mutate({ fullName: 'Pat New', username: 'pat-new' });
    await untilOtherSays('Pat New');
    await call('REST', one, 'qrCodes.setPhoto', { id: code, photo: await drawPhoto() }, pat);
    await untilOtherSays('/photos/');
    // What is paid is decided with the data, at once, whatever the other process remembers.
    await pat.trpc.qrCodes.update.mutate({ id: code, status: 'paused' });
    expect(await pay(code)).toBe('qr_code_paused');
    await untilOtherSays('"paused"');
    await pat.trpc.qrCodes.update.mutate({ id: code, status: 'active' });
    expect(await pay(code)).toBe('fine');
    await untilOtherSays('"active"');
    const { id: next } = await pat.trpc.qrCodes.replace.mutate({ id: code });
    expect([await pay(code), await pay(next)]).toEqual(['qr_code_replaced', 'fine']);
    await untilOtherSays('qr_code_replaced');
    await untilOtherSays('Pat New', next);
    await pat.trpc.auth.updateProfile.mutate({ serviceCategories: ['dj'] });
    expect(await pay(next)).toBe('qr_code_retired');
    await untilOtherSays('qr_code_retired', next);
  },
);
