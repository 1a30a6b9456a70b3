/**
 * What somebody changes of their own account: by the rules of registration and in its words, all of it or
 * nothing. The email, to which the account belongs, is for whoever knows the password.
 */
import { describe, expect, test } from 'vitest';
import { createLimitedApp } from '#tests/support/attempts.ts';
import {
  call,
  changePasswordThrough,
  DOORS,
  type Door,
  doorFor,
  logInThrough,
  refusedBy,
  registerThrough,
  resultOf,
  tally,
  times,
} from '#tests/support/both-doors.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const DAY_MS = 86_400_000;

type Person = { readonly token: string };

const change = (door: Door, t: TestApp, person: Person, fields: object) =>
  call(door, t, 'auth.updateProfile', fields, person);

const codeOf = async (door: Door, t: TestApp, person: Person, fields: object) =>
  refusedBy(door, await change(door, t, person, fields)).code;

/** The fields of a change as a door spells them. */
const spelled = (door: Door, name: string) =>
  door === 'REST' ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;

describe('a profile', () => {
  test.each(DOORS)('is changed field by field, and what is left out stays (%s)', async (door) => {
    const t = await createTestApp();
    const cam = await t.registerCustomer('cam');
    const user = { ...cam.user };
    for (const [fields, outcome] of [
      [{}, {}],
      [{ fullName: '  Zoe\u0308 Doe ' }, { fullName: 'Zoë Doe' }],
      [{ username: 'CAM.Doe' }, { username: 'cam.doe' }],
      [{ phone: ' +43 660 1234567 ' }, { phone: '+43 660 1234567' }],
      [{ phone: '' }, { phone: null }],
      [{ phone: '12345678' }, { phone: '12345678' }],
      [{ phone: null }, { phone: null }],
      [{ email: 'New@Example.com', currentPassword: PASSWORD }, { email: 'New@Example.com' }],
      // The password is asked for with another email alone.
      [{ email: 'New@Example.com', fullName: 'Zoë' }, { fullName: 'Zoë' }],
      [{ isServiceProvider: false, serviceCategories: ['dj'] }, {}],
      [
        { isServiceProvider: true, serviceCategories: ['dj', 'bartender'] },
        { isServiceProvider: true, serviceCategories: ['bartender', 'dj'] },
      ],
      [{ serviceCategories: ['barber'] }, { serviceCategories: ['barber'] }],
      [{ isServiceProvider: true }, {}],
      [{ dayStartHour: 5 }, { dayStartHour: 5 }],
      [{ fullName: 'Zoë' }, {}],
      [{ dayStartHour: 0 }, { dayStartHour: 0 }],
      [{ dayStartHour: null }, { dayStartHour: null }],
      [{ id: 'usr_x', totalTipsReceivedCents: 5, mustChangePassword: true, passwordHash: 'x' }, {}],
    ] as const) {
      Object.assign(user, outcome);
      const answer = await change(door, t, cam, fields);
      expect(answer.status, `${JSON.stringify(fields)} ${answer.text}`).toBe(200);
      expect(await cam.trpc.auth.me.query()).toEqual(user);
      const me = await call(door, t, 'auth.me', undefined, cam);
      expect(resultOf(answer)).toEqual(resultOf(me));
    }
  });

  test.each(DOORS)('is refused what registration refuses, in the same words (%s)', async (door) => {
    const t = await createTestApp();
    const pat = await t.registerProvider('pat', ['dj']);
    await t.registerCustomer('cam');
    const before = await t.data.dump();
    const person = {
      email: 'new@example.com',
      username: 'new-one',
      fullName: 'New One',
      password: PASSWORD,
      phone: null,
      isServiceProvider: true,
      serviceCategories: ['dj'],
    };
    const wrong: readonly (readonly [field: keyof typeof person, values: readonly unknown[]])[] = [
      ['email', ['nobody', '', ' ', null, 7, 'a@b', `${'x'.repeat(250)}@example.com`, 'cam@EXAMPLE.com']],
      [
        'username',
        [
          'x',
          '',
          'a b',
          '-ab-',
          'admin',
          'tipwell',
          'support-joe',
          'code-0123456789',
          'CODE-ABCDEFGHJK',
          'x'.repeat(31),
          null,
          7,
          'CAM',
          'cam',
          'ünï',
        ],
      ],
      ['fullName', ['', ' ', '...', 'x'.repeat(61), 'a\u202eb', null, 7]],
      ['phone', ['12', 'call me', '1'.repeat(41), 7]],
      ['isServiceProvider', ['yes', 1, null]],
      ['serviceCategories', [[], 'dj', ['astronaut'], Array(101).fill('dj'), null]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const registered = refusedBy(
          door,
          await call(door, t, 'auth.register', { ...person, [field]: value }),
        );
        const fields = { [field]: value, ...(field === 'email' && { currentPassword: PASSWORD }) };
        const { code, status, detail, fields: told } = refusedBy(door, await change(door, t, pat, fields));
        expect({ value, code, status, detail, told }).toEqual({
          value,
          code: registered.code,
          status: registered.status,
          detail: registered.detail,
          told: registered.fields,
        });
      }
    }
    expect(await t.data.dump()).toEqual(before);
  });

  test.each(DOORS)('is changed as a whole or not at all (%s)', async (door) => {
    const t = await createTestApp();
    const cam = await t.registerCustomer('cam');
    await t.registerCustomer('dan');
    const before = await t.data.dump();
    for (const fields of [
      { fullName: 'New', username: 'dan' },
      { fullName: 'New', email: 'dan@example.com', currentPassword: PASSWORD },
      { fullName: 'New', email: 'new@example.com', currentPassword: 'not the password' },
      { fullName: 'New', email: 'new@example.com' },
      { fullName: 'New', phone: '12' },
      { fullName: 'New', isServiceProvider: true },
      ...[-1, 24, 4.5, '5', true].map((dayStartHour) => ({ fullName: 'New', dayStartHour })),
    ])
      expect((await change(door, t, cam, fields)).status).toBeGreaterThanOrEqual(400);
    expect(await t.data.dump()).toEqual(before);
  });
});

describe('another email', () => {
  test.each(DOORS)('is for whoever knows the password (%s)', async (door) => {
    const t = await createTestApp();
    const cam = await t.registerCustomer('cam');
    const email = 'new@example.com';
    const before = await t.data.dump();
    for (const [currentPassword, message] of [
      [undefined, 'Current password is required.'],
      ['', 'Current password is required.'],
      [null, 'Current password is required.'],
      [7, 'Current password must be text.'],
    ] as const) {
      const refused = refusedBy(door, await change(door, t, cam, { email, currentPassword }));
      expect(refused.fields).toEqual([{ field: spelled(door, 'currentPassword'), message }]);
    }
    expect(await codeOf(door, t, cam, { email, currentPassword: 'not the password' })).toBe('wrong_password');
    // Neither in another case only: it is the address that mails go to.
    expect(await codeOf(door, t, cam, { email: 'CAM@example.com' })).toBe('invalid_input');
    expect(await t.data.dump()).toEqual(before);
  });

  test.each(DOORS)('is the one to log in with, and sessions go on (%s)', async (door) => {
    const t = await createTestApp();
    const cam = await t.registerCustomer('cam');
    const elsewhere = await t.logIn('cam@example.com');
    const fields = { email: 'New@Example.com', currentPassword: PASSWORD };
    expect((await change(door, t, cam, fields)).status).toBe(200);
    for (const token of [cam.token, elsewhere])
      expect(resultOf(await call(door, t, 'auth.me', undefined, { token }))).toMatchObject({
        email: 'New@Example.com',
      });
    expect((await logInThrough(door, t, 'new@EXAMPLE.com', PASSWORD)).status).toBe(200);
    const old = await logInThrough(door, t, 'cam@example.com', PASSWORD);
    expect(refusedBy(door, old).code).toBe('wrong_credentials');
    // The old one belongs to nobody, and may be somebody else's by now.
    const other = { email: 'cam@example.com', username: 'other', password: PASSWORD };
    expect((await registerThrough(door, t, other)).status).toBeLessThan(300);
    expect(await codeOf(door, t, cam, { email: 'cam@example.com', currentPassword: PASSWORD })).toBe(
      'email_taken',
    );
  });

  test('must not be the password', async () => {
    const t = await createTestApp();
    const cam = await t.registerCustomer('cam');
    const next = 'my-secret@example.com';
    const changed = await changePasswordThrough('REST', t, PASSWORD, next, cam);
    const token = Object(resultOf(changed)).access_token;
    for (const door of DOORS) {
      const refused = refusedBy(
        door,
        await change(door, t, { token }, { email: next, currentPassword: next }),
      );
      expect(refused.fields).toEqual([
        { field: 'email', message: 'Password must not be your email or your username.' },
      ]);
    }
  });

  test('is guessed for as seldom as the password is changed: both are one count', async () => {
    const t = await createLimitedApp();
    const cam = await t.registerCustomer('cam');
    const elsewhere = { token: await t.logIn('cam@example.com') };
    const email = 'new@example.com';
    const guess = (turn: number) =>
      turn % 2 === 0
        ? change(doorFor(turn), t, cam, { email, currentPassword: `wrong ${turn}` })
        : changePasswordThrough(doorFor(turn), t, `wrong ${turn}`, 'another long password', cam);
    expect(tally(await times(5, guess))).toEqual({ wrong_password: 5 });
    const right = { email, currentPassword: PASSWORD };
    for (const door of DOORS) expect(await codeOf(door, t, cam, right)).toBe('too_many_requests');
    // What needs no password goes on, and so does another session.
    expect((await change('REST', t, cam, { fullName: 'New Name' })).status).toBe(200);
    expect((await change('REST', t, elsewhere, right)).status).toBe(200);
  });
});

describe('how often a profile is changed', () => {
  test('is three times in any 30 days for a username, over both doors and after a restart, and says when the next can be', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('taken');
    const cam = await t.registerCustomer('cam');
    const rename = (door: Door, name: string, app = t) => change(door, app, cam, { username: name });
    const days = async (count: number) => {
      t.clock.nowMs = START_MS + count * DAY_MS;
      await cam.trpc.auth.confirm.mutate({ password: PASSWORD });
    };
    expect(refusedBy('REST', await rename('REST', 'taken')).code).toBe('username_taken');
    expect((await rename('REST', 'one')).status).toBe(200);
    // What it is already is no change.
    for (let turn = 0; turn < 4; turn += 1) expect((await rename('tRPC', 'one')).status).toBe(200);
    await days(10);
    expect((await rename('tRPC', 'two')).status).toBe(200);
    expect((await rename('tRPC', 'one')).status).toBe(200);
    const refused = await rename('REST', 'four');
    expect(refusedBy('REST', refused)).toMatchObject({
      status: 429,
      code: 'username_changed_often',
      detail: 'A username can be changed three times in 30 days. You can change yours again in 20 days.',
    });
    expect(Number(refused.headers.get('Retry-After'))).toBe(20 * 86_400);
    // What is left of another limit would say that it can be tried again.
    expect(refused.headers.get('RateLimit')).toBeNull();
    expect((await change('REST', t, cam, { fullName: 'Cam' })).status).toBe(200);

    const restarted = await createTestApp({ data: t.data, config: t.config });
    restarted.clock.nowMs = t.clock.nowMs;
    expect(refusedBy('tRPC', await rename('tRPC', 'four', restarted)).code).toBe('username_changed_often');

    await days(30);
    expect((await rename('REST', 'four')).status).toBe(200);
    expect(refusedBy('tRPC', await rename('tRPC', 'five')).code).toBe('username_changed_often');
    await days(40);
    expect((await rename('REST', 'five')).status).toBe(200);
    expect((await rename('REST', 'six')).status).toBe(200);
    expect(refusedBy('tRPC', await rename('tRPC', 'seven')).code).toBe('username_changed_often');
  });

  test('of a username is counted for changes at once too', async () => {
    const t = await createLimitedApp();
    const cam = await t.registerCustomer('cam');
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four', 'five', 'six'].map((username) => change('REST', t, cam, { username })),
    );
    expect(tally(answers)).toEqual({ fine: 3, username_changed_often: 3 });
  });

  test('is 60 times an hour for one account, refused or not, over both doors', async () => {
    const t = await createLimitedApp();
    const [cam, dan] = [await enter(t, 'cam'), await enter(t, 'dan')];
    const one = (turn: number, person = cam) =>
      change(doorFor(turn), t, person, { fullName: turn % 3 === 0 ? '' : `Cam ${turn}` });
    expect(tally(await times(60, (turn) => one(turn)))).toEqual({ fine: 40, invalid_input: 20 });
    for (const turn of [61, 62])
      expect(refusedBy(doorFor(turn), await one(turn)).code).toBe('too_many_requests');
    expect((await one(64, dan)).status).toBe(200);
    t.clock.nowMs += 3_600_000;
    expect((await one(65)).status).toBe(200);
  });
});

describe('a username', () => {
  test.each(DOORS)('that was given up is nobody else’s, and its owner’s to take back (%s)', async (door) => {
    const t = await createTestApp();
    const [cam, dan] = [await enter(t, 'cam'), await enter(t, 'dan')];
    expect((await change(door, t, cam, { username: 'cameron' })).status).toBe(200);
    for (const username of ['cam', 'CAM', ' Cam ', 'cameron', 'Cameron']) {
      const person = { email: 'new@example.com', username, password: PASSWORD };
      expect(refusedBy(door, await registerThrough(door, t, person)).code).toBe('username_taken');
      expect(await codeOf(door, t, dan, { username })).toBe('username_taken');
    }
    expect((await change(door, t, cam, { username: 'CAM' })).status).toBe(200);
    expect(await cam.trpc.auth.me.query()).toMatchObject({ username: 'cam' });
    expect(await codeOf(door, t, dan, { username: 'cameron' })).toBe('username_taken');
  });

  test('and an email are one account’s when two ask for them at once, through both doors', async () => {
    const t = await createTestApp();
    const people = [];
    for (const name of ['ann', 'ben', 'cat', 'dan']) people.push(await t.registerCustomer(name));
    const names = await Promise.all(
      people.map((person, turn) => change(doorFor(turn), t, person, { username: 'Wanted' })),
    );
    expect(tally(names)).toEqual({ fine: 1, username_taken: 3 });
    const fields = { email: 'wanted@example.com', currentPassword: PASSWORD };
    const emails = await Promise.all(people.map((person, turn) => change(doorFor(turn), t, person, fields)));
    expect(tally(emails)).toEqual({ fine: 1, email_taken: 3 });
  });
});

describe('services', () => {
  test.each(DOORS)('make a customer a provider, who stays one (%s)', async (door) => {
    const t = await createTestApp();
    const cam = await enter(t, 'cam');
    const field = spelled(door, 'serviceCategories');
    const none = refusedBy(door, await change(door, t, cam, { isServiceProvider: true }));
    expect(none.fields).toEqual([{ field, message: 'Please select at least one service category.' }]);
    // As at registration, the list of somebody who stays a customer is ignored.
    expect((await change(door, t, cam, { serviceCategories: ['dj'] })).status).toBe(200);
    expect(await cam.trpc.auth.me.query()).toMatchObject({ isServiceProvider: false, serviceCategories: [] });

    const become = { isServiceProvider: true, serviceCategories: ['dj', 'dj'] };
    expect((await change(door, t, cam, become)).status).toBe(200);
    const code = await cam.trpc.qrCodes.create.mutate({ serviceCategory: 'dj' });

    const before = await t.data.dump();
    const back = refusedBy(door, await change(door, t, cam, { isServiceProvider: false }));
    expect(back.fields).toEqual([
      {
        field: spelled(door, 'isServiceProvider'),
        message: 'A service provider cannot become a customer.',
      },
    ]);
    const last = refusedBy(door, await change(door, t, cam, { serviceCategories: [] }));
    expect(last.fields).toEqual([{ field, message: 'Please select at least one service category.' }]);
    expect(await t.data.dump()).toEqual(before);
    expect((await t.trpc().qrCodes.lookup.query({ id: code.id })).qrCode.status).toBe('active');
  });

  test('of somebody who gave tips before leave those tips in the history', async () => {
    const t = await createTestApp();
    const { customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    const given = await customer.trpc.transactions.create.mutate(tip);
    await customer.trpc.auth.updateProfile.mutate({ isServiceProvider: true, serviceCategories: ['dj'] });
    const { transactions } = await customer.trpc.transactions.list.query({ limit: 10 });
    expect(transactions).toEqual([given]);
    expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 2_000 });
  });
});
