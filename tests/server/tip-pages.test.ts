/**
 * A tip page with a name of its own: it tells nobody who scans it what the account behind it is called,
 * whatever they ask and wherever they look. And what a page shows is what its owner wrote last.
 */
import { describe, expect, test } from 'vitest';
import { answerOf, call, DOORS, type Door, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { openStream, type TipStream } from '#tests/support/event-streams.ts';
import { drawPhoto } from '#tests/support/photos.ts';
import { get, metaOf, pages, textOf, titleOf } from '#tests/support/rendered-pages.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const STAGE_NAME = 'Velvet Moon';

/**
 * Secretname works a bar and as a DJ; the page of the DJ has a name of its own. Cam has tipped it before and
 * after.
 */
async function openScene() {
  const t = await createTestApp({ pages });
  const owner = await enter(t, 'secretname', ['dj', 'bartender']);
  await owner.trpc.auth.updateProfile.mutate({ fullName: 'Wilhelmina Realname' });
  const cam = await enter(t, 'cam');
  const [code = '', openCode = ''] = owner.codes;
  const tip = { receiverQrId: code, amountCents: 2_000, serviceCategory: 'dj' as const };
  const early = await cam.trpc.transactions.create.mutate({ ...tip, idempotencyKey: 'early' });
  // Both have been looked up, so that what was remembered must be forgotten.
  await get(t, `/tip/${code}`);
  await owner.trpc.qrCodes.update.mutate({ id: code, displayName: STAGE_NAME, greeting: 'Thank you!' });
  const photo = Uint8Array.from(await drawPhoto());
  await call('REST', t, 'qrCodes.setPhoto', { id: code, photo }, owner);
  /** What the account is called, in any case; none of it may be told. */
  const secrets = ['secretname', 'realname', 'wilhelmina', owner.user.id, owner.user.email];
  return { t, owner, cam, code, openCode, tip, early, secrets };
}

function expectNoSecrets(secrets: readonly string[], text: string, where: string): void {
  for (const secret of secrets) expect(text.toLowerCase(), where).not.toContain(secret.toLowerCase());
}

/** Everything that a response says, headers as well. */
async function wholeOf(t: TestApp, path: string, init: RequestInit = {}): Promise<string> {
  const response = await t.send(path, init);
  return `${JSON.stringify([...response.headers])} ${await response.text()}`;
}

/** All that a stream says until a tip came. */
async function saidUntilTip(stream: TipStream): Promise<string> {
  let said = '';
  for (let event = await stream.next(); event !== null; event = await stream.next()) {
    said += JSON.stringify(event);
    if (event.data.includes('txn_') && event.data.includes('20')) return said;
  }
  throw new Error('the stream ended without a tip');
}

describe('a page with a name of its own', () => {
  test.each(DOORS)('tells of its code that name, and an id and a username of the code (%s)', async (door) => {
    const { t, code, secrets } = await openScene();
    const answer = await call(door, t, 'qrCodes.lookup', { id: code });
    const snake = door === 'REST';
    expect(resultOf(answer)).toEqual({
      [snake ? 'qr_code' : 'qrCode']: {
        id: code,
        [snake ? 'service_category' : 'serviceCategory']: 'dj',
        [snake ? 'user_id' : 'userId']: `usr_${'0'.repeat(16)}${code.toLowerCase()}`,
        status: 'active',
        [snake ? 'is_payable' : 'isPayable']: true,
        [snake ? 'takes_words' : 'takesWords']: true,
      },
      [snake ? 'service_provider' : 'serviceProvider']: {
        username: `code-${code.toLowerCase()}`,
        [snake ? 'full_name' : 'fullName']: STAGE_NAME,
        [snake ? 'service_category' : 'serviceCategory']: 'dj',
        greeting: 'Thank you!',
        [snake ? 'photo_url' : 'photoUrl']: expect.stringMatching(/^\/photos\//),
      },
    });
    // The second answer is the remembered one.
    for (const again of [answer, await call(door, t, 'qrCodes.lookup', { id: code })])
      expectNoSecrets(secrets, `${JSON.stringify([...again.headers])} ${again.text}`, 'look-up');
  });

  test('is rendered without the names of the account, in its share preview as well', async () => {
    const { t, code, secrets } = await openScene();
    for (const path of [
      `/tip/${code}`,
      `/tip/${code}/`,
      `/tip/${code}?amount=25`,
      `/tip/${code.toLowerCase()}`,
      `/auth?next=/tip/${code}`,
    ])
      expectNoSecrets(secrets, await wholeOf(t, path), path);
    const { html } = await get(t, `/tip/${code}`);
    expect(textOf(html)).toContain(STAGE_NAME);
    expect(titleOf(html)).toContain(STAGE_NAME);
    expect(metaOf(html, 'og:title')).toContain(STAGE_NAME);
    const preview = metaOf(html, 'og:description') ?? '';
    expect(preview).not.toBe('');
    expectNoSecrets(secrets, preview, 'share preview');
  });

  test('has a photo whose address and bytes tell nothing', async () => {
    const { t, code, secrets } = await openScene();
    const { serviceProvider } = await t.trpc().qrCodes.lookup.query({ id: code });
    const address = serviceProvider.photoUrl ?? '';
    const whole = await wholeOf(t, address);
    expect(whole).toContain('image/jpeg');
    expectNoSecrets([...secrets, code], `${address} ${whole}`, 'photo');
  });

  test.each(DOORS)('is all that a giver ever hears of whom they tipped (%s)', async (door) => {
    const { t, cam, tip, early, secrets } = await openScene();
    const stream = await openStream(t.send, door, { token: cam.token });
    const given = await call(door, t, 'transactions.create', { ...tip, idempotencyKey: 'new' }, cam);
    const { id } = Object(resultOf(given));
    const heard = {
      'a tip': given.text,
      'a tip that is sent again': (
        await call(door, t, 'transactions.create', { ...tip, idempotencyKey: 'new' }, cam)
      ).text,
      'a tip from before, sent again': (
        await call(door, t, 'transactions.create', { ...tip, idempotencyKey: 'early' }, cam)
      ).text,
      'the list': (await call(door, t, 'transactions.list', { limit: 100 }, cam)).text,
      'the tip': (await call(door, t, 'transactions.get', { id }, cam)).text,
      'the tip from before': (await call(door, t, 'transactions.get', { id: early.id }, cam)).text,
      'the stream': await saidUntilTip(stream),
    };
    await stream.close();
    for (const [where, text] of Object.entries(heard)) {
      expectNoSecrets(secrets, text, where);
      expect(text, where).toContain(STAGE_NAME);
    }
  });

  test.each(DOORS)('is not given away by what is refused (%s)', async (door) => {
    const { t, owner, cam, code, tip, secrets } = await openScene();
    const refusals = async () => [
      await call(door, t, 'transactions.create', tip),
      await call(door, t, 'transactions.create', { ...tip, amountCents: 1 }, cam),
      await call(door, t, 'transactions.create', { ...tip, serviceCategory: 'bartender' }, cam),
      await call(
        door,
        t,
        'transactions.create',
        { ...tip, idempotencyKey: 'early', amountCents: 1_000 },
        cam,
      ),
      await call(door, t, 'qrCodes.update', { id: code, greeting: 'x' }, cam),
      await call(door, t, 'qrCodes.removePhoto', { id: code }, cam),
    ];
    const all = await refusals();
    await owner.trpc.qrCodes.update.mutate({ id: code, status: 'paused' });
    all.push(await call(door, t, 'transactions.create', tip, cam));
    const paused = await t.send(`/tip/${code}`);
    expectNoSecrets(secrets, await paused.text(), 'the page of a paused code');
    await owner.trpc.qrCodes.replace.mutate({ id: code });
    all.push(await call(door, t, 'transactions.create', tip, cam));
    all.push(await call(door, t, 'qrCodes.lookup', { id: code }));
    for (const answer of all) {
      refusedBy(door, answer);
      expectNoSecrets(secrets, `${JSON.stringify([...answer.headers])} ${answer.text}`, answer.text);
    }
    expectNoSecrets(secrets, await (await t.send(`/tip/${code}`)).text(), 'the page of a replaced code');
  });

  test('does not let its giver find the pages of the same person by what they are told', async () => {
    const { t, cam, code, openCode, tip } = await openScene();
    const other = { ...tip, receiverQrId: openCode, serviceCategory: 'bartender' as const };
    await cam.trpc.transactions.create.mutate(other);
    const { transactions } = await cam.trpc.transactions.list.query({ limit: 10 });
    const [ofBar, ofDj] = transactions;
    expect([ofBar?.receiverName, ofDj?.receiverName]).toEqual(['Wilhelmina Realname', STAGE_NAME]);
    expect(ofBar?.receiverId).not.toBe(ofDj?.receiverId);
    expect(ofBar?.receiverUsername).not.toBe(ofDj?.receiverUsername);
    const [one, two] = [
      await t.trpc().qrCodes.lookup.query({ id: code }),
      await t.trpc().qrCodes.lookup.query({ id: openCode }),
    ];
    expect(one.qrCode.userId).not.toBe(two.qrCode.userId);
  });

  test('tells the ids and usernames of pages to nobody else who could have them', async () => {
    const { t, code } = await openScene();
    const person = {
      email: 'new@example.com',
      fullName: 'New',
      password: 'correct horse battery',
      phone: null,
    };
    for (const username of [`code-${code.toLowerCase()}`, `CODE-${code}`]) {
      const answer = await call('REST', t, 'auth.register', {
        ...person,
        username,
        isServiceProvider: false,
      });
      expect(refusedBy('REST', answer)).toMatchObject({
        code: 'invalid_input',
        detail: 'This username is reserved.',
      });
    }
  });

  test.each(DOORS)('leaves its owner to see their own name (%s)', async (door) => {
    const { t, owner, early } = await openScene();
    for (const answer of [
      await call(door, t, 'transactions.list', { limit: 10 }, owner),
      await call(door, t, 'transactions.get', { id: early.id }, owner),
    ])
      expect(answer.text).toContain('Wilhelmina Realname');
  });

  test('shows the names of the account again once its own is taken off', async () => {
    const { t, owner, cam, code, early } = await openScene();
    await owner.trpc.qrCodes.update.mutate({ id: code, displayName: null });
    const { serviceProvider, qrCode } = await t.trpc().qrCodes.lookup.query({ id: code });
    expect(serviceProvider).toMatchObject({ username: 'secretname', fullName: 'Wilhelmina Realname' });
    expect(qrCode.userId).toBe(owner.user.id);
    expect(await cam.trpc.transactions.get.query({ id: early.id })).toMatchObject({
      receiverName: 'Wilhelmina Realname',
      receiverId: owner.user.id,
    });
  });
});

describe('what a page shows', () => {
  test.each(DOORS)('keeps the shape of a look-up, to which fields were added alone (%s)', async (door) => {
    const { t, owner, openCode } = await openScene();
    const [userId, service, name] =
      door === 'REST'
        ? ['user_id', 'service_category', 'full_name']
        : ['userId', 'serviceCategory', 'fullName'];
    expect(resultOf(await call(door, t, 'qrCodes.lookup', { id: openCode }))).toEqual({
      [door === 'REST' ? 'qr_code' : 'qrCode']: {
        id: openCode,
        [service]: 'bartender',
        [userId]: owner.user.id,
        status: 'active',
        [door === 'REST' ? 'is_payable' : 'isPayable']: true,
        [door === 'REST' ? 'takes_words' : 'takesWords']: true,
      },
      [door === 'REST' ? 'service_provider' : 'serviceProvider']: {
        username: 'secretname',
        [name]: 'Wilhelmina Realname',
        [service]: 'bartender',
        greeting: null,
        [door === 'REST' ? 'photo_url' : 'photoUrl']: null,
      },
    });
  });

  /**
   * What the look-up of both doors and the page say at the moment, without anything that changes by itself.
   */
  async function shownAt(t: TestApp, code: string) {
    const rest = await answerOf(await t.send(`/api/qr-codes/${code}`));
    const { html } = await get(t, `/tip/${code}`);
    return { rest: rest.text, trpc: (await call('tRPC', t, 'qrCodes.lookup', { id: code })).text, html };
  }

  test('is what its owner changed last, from the very next request on', async () => {
    const { t, owner, openCode: id } = await openScene();
    const photo = await drawPhoto();
    const put = () => call('REST', t, 'qrCodes.setPhoto', { id, photo }, owner);
    const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['Barfly', () => owner.trpc.qrCodes.update.mutate({ id, displayName: 'Barfly' })],
      ['Salute!', () => owner.trpc.qrCodes.update.mutate({ id, greeting: 'Salute!' })],
      ['"paused"', () => owner.trpc.qrCodes.update.mutate({ id, status: 'paused' })],
      ['"active"', () => owner.trpc.qrCodes.update.mutate({ id, status: 'active' })],
      ['/photos/', put],
      ['/photos/', put],
      ['Wilhelmina', () => owner.trpc.qrCodes.update.mutate({ id, displayName: null })],
      ['Willa', () => owner.trpc.auth.updateProfile.mutate({ fullName: 'Willa Other' })],
      ['othername', () => owner.trpc.auth.updateProfile.mutate({ username: 'othername' })],
      ['null', () => owner.trpc.qrCodes.removePhoto.mutate({ id })],
      ['null', () => owner.trpc.qrCodes.update.mutate({ id, greeting: ' ' })],
    ];
    let before = await shownAt(t, id);
    for (const [part, step] of steps) {
      await step();
      const after = await shownAt(t, id);
      expect(after.rest, part).not.toBe(before.rest);
      expect(after.trpc, part).not.toBe(before.trpc);
      expect(after.html, part).not.toBe(before.html);
      for (const text of Object.values(after)) expect(text).toContain(part);
      before = after;
    }
  });

  test('is not put back by a look-up that was under way while it changed', async () => {
    const { t, owner, openCode: id } = await openScene();
    for (let turn = 0; turn < 20; turn += 1) {
      const greeting = `Greeting ${turn}`;
      const lookUps = Array.from({ length: 4 }, () => t.trpc().qrCodes.lookup.query({ id }));
      await Promise.all([...lookUps, owner.trpc.qrCodes.update.mutate({ id, greeting })]);
      expect((await t.trpc().qrCodes.lookup.query({ id })).serviceProvider.greeting).toBe(greeting);
    }
  });
});

describe('the words of a page', () => {
  const cases: readonly (readonly [field: 'displayName' | 'greeting', value: unknown, message: string])[] = [
    ['displayName', 'x'.repeat(61), 'Display name may have up to 60 characters.'],
    ['displayName', '...', 'Display name needs a letter, a digit or an emoji.'],
    ['displayName', 'a\u202eb', 'Display name has characters that cannot be shown.'],
    ['displayName', 7, 'Display name must be text.'],
    ['displayName', 'Claim at https://evil.example', 'Display name must not have links.'],
    ['displayName', 'evil.com', 'Display name must not have links.'],
    ['greeting', 'x'.repeat(141), 'The greeting may have up to 140 characters.'],
    ['greeting', 'a\u0000b', 'The greeting has characters that cannot be shown.'],
    ['greeting', ['x'], 'The greeting must be text.'],
  ];
  const nameOf = (door: Door, field: string) =>
    door === 'REST' && field === 'displayName' ? 'display_name' : field;

  test.each(DOORS)('are refused field by field where nobody could read them (%s)', async (door) => {
    const { t, owner, code } = await openScene();
    const before = await t.data.dump();
    for (const [field, value, message] of cases) {
      const refused = refusedBy(
        door,
        await call(door, t, 'qrCodes.update', { id: code, [field]: value }, owner),
      );
      expect(refused.fields).toEqual([{ field: nameOf(door, field), message }]);
    }
    const state = await call(door, t, 'qrCodes.update', { id: code, status: 'retired' }, owner);
    expect(refusedBy(door, state).fields).toEqual([
      { field: 'status', message: 'A code can be active or paused.' },
    ]);
    expect(await t.data.dump()).toEqual(before);
  });

  test.each(DOORS)('are kept composed, without the blanks around them (%s)', async (door) => {
    const { t, owner, code } = await openScene();
    const words = { displayName: '  Zoe\u0308 🎉 ', greeting: ` ${'ü'.repeat(140)} ` };
    expect((await call(door, t, 'qrCodes.update', { id: code, ...words }, owner)).status).toBe(200);
    const { serviceProvider } = await t.trpc().qrCodes.lookup.query({ id: code });
    expect(serviceProvider).toMatchObject({ fullName: 'Zoë 🎉', greeting: 'ü'.repeat(140) });
  });
});

describe('a public page', () => {
  test('shows what is listed under a username, and only its owner lists', async () => {
    const t = await createTestApp();
    const { provider, customer, code } = await t.setTheScene();
    const page = (username: string) => t.rest('GET', `/providers/${username}`);
    const { username, fullName } = provider.user;
    expect(await page(username)).toMatchObject({ status: 404, body: { code: 'provider_not_found' } });
    const list = (token: string) =>
      t.rest('PATCH', `/qr-codes/${code.id}`, { token, body: { is_listed: true, display_name: 'The Bar' } });
    expect((await list(customer.token)).status).toBe(404);
    expect((await list(provider.token)).body).toMatchObject({ is_listed: true });
    const shown = {
      username,
      full_name: fullName,
      codes: [
        {
          id: code.id,
          service_category: 'bartender',
          url: expect.stringMatching(new RegExp(`/tip/${code.id}$`)),
          name: 'The Bar',
          greeting: null,
          photo_url: null,
          status: 'active',
        },
      ],
    };
    expect((await page(username)).body).toEqual(shown);
    expect((await page(username.toUpperCase())).body).toEqual(shown);
    // The look-up of the code leads to nobody, as before.
    expect((await t.rest('GET', `/qr-codes/${code.id}`)).text).not.toContain(username);
    await t.storage.updateAccount(provider.user.id, { username: 'another' });
    expect((await page(username)).status).toBe(404);
    expect((await page('another')).body).toMatchObject({ username: 'another' });
  });

  test('arrives rendered, without a script, at one spelling of its address, and as nothing where nothing is listed', async () => {
    const t = await createTestApp({ pages });
    const { provider, code } = await t.setTheScene();
    await t.storage.updateAccount(provider.user.id, { fullName: '<b>Pat</b> "Doe"' });
    const path = `/@${provider.user.username}`;
    const nobodys = await get(t, '/@nobody');
    expect(nobodys.status).toBe(404);
    expect((await get(t, path)).html).toBe(nobodys.html);
    await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: true });
    const { status, html } = await get(t, path);
    expect(status).toBe(200);
    expect(titleOf(html)).toBe('Tip <b>Pat</b> "Doe" · Tipwell');
    expect(html).toContain(`href="/tip/${code.id}"`);
    expect(html).not.toMatch(/<script|<b>/);
    expect(metaOf(html, 'robots')).toBe('noindex');
    expect((await get(t, `/%40${provider.user.username}`)).status).toBe(404);
    await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'paused' });
    expect(textOf((await get(t, path)).html)).toContain('Not taking tips right now');
    await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: false });
    expect((await get(t, path)).status).toBe(404);
  });
});
