/**
 * The export of an account, unpacked and read by independent programs: everything that is stored about its
 * owner, nothing of anybody else, no secret, and never whole in memory.
 */
import { hash, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { NO_BRAND } from '#server/brand/own-brand.ts';
import { LIMITS } from '#server/limits/limit-table.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { newTransactionId } from '#shared/ids.ts';
import { createValidator } from '#tests/support/api-description.ts';
import { callTrpc } from '#tests/support/both-doors.ts';
import { eventsOf } from '#tests/support/event-streams.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { beginPayment, payoutAccountOf } from '#tests/support/payment-steps.ts';
import { typePassword } from '#tests/support/people.ts';
import { drawPhoto } from '#tests/support/photos.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { enter, giveMany } from '#tests/support/test-ledger.ts';
import { UGLY_STRINGS } from '#tests/support/ugly-strings.ts';
import { unpack } from '#tests/support/unpack.ts';

const PAGE = 200;
/** More pages than a stream that nobody reads may take ahead of its reader. */
const MANY = 12 * PAGE;
/** The most that is read of the ledger for one piece of an archive. */
const PAGES_AHEAD = 2;
const PATH = '/api/auth/me/export';
const DAY_MS = 86_400_000;

interface LoggedIn {
  readonly token: string;
}

const open = (t: TestApp, { token }: LoggedIn, query = '', init: RequestInit = {}) =>
  t.send(PATH + query, { ...init, headers: { Authorization: `Bearer ${token}` } });

async function exportOf(t: TestApp, person: LoggedIn, query = '') {
  const response = await open(t, person, query);
  expect(response.status).toBe(200);
  const files = await unpack(Buffer.from(await response.arrayBuffer()));
  const text = (path: string) => {
    const file = files.get(path);
    if (!file) throw new Error(`the archive has no ${path}`);
    return file.toString();
  };
  const json = (path: string) => JSON.parse(text(path));
  const rows = (): Record<string, string>[] =>
    parse(text('transactions.csv'), { bom: true, columns: true, record_delimiter: '\r\n' });
  return { response, files, text, json, rows };
}

/** Pat tends the bar and is a DJ, with a photo on one page; Sam cuts hair; Cam gives. */
async function createScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const pat = await enter(t, 'pat', ['bartender', 'dj']);
  const sam = await enter(t, 'sam', ['barber']);
  const cam = await enter(t, 'cam');
  const [bar = '', booth = ''] = pat.codes;
  const [chair = ''] = sam.codes;
  const codes = { bartender: bar, dj: booth, barber: chair };
  const give = (
    giver: typeof pat,
    serviceCategory: keyof typeof codes,
    amountCents: number,
    words: { readonly message?: string; readonly withName?: boolean } = {},
  ) =>
    giver.trpc.transactions.create.mutate({
      receiverQrId: codes[serviceCategory],
      serviceCategory,
      amountCents,
      ...words,
    });
  return { t, pat, sam, cam, give };
}

describe('an export', () => {
  test('is saved as a ZIP file that bears the username and the day, and is kept in no cache', async () => {
    const { t, pat } = await createScene();
    t.clock.nowMs = Date.parse('2026-05-16T23:59:00Z');
    await typePassword(t, pat);
    const { response, files, text } = await exportOf(t, pat);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="tipwell-pat-2026-05-16.zip"',
      'cache-control': 'no-store',
    });
    expect([...files.keys()].sort()).toEqual(
      [
        'README.txt',
        'account.json',
        'account.schema.json',
        'transactions.csv',
        'transactions.json',
        'transactions.schema.json',
        'payments.json',
        'payments.schema.json',
        'events.json',
        'events.schema.json',
        'words.json',
        'words.schema.json',
        'old-codes.json',
        'old-codes.schema.json',
        ...pat.codes.map((code) => `qr-codes/${code}.png`),
      ].sort(),
    );
    for (const path of files.keys())
      if (path !== 'README.txt') expect(text('README.txt')).toContain(path.replace(/(?<=\/).*/, ''));
    // What is counted for longer than a day is named, with its time.
    const stored = Object.entries(LIMITS).filter(([, { counted }]) => counted !== 'in_memory');
    const longer = stored.filter(([, { windowMs }]) => windowMs > DAY_MS);
    expect(longer).toMatchObject([['username_change', { windowMs: 30 * DAY_MS }]]);
    expect(text('README.txt').replace(/\s+/g, ' ')).toContain(
      'a day or less, and thirty days for a change of the username',
    );
  });

  test('has JSON that an independent validator finds to be as its own schemas say, and no other field', async () => {
    const { t, pat, cam, give } = await createScene();
    await give(cam, 'bartender', 2_000);
    const refunded = await give(cam, 'dj', 1_234);
    await pat.trpc.transactions.refund.mutate({ id: refunded.id });
    const { json } = await exportOf(t, pat);
    for (const name of ['account', 'transactions', 'payments', 'words']) {
      const schema = json(`${name}.schema.json`);
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      const validate = createValidator().compile(schema);
      const value = json(`${name}.json`);
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
      const strict = createValidator().compile(
        JSON.parse(JSON.stringify(schema), (_, part) =>
          part?.type === 'object' ? { ...part, additionalProperties: false } : part,
        ),
      );
      expect(strict(value), JSON.stringify(strict.errors)).toBe(true);
      expect(validate(name === 'account' ? { ...value, email: 1 } : [{}])).toBe(false);
    }
  });

  test('tells of the account what the API tells, with its former usernames, its sessions and its codes', async () => {
    const { t, pat } = await createScene();
    const [bar = ''] = pat.codes;
    await pat.trpc.auth.updateProfile.mutate({
      username: 'patty',
      phone: '+43 660 1234567',
      dayStartHour: 5,
    });
    await pat.trpc.auth.updateProfile.mutate({ username: 'patricia' });
    await pat.trpc.qrCodes.update.mutate({ id: bar, displayName: 'DJ Pat', greeting: 'Thank you!' });
    await pat.trpc.qrCodes.replace.mutate({ id: bar });
    const device = newDevice();
    await pat.trpc.notifications.register.mutate(device);
    const key = await pat.trpc.apiKeys.create.mutate({ name: 'Register', scopes: ['tips:read'] });
    const hook = await pat.trpc.webhooks.add.mutate({
      url: 'http://127.0.0.1:9/tips',
      events: ['tip.received'],
    });
    await pat.trpc.webhooks.test.mutate({ id: hook.id });
    const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
    const act = { actor, action: 'sessions_ended', reason: 'A stolen phone', atMs: 1 } as const;
    await t.storage.audit.note({ ...act, subject: pat.user.id });
    const { json, text } = await exportOf(t, pat);
    expect(json('account.json').operator_acts).toEqual([expect.objectContaining({ reason: act.reason })]);
    expect(text('account.json')).not.toContain(hook.secret);
    expect(json('account.json').webhooks).toEqual([
      expect.objectContaining({
        url: hook.url,
        deliveries: [expect.objectContaining({ type: 'webhook.test', failure: 'ECONNREFUSED' })],
      }),
    ]);
    expect(createValidator().compile(json('events.schema.json'))(json('events.json'))).toBe(true);
    expect(text('account.json')).not.toContain(key.text);
    expect(json('account.json').api_keys).toEqual([
      expect.objectContaining({ id: key.id, name: 'Register' }),
    ]);
    expect(json('account.json').notice_devices).toHaveLength(1);
    for (const secret of Object.values(device)) expect(text('account.json')).not.toContain(secret);
    const get = async (path: string) => (await t.rest('GET', path, { token: pat.token })).body;
    const { must_change_password: _, must_add_second_factor: __, ...profile } = await get('/auth/me');
    const account = json('account.json');
    expect(account).toMatchObject({
      ...profile,
      day_start_hour: 5,
      former_usernames: ['pat', 'patty'],
      sessions: await get('/auth/sessions'),
      api_keys: await get('/api-keys'),
      second_factors: { passkeys: [], has_totp: false, recovery_codes_left: 0 },
      notice_devices: await get('/notices/devices'),
      operator_acts: await get('/auth/me/operator-acts'),
      payout_accounts: [],
      accepted_terms: null,
      created_at: new Date(pat.user.createdAtMs).toISOString(),
      exported_at: new Date(t.clock.nowMs).toISOString(),
    });
    expect(json('events.json')).toEqual((await get('/events')).events);
    const codes: { id: string; image_base64: string; user_id: string; photo_url: string | null }[] =
      await get('/qr-codes');
    expect(codes).toHaveLength(2);
    const ended = await get('/ended-qr-codes');
    expect(ended).toMatchObject([{ id: bar, status: 'replaced', display_name: 'DJ Pat' }]);
    expect(json('old-codes.json')).toEqual(ended);
    expect(createValidator().compile(json('old-codes.schema.json'))(json('old-codes.json'))).toBe(true);
    expect(account.qr_codes).toEqual(
      codes.map(({ image_base64: _, user_id: __, photo_url: ___, ...code }) => ({
        ...code,
        picture_file: `qr-codes/${code.id}.png`,
        photo_file: null,
      })),
    );
  });

  test('says which terms of use were accepted, and when', async () => {
    const version = hash('sha256', 'Be nice.');
    const terms = { name: 'terms', path: '/terms', label: 'Terms of Use', html: '', version } as const;
    const { t, pat } = await createScene({ own: { ...NO_BRAND, pages: [terms] } });
    const email = 'kim@example.com';
    await t.trpc().auth.register.mutate({
      email,
      username: 'kim',
      fullName: 'Kim',
      password: PASSWORD,
      phone: null,
      isServiceProvider: false,
      serviceCategories: [],
    });
    const { json } = await exportOf(t, { ...pat, token: await t.logIn(email) });
    const acceptedAt = new Date(t.clock.nowMs).toISOString();
    expect(json('account.json').accepted_terms).toEqual({ version, accepted_at: acceptedAt });
    expect(createValidator().compile(json('account.schema.json'))(json('account.json'))).toBe(true);
  });

  test('says by which time zone monthly statements go', async () => {
    const { t, pat } = await createScene();
    const change = { isOn: true, timeZone: 'Europe/Vienna', statedMonth: '2026-05' };
    await t.storage.mails.setMonthlyStatement(pat.user.id, change);
    const { json } = await exportOf(t, pat);
    expect(json('account.json').mail).toMatchObject({ monthly_statement: true, time_zone: 'Europe/Vienna' });
  });

  test('tells of the account at the payment service, and how each tip was paid', async () => {
    const { t, stripe, makePayable, pay } = await createPaidApp();
    const pat = await enter(t, 'pat', ['bartender']);
    const cam = await enter(t, 'cam');
    const accountId = await makePayable(pat);
    const [receiverQrId = ''] = pat.codes;
    const give = () =>
      cam.trpc.transactions.create.mutate({ receiverQrId, serviceCategory: 'bartender', amountCents: 2_000 });
    const { id, paymentUrl } = await give();
    await pay(paymentUrl);
    await give();
    const { json, rows, text } = await exportOf(t, pat);
    const payout = {
      payment_mode: 'test',
      account_id: accountId,
      charges_enabled: true,
      missing: [],
      platform: stripe.platform,
      country: 'US',
      payouts_enabled: true,
      disabled_reason: null,
      read_at: new Date(t.clock.nowMs).toISOString(),
    };
    expect(json('account.json').payout_accounts).toEqual([payout]);
    expect(createValidator().compile(json('account.schema.json'))(json('account.json'))).toBe(true);
    const capturesAt = new Date(t.clock.nowMs + 600_000).toISOString();
    const held = { id, status: 'pending', captures_at: capturesAt, payment_mode: 'test', changes: [] };
    expect(json('transactions.json')).toMatchObject([held]);
    expect(rows()).toMatchObject([{ Transaction: id, Payment: 'test' }]);
    expect(text('README.txt')).not.toContain('Payments are simulated');
    const ofGiver = await exportOf(t, cam);
    expect(ofGiver.json('account.json').payout_accounts).toEqual([]);
    expect(ofGiver.rows()).toMatchObject([{ Transaction: id, Payment: 'test' }]);
    expect([...ofGiver.files.values()].join()).not.toContain(accountId);
  });

  test('tells its giver of every payment, also of those that were not paid, and its receiver of none', async () => {
    const { t, stripe, makePayable, pay } = await createPaidApp();
    const pat = await enter(t, 'pat', ['bartender']);
    const cam = await enter(t, 'cam');
    const accountId = await makePayable(pat);
    const [receiverQrId = ''] = pat.codes;
    const give = async (amountCents: number) => {
      t.clock.nowMs += 1_000;
      const tip = { receiverQrId, serviceCategory: 'bartender', amountCents } as const;
      return cam.trpc.transactions.create.mutate(tip);
    };
    const none = JSON.stringify((await exportOf(t, cam)).json('payments.json'));
    expect(none).toBe('[]');
    const refunded = await give(5_000);
    await pay(refunded.paymentUrl);
    await pat.trpc.transactions.refund.mutate({ id: refunded.id });
    const left = await give(4_000);
    await cam.trpc.transactions.giveUp.mutate({ id: left.id });
    const paid = await give(3_000);
    await pay(paid.paymentUrl);
    const capturesAt = new Date(t.clock.nowMs + 600_000).toISOString();
    const pending = await give(2_000);

    const { json, files, rows } = await exportOf(t, cam);
    const payments = json('payments.json');
    expect(payments).toMatchObject([
      { transaction_id: pending.id, state: 'pending', amount: 20, giver_fee: 1, charge_id: null },
      {
        transaction_id: paid.id,
        state: 'authorised',
        amount: 30,
        captures_at: capturesAt,
        refund_asked_by: null,
      },
      { transaction_id: left.id, state: 'expired', amount: 40, charge_id: null },
      { transaction_id: refunded.id, state: 'cancelled', amount: 50, refund_asked_by: 'receiver' },
    ]);
    const { created_at, checkout_url, payment_mode, ...rest } = payments[0];
    expect({ created_at, checkout_url, payment_mode }).toEqual({
      created_at: pending.createdAt,
      checkout_url: pending.paymentUrl,
      payment_mode: 'test',
    });
    expect(stripe.sessions.has(rest.checkout_id)).toBe(true);
    expect(stripe.charges.has(payments[1].charge_id)).toBe(true);
    expect(createValidator().compile(json('payments.schema.json'))(payments)).toBe(true);
    // What was not paid is none of the tips.
    const tips = rows().filter((row) => row['Entry'] === 'Tip');
    expect(tips.map((row) => row['Transaction'])).toEqual([paid.id, refunded.id]);
    expect([...files.values()].join()).not.toContain(accountId);

    const ofReceiver = await exportOf(t, pat);
    expect(ofReceiver.json('payments.json')).toEqual([]);
    for (const { id } of [left, pending]) expect([...ofReceiver.files.values()].join()).not.toContain(id);
  });

  test('has a long list of payments once, whatever is begun meanwhile', async () => {
    const { t } = await createPaidApp();
    const pat = await enter(t, 'pat', ['bartender']);
    const cam = await enter(t, 'cam');
    await t.storage.payments.savePayoutAccount(payoutAccountOf(pat.user.id), t.clock.nowMs);
    const [qrCodeId] = pat.codes;
    if (qrCodeId === undefined) throw new Error('pat has no code');
    const begin = async (createdAtMs: number) => {
      const id = newTransactionId(randomBytes);
      const tip = { id, giverId: cam.user.id, qrCodeId, amountCents: 2_000, createdAtMs };
      await beginPayment(t.storage, newTip(tip, { paymentMode: 'test' }));
      return id;
    };
    const ids: string[] = [];
    for (let count = 2 * PAGE; count > 0; count -= 1) ids.unshift(await begin(t.clock.nowMs - count));
    await begin(t.clock.nowMs + 1);
    const { json } = await exportOf(t, cam);
    const told: { transaction_id: string }[] = json('payments.json');
    expect(told.map(({ transaction_id }) => transaction_id)).toEqual(ids);
  });

  test('tells a giver of their own words, and a receiver of those that are not hidden', async () => {
    const { t, pat, cam, give } = await createScene();
    const said = await give(cam, 'bartender', 2_000, { message: 'Great', withName: true });
    const hidden = await give(cam, 'bartender', 2_000, { message: 'Ugly' });
    await pat.trpc.messages.hide.mutate({ id: hidden.id, hidden: true });
    await pat.trpc.messages.block.mutate({ id: hidden.id });
    await pat.trpc.messages.saveThankYous.mutate({ texts: ['Cheers'] });
    const { json } = await exportOf(t, cam);
    const { fullName } = cam.user;
    expect(json('words.json')).toEqual(
      expect.arrayContaining([
        { transaction_id: said.id, message: 'Great', giver_name: fullName },
        { transaction_id: hidden.id, message: 'Ugly', giver_name: null },
      ]),
    );
    expect(json('words.json')).toHaveLength(2);
    const { json: ofPat } = await exportOf(t, pat);
    expect(ofPat('words.json')).toEqual([]);
    expect(ofPat('transactions.json')).toMatchObject([
      { message: null, words_hidden: true },
      { message: 'Great', giver_name: fullName },
    ]);
    const [blocked] = await pat.trpc.messages.blocked.query();
    expect(ofPat('account.json')).toMatchObject({
      ready_thank_yous: ['Cheers'],
      blocked_givers: [
        {
          giver_id: blocked?.giverId,
          blocked_at: blocked?.blockedAt,
          service_category: hidden.serviceCategory,
          transaction_id: hidden.id,
        },
      ],
    });
  });

  test('has the pictures of the codes and the photos of the pages as they are served', async () => {
    const { t, pat } = await createScene();
    const [, booth = ''] = pat.codes;
    const put = await t.rest('PUT', `/qr-codes/${booth}/photo`, {
      token: pat.token,
      body: await drawPhoto(),
    });
    expect(put.status).toBe(200);
    const { files, json } = await exportOf(t, pat);
    const { body: codes } = await t.rest('GET', '/qr-codes', { token: pat.token });
    for (const { id, image_base64 } of codes)
      expect(files.get(`qr-codes/${id}.png`)).toEqual(Buffer.from(image_base64, 'base64'));
    const served = Buffer.from(await (await t.send(put.body.photo_url)).arrayBuffer());
    expect(served.length).toBeGreaterThan(100);
    expect(files.get(`photos/${booth}.jpg`)).toEqual(served);
    const photoFiles = json('account.json').qr_codes.map((code: { photo_file: unknown }) => code.photo_file);
    expect(photoFiles).toEqual([null, `photos/${booth}.jpg`]);
  });

  test('has the ledger once as the API tells it and once as the CSV does, in the time zone that was asked for', async () => {
    const { t, pat, sam, cam, give } = await createScene();
    for (let tip = 0; tip < 2 * PAGE + 50; tip += 1) {
      t.clock.nowMs += 60_000;
      await give(tip % 3 === 0 ? pat : cam, tip % 3 === 0 ? 'barber' : 'dj', 1_000 + tip);
    }
    for (const person of [pat, sam, cam]) await typePassword(t, person);
    const { body: all } = await t.rest('GET', '/transactions', { token: pat.token });
    await pat.trpc.transactions.refund.mutate({ id: all[5].id });
    for (const person of [pat, sam, cam]) {
      const { json, text, rows } = await exportOf(t, person, '?time_zone=Asia/Kathmandu');
      const listed = await t.rest('GET', '/transactions', { token: person.token });
      expect(json('transactions.json')).toEqual(listed.body);
      const statement = await t.send('/api/transactions?time_zone=Asia/Kathmandu', {
        headers: { Accept: 'text/csv', Authorization: `Bearer ${person.token}` },
      });
      expect(text('transactions.csv')).toBe(Buffer.from(await statement.arrayBuffer()).toString());
      const tips = rows().filter((row) => row['Entry'] === 'Tip');
      expect(tips.map((row) => row['Transaction'])).toEqual(listed.body.map(({ id }: { id: string }) => id));
      expect(rows()[0]).toMatchObject({ 'UTC offset': 'UTC+05:45' });
      expect(text('README.txt')).toContain('Asia/Kathmandu');
    }
    expect((await exportOf(t, pat)).rows()[0]).toMatchObject({ 'UTC offset': 'UTC+00:00' });
  });

  test('of somebody without a tip has an empty list and a table with its header', async () => {
    const { t, cam } = await createScene();
    const { json, rows, text } = await exportOf(t, cam);
    expect(json('transactions.json')).toEqual([]);
    expect(json('account.json')).toMatchObject({ qr_codes: [], former_usernames: [] });
    expect(rows()).toEqual([]);
    expect(text('transactions.csv')).toMatch(/^\uFEFFDate,.+\r\n$/);
  });

  test('keeps every ugly text whole in JSON, and lets none become a formula in CSV', async () => {
    const { t, pat, cam, give } = await createScene();
    const [bar] = pat.codes;
    if (bar === undefined) throw new Error('pat has no code');
    const names = ['=1+1', '@Pat "the, best"', '+1 Pat 👩🏽‍🎤', 'שלום \u202e', '</script>', 'Pat\\', '東京'];
    const ugly = UGLY_STRINGS.map(({ text }) => text).filter(
      (text) => text === Buffer.from(text).toString() && !text.includes('\0'),
    );
    await give(cam, 'bartender', 1_000);
    for (const name of [...names, ...ugly.slice(0, 20)]) {
      await t.storage.updateAccount(pat.user.id, { fullName: name });
      const page = { displayName: null, greeting: name };
      await t.storage.updateQrCode(pat.user.id, bar, page);
      const own = await exportOf(t, pat);
      expect(own.json('account.json')).toMatchObject({ full_name: name, qr_codes: [{ greeting: name }, {}] });
      const givers = await exportOf(t, cam);
      expect(givers.json('transactions.json')).toMatchObject([{ receiver_name: name }]);
      for (const row of givers.rows())
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    }
  });

  test('has nothing of anybody else but what a listing shows of them', async () => {
    const { t, pat, sam, cam, give } = await createScene();
    await give(cam, 'bartender', 2_000);
    await give(cam, 'barber', 3_000);
    const { files } = await exportOf(t, pat);
    const whole = Buffer.concat([...files.values()]).toString('latin1');
    for (const { user } of [sam, cam])
      for (const text of [user.id, user.email, user.fullName]) expect(whole).not.toContain(text);
    for (const code of sam.codes) expect(whole).not.toContain(code);
  });

  test('has no password, no hash of one, and no token', async () => {
    const t = await createTestApp();
    const { provider } = await t.setTheScene();
    const another = await t.logIn(provider.user.email);
    const found = await t.storage.findCredentials(provider.user.email);
    if (!found) throw new Error('nobody has this email');
    const { files, json } = await exportOf(t, provider);
    expect(json('account.json').sessions).toHaveLength(2);
    const whole = Buffer.concat([...files.values()]).toString('latin1');
    const tokens = [provider.token, another];
    const hashes = await t.storage.listSessions(provider.user.id, t.clock.nowMs);
    const secrets = [
      PASSWORD,
      found.passwordHash,
      '$argon2',
      ...tokens,
      ...hashes.flatMap(({ tokenHash }) =>
        (['hex', 'base64', 'base64url', 'latin1'] as const).map((form) =>
          Buffer.from(tokenHash).toString(form),
        ),
      ),
    ];
    for (const secret of secrets) expect(whole).not.toContain(secret);
  });
});

describe('an export is refused', () => {
  test('to whoever is not logged in, or not any more', async () => {
    const { t, pat } = await createScene();
    expect((await t.send(PATH)).status).toBe(401);
    await pat.trpc.auth.logout.mutate();
    const { status, body } = await t.rest('GET', '/auth/me/export', { token: pat.token });
    expect([status, body.code]).toEqual([401, 'session_ended']);
  });

  test('for a time zone that nobody has', async () => {
    const { t, pat } = await createScene();
    const { status, body } = await t.rest('GET', '/auth/me/export?time_zone=Mars', { token: pat.token });
    expect([status, body]).toMatchObject([422, { code: 'invalid_input', errors: [{ field: 'time_zone' }] }]);
  });

  test('after 10 in an hour, to that account alone, through both doors', async () => {
    const { t, pat, cam } = await createScene({ config: { isRateLimited: true } });
    for (let time = 0; time < 10; time += 1) {
      const answer = await open(t, pat);
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
    const refused = await t.rest('GET', '/auth/me/export', { token: pat.token });
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
    expect(refused.headers.get('Retry-After')).toBe('3600');
    const events = await eventsOf((await callTrpc(t, 'auth.export', undefined, pat)).text);
    expect(events.map(({ data }) => data).join()).toContain('too_many_requests');
    expect((await open(t, cam)).status).toBe(200);
    t.clock.nowMs += 3_600_000;
    await typePassword(t, pat);
    expect((await open(t, pat)).status).toBe(200);
  });
});

test('over tRPC the name of the file and all of its bytes come in pieces of bounded size', async () => {
  const { t, pat, cam, give } = await createScene();
  await give(cam, 'dj', 1_000);
  const { text } = await callTrpc(t, 'auth.export', { timeZone: 'UTC' }, pat);
  const [start, ...pieces] = (await eventsOf(text))
    .filter(({ name }) => name === 'message')
    .map(({ data }) => JSON.parse(data));
  expect(start).toEqual({ fileName: expect.stringMatching(/^tipwell-pat-\d{4}-\d\d-\d\d\.zip$/) });
  const bytes = pieces.map(({ base64 }) => Buffer.from(base64, 'base64'));
  for (const piece of bytes) expect(piece.length).toBeLessThanOrEqual(64 * 1024);
  const files = await unpack(Buffer.concat(bytes));
  expect(JSON.parse(String(files.get('transactions.json')))).toHaveLength(1);
});

test('HEAD is answered with the headers of the file, and makes none', async () => {
  const { t, pat } = await createScene();
  const head = await open(t, pat, '', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('Content-Disposition')).toContain('.zip');
  expect(await head.text()).toBe('');
});

describe(`an export of ${MANY} tips`, () => {
  /** Counts the records that the storage has handed out. */
  async function createLongHistory() {
    let produced = 0;
    const meanwhile = { asItBegins: async () => {} };
    const wrapStorage = (storage: Storage): Storage => ({
      ...storage,
      async listFormerUsernames(id) {
        await meanwhile.asItBegins();
        return storage.listFormerUsernames(id);
      },
      async listTransactions(...asked) {
        const step = await storage.listTransactions(...asked);
        produced += step.transactions.length;
        return step;
      },
      async listBookEntries(...asked) {
        const step = await storage.listBookEntries(...asked);
        produced += step.entries.length;
        return step;
      },
    });
    const { t, pat, cam } = await createScene({ wrapStorage });
    await giveMany(t, cam, pat, MANY);
    t.clock.nowMs += (MANY + 1) * 1_000;
    await typePassword(t, pat);
    return { t, pat, cam, produced: () => produced, meanwhile };
  }

  test('is read from the ledger no faster than its reader takes it', async () => {
    const { t, pat, produced } = await createLongHistory();
    const answer = await open(t, pat);
    const parts: Uint8Array[] = [];
    const jumps: number[] = [];
    for await (const part of answer.body ?? []) {
      const before = produced();
      parts.push(part);
      expect(part.byteLength).toBeLessThanOrEqual(64 * 1024);
      // Whatever could be read ahead is read while the reader pauses.
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      jumps.push(produced() - before);
    }
    expect(Math.max(...jumps)).toBeLessThanOrEqual(PAGES_AHEAD * (PAGE + 1));
    const files = await unpack(Buffer.concat(parts));
    expect(JSON.parse(String(files.get('transactions.json')))).toHaveLength(MANY);
    const rows = parse(String(files.get('transactions.csv')), { bom: true });
    expect(rows).toHaveLength(MANY + 1);
  });

  test('is read no further once its reader has gone', async () => {
    const { t, pat, produced } = await createLongHistory();
    for (const path of [PATH, '/trpc/auth.export']) {
      const before = produced();
      const answer = await t.send(path, { headers: { Authorization: `Bearer ${pat.token}` } });
      const reader = answer.body?.getReader();
      while (produced() === before) await reader?.read();
      await reader?.cancel();
      const atTheEnd = produced();
      expect(atTheEnd - before).toBeLessThan(10 * PAGE);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      expect(produced() - atTheEnd).toBeLessThanOrEqual(PAGE + 1);
    }
  });

  test('breaks off when its session ends', async () => {
    const { t, pat, produced } = await createLongHistory();
    const answer = await open(t, pat);
    const reader = answer.body?.getReader();
    while (produced() === 0) await reader?.read();
    await pat.trpc.auth.logout.mutate();
    const readOn = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(readOn()).rejects.toThrow();
    expect(produced()).toBeLessThan(10 * PAGE);
  });

  test('tells in each of its files of the same tips, whatever is given and refunded meanwhile', async () => {
    const { t, pat, cam, produced, meanwhile } = await createLongHistory();
    const { body: before } = await t.rest('GET', '/transactions', { token: pat.token });
    const done = produced();
    const [receiverQrId = ''] = pat.codes;
    const giveAndRefund = async (...places: readonly number[]) => {
      t.clock.nowMs += 1_000;
      for (const place of places) await pat.trpc.transactions.refund.mutate({ id: before.at(place).id });
      const tip = { receiverQrId, amountCents: 1_000, serviceCategory: 'bartender' } as const;
      await cam.trpc.transactions.create.mutate(tip);
    };
    meanwhile.asItBegins = () => giveAndRefund(1);
    const answer = await open(t, pat);
    const parts: Uint8Array[] = [];
    let changed = false;
    for await (const part of answer.body ?? []) {
      parts.push(part);
      if (changed || produced() === done) continue;
      changed = true;
      await giveAndRefund(-1, 0);
      // Given by a process whose clock is behind.
      t.clock.nowMs -= 60_000;
      await giveAndRefund();
    }
    expect(changed).toBe(true);
    const files = await unpack(Buffer.concat(parts));
    expect(JSON.parse(String(files.get('transactions.json')))).toEqual(before);
    const rows: Record<string, string>[] = parse(String(files.get('transactions.csv')), {
      bom: true,
      columns: true,
    });
    expect(rows.map((row) => row['Transaction'])).toEqual(before.map(({ id }: { id: string }) => id));
    for (const row of rows) expect(row['Status']).toBe('Completed');
  });
});
