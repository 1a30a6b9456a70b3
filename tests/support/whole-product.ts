/**
 * A run of the whole product through REST: each route in every way that the description knows, each refusal
 * that it promises, and each answer held against it.
 */
import sharp from 'sharp';
import { expect, onTestFinished } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { API_SCOPES } from '#shared/api-scopes.ts';
import {
  type Description,
  expectDescribed,
  operationsOf,
  pointerOf,
  type Validate,
} from './api-description.ts';
import { LOCAL_URL } from './both-doors.ts';
import { openStream, type TipStream } from './event-streams.ts';
import { linkIn, relayAt, startMailServer, UNSENT } from './mail-server.ts';
import { createPaidApp } from './paid-app.ts';
import { inWords, newDevice } from './push-devices.ts';
import { startPushService } from './push-service.ts';
import { suspendAccount } from './suspending.ts';
import { createTestApp, PASSWORD, type RestAnswer, type TestApp } from './test-app.ts';
import { keepLastFactors, playFactors } from './whole-product-factors.ts';

/** A small photo. */
const PHOTO = await sharp({ create: { width: 32, height: 24, channels: 3, background: '#963' } })
  .jpeg()
  .toBuffer();
const PRINT = 'GET /qr-codes/{qr_code_id}/print/{file}';
const NEXT_PASSWORD = 'a better horse battery';
/** No limit lets anybody call more often. */
const MAX_LIMIT = 1_000;

/** Calls every route in every way that its description knows, and holds each answer against it. */
export async function runEverything(
  document: Description,
  validate: Validate,
  t: TestApp,
): Promise<Set<string>> {
  const seen = new Set<string>();

  async function call(
    app: TestApp,
    route: string,
    options: Parameters<TestApp['rest']>[2] & { readonly at?: string } = {},
  ): Promise<RestAnswer> {
    const [method = '', path = ''] = route.split(' ');
    const { at = path, ...request } = options;
    const answer = await app.rest(method, at, request);
    const operation = document.paths[path]?.[method.toLowerCase()];
    const label = `${route} ${answer.status}`;
    expectDescribed({ document, validate }, route, answer);
    if (answer.status < 300) {
      seen.add(`${route} ${answer.status}`);
      if (operation?.requestBody?.content['application/json'] && typeof request.body === 'object') {
        const schema = `${pointerOf(path, method)}/requestBody/content/application~1json/schema`;
        expect(validate(schema, request.body), `${label} was taken, though its schema refuses it`).toEqual(
          [],
        );
      }
    } else {
      seen.add(`${route} ${answer.body.code}`);
    }
    return answer;
  }

  /** A stream as its description says, and what is refused of it. */
  async function checkStream(app: TestApp, token: string, giveTip: () => Promise<RestAnswer>): Promise<void> {
    const route = 'GET /transactions/stream';
    const streams: TipStream[] = [await openStream(app.send, 'REST', { token })];
    const documented = document.paths['/transactions/stream']?.['get']?.responses['200']?.content ?? {};
    const type = streams[0]?.response.headers.get('Content-Type')?.split(';')[0];
    expect(Object.keys(documented)).toEqual([type]);
    const { body: given } = await giveTip();
    expect(await streams[0]?.next()).toMatchObject({ name: 'connected', data: '{}' });
    const event = await streams[0]?.next();
    expect(event).toMatchObject({ name: 'tip', id: given.id });
    expect(JSON.parse(event?.data ?? '')).toEqual({
      ...given,
      giver_id: expect.stringMatching(/^gvr_/),
      undo_until: null,
    });
    const text = `id: ${event?.id}\nevent: tip\ndata: ${event?.data}\n\n`;
    const place = `${pointerOf('/transactions/stream', 'get')}/responses/200/content/text~1event-stream/schema`;
    expect(validate(place, text)).toEqual([]);
    seen.add(`${route} 200`);

    const unknown = await openStream(app.send, 'REST', { token, lastEventId: 'unknown' });
    expect(await unknown.next()).toMatchObject({ name: 'reset', data: '{"reason":"unknown_event"}' });
    streams.push(unknown);
    while (streams.length < 20) streams.push(await openStream(app.send, 'REST', { token }));
    await call(app, route, { token });
    for (const stream of streams) await stream.close();
  }

  /** Changes the profile of Pat and the code with this id, and makes codes in every other state. */
  async function makeTipPages(id: string) {
    const own = { token: pat };
    const profile = (body: object) => call(t, 'PATCH /auth/me', { ...own, body });
    await profile({ full_name: 'Pat A. Doe', phone: null });
    await profile({ username: 'pat.doe', service_categories: ['bartender', 'dj', 'barber'] });
    await profile({ username: 'sam' });
    await profile({ email: 'sam@example.com', current_password: PASSWORD });
    await profile({ email: 'pat.doe@example.com', current_password: 'wrong password' });
    await profile({ email: 'pat.doe@example.com' });
    await profile({ email: 'pat.doe@example.com', current_password: PASSWORD });

    const update = 'PATCH /qr-codes/{qr_code_id}';
    const page = { display_name: 'DJ Pat', greeting: 'Thank you!' };
    await call(t, update, { ...own, at: `/qr-codes/${id}`, body: page });
    await call(t, update, { ...own, at: `/qr-codes/${id}`, body: { status: 'replaced' } });
    // With the account's name on the page, both sides of a tip see the same receiver.
    await call(t, update, { ...own, at: `/qr-codes/${id}`, body: { display_name: null } });
    const photo = 'PUT /qr-codes/{qr_code_id}/photo';
    const at = `/qr-codes/${id}/photo`;
    await call(t, photo, { ...own, at, body: PHOTO });
    await call(t, photo, { ...own, at, body: PHOTO.subarray(0, 200) });
    await call(t, photo, { ...own, at, body: 'no photo' });
    await call(t, photo, { ...own, at, body: PHOTO, headers: { 'Content-Encoding': 'gzip' } });
    await call(t, photo, { ...own, at, body: new Uint8Array(256 * 1024 + 1) });
    await call(t, 'DELETE /qr-codes/{qr_code_id}/photo', { ...own, at });
    await call(t, 'POST /qr-codes/{qr_code_id}/replacement', {
      token: cam,
      at: `/qr-codes/${id}/replacement`,
    });

    const made: Record<string, string> = {};
    for (const [state, service_category] of Object.entries({ paused: 'dj', retired: 'barber' })) {
      const { body } = await call(t, 'POST /qr-codes', { ...own, body: { service_category } });
      made[state] = body.id;
    }
    await call(t, update, { ...own, at: `/qr-codes/${made['paused']}`, body: { status: 'paused' } });
    await profile({ service_categories: ['bartender', 'dj', 'server'] });
    const { body: first } = await call(t, 'POST /qr-codes', { ...own, body: { service_category: 'server' } });
    const replacement = `/qr-codes/${first.id}/replacement`;
    await call(t, 'POST /qr-codes/{qr_code_id}/replacement', { ...own, at: replacement });
    made['replaced'] = first.id;
    for (const ended of [made['retired'], made['replaced']]) {
      await call(t, 'GET /qr-codes/{qr_code_id}', { at: `/qr-codes/${ended}` });
      await call(t, update, { ...own, at: `/qr-codes/${ended}`, body: page });
      await call(t, 'POST /qr-codes/{qr_code_id}/replacement', {
        ...own,
        at: `/qr-codes/${ended}/replacement`,
      });
      await call(t, photo, { ...own, at: `/qr-codes/${ended}/photo`, body: PHOTO });
      await call(t, 'DELETE /qr-codes/{qr_code_id}/photo', { ...own, at: `/qr-codes/${ended}/photo` });
      await call(t, PRINT, { ...own, at: `/qr-codes/${ended}/print/code.svg` });
    }
    for (const file of [
      'code.svg',
      'code.png?size=600',
      'code.png?size=511',
      'code.png?size=1e3',
      'code.gif',
    ])
      await call(t, PRINT, { ...own, at: `/qr-codes/${id}/print/${file}` });
    for (const [route, at] of [
      [update, '/qr-codes/0000000000'],
      ['POST /qr-codes/{qr_code_id}/replacement', '/qr-codes/0000000000/replacement'],
      [photo, '/qr-codes/0000000000/photo'],
      ['DELETE /qr-codes/{qr_code_id}/photo', '/qr-codes/0000000000/photo'],
      [PRINT, '/qr-codes/0000000000/print/code.svg'],
    ] as const) {
      const body = { ...(route === update && { body: page }), ...(route === photo && { body: PHOTO }) };
      await call(t, route, { ...own, at, ...body });
    }
    return made;
  }

  /** What asks for a password that was typed a short while ago, and a username that was changed too often. */
  async function askForPasswords() {
    const old = await createTestApp({ config: { isRateLimited: true } });
    const { token } = await old.registerProvider('rob');
    for (const username of ['rob-1', 'rob-2', 'rob-3', 'rob-4'])
      await call(old, 'PATCH /auth/me', { token, body: { username } });
    old.clock.nowMs += 15 * 60_000;
    await call(old, 'PATCH /auth/me', { token, body: { phone: '+43 660 1234567' } });
    await call(old, 'GET /auth/me/export', { token });
    await call(old, 'DELETE /auth/sessions', { token });
    await call(old, 'DELETE /auth/sessions/{session_id}', { token, at: '/auth/sessions/ses_none' });
    await call(old, 'GET /payments/balance', { token });
    await call(old, 'POST /payments/account', { token });
    await call(old, 'POST /payments/dashboard-link', { token });
    await call(old, 'POST /notices/devices', { token, body: {} });
    await call(old, 'POST /webhooks', { token, body: {} });
    await call(old, 'PATCH /webhooks/{webhook_id}', { token, at: '/webhooks/whk_none', body: {} });
    await call(old, 'POST /webhooks/{webhook_id}/secret', { token, at: '/webhooks/whk_none/secret' });
    await call(old, 'DELETE /notices/devices/{device_id}', { token, at: '/notices/devices/dev_none' });
    for (let attempt = 0; attempt <= 5; attempt += 1)
      await call(old, 'POST /auth/confirm', { token, body: { password: 'wrong' } });
  }

  /** The way of a webhook that nobody answers, and what is refused on it. */
  async function addWebhooks(token: string, eventId: string) {
    const add = 'POST /webhooks';
    const asked = { url: 'http://127.0.0.1:9/tips', events: ['tip.received'] };
    const { body: webhook } = await call(t, add, { token, body: asked });
    await call(t, add, { token, body: { ...asked, url: 'https://10.0.0.1/a' } });
    await call(t, 'GET /webhooks', { token });
    const at = `/webhooks/${webhook.id}`;
    const change = 'PATCH /webhooks/{webhook_id}';
    await call(t, change, { token, at, body: { is_on: false } });
    await call(t, change, { token, at, body: { is_on: 'no' } });
    const calls = [
      ['POST /webhooks/{webhook_id}/secret', 'secret'],
      ['POST /webhooks/{webhook_id}/test', 'test'],
      ['POST /webhooks/{webhook_id}/events/{event_id}', `events/${eventId}`],
      ['GET /webhooks/{webhook_id}/deliveries', 'deliveries'],
    ] as const;
    for (const [route, path] of calls) await call(t, route, { token, at: `${at}/${path}` });
    await call(t, calls[2][0], { token, at: `${at}/events/evt_none` });
    for (let turn = 0; turn < 2; turn += 1) await call(t, 'DELETE /webhooks/{webhook_id}', { token, at });
    await call(t, change, { token, at, body: {} });
    for (const [route, path] of calls) await call(t, route, { token, at: `${at}/${path}` });
  }

  /** The way of a device that gets notifications, and what is refused on it. */
  async function registerDevices(token: string) {
    const service = await startPushService({ nowMs: () => t.clock.nowMs });
    onTestFinished(() => service.close());
    await call(t, 'GET /notices/key', { token });
    const add = 'POST /notices/devices';
    const made = service.register();
    const { body: device } = await call(t, add, { token, body: { ...inWords(made), with_words: true } });
    await call(t, add, { token, body: newDevice('https://push.example.com/a') });
    await call(t, add, { token, body: {} });
    await call(t, 'GET /notices/devices', { token });
    const one = { token, at: `/notices/devices/${device.id}` };
    const [update, remove] = ['PATCH /notices/devices/{device_id}', 'DELETE /notices/devices/{device_id}'];
    await call(t, update, { ...one, body: { with_words: false } });
    await call(t, update, { ...one, body: { with_words: 'no' } });
    const test = { route: 'POST /notices/devices/{device_id}/test', ...one, at: `${one.at}/test` };
    await call(t, test.route, test);
    service.plan({ is: 'status', status: 500 });
    await call(t, test.route, test);
    await call(t, remove, one);
    await call(t, remove, one);
    await call(t, test.route, test);
    await call(t, update, { ...one, body: {} });
  }

  /** The way of thanks from a notification, and what is refused on it. */
  async function thankFromNotification() {
    const other = await createTestApp();
    const service = await startPushService({ nowMs: () => other.clock.nowMs });
    onTestFinished(() => service.close());
    const { provider, customer, code } = await other.setTheScene();
    const device = service.register();
    await provider.trpc.notifications.register.mutate(inWords(device));
    await customer.trpc.transactions.create.mutate({
      receiverQrId: code.id,
      amountCents: 2_000,
      serviceCategory: 'bartender',
    });
    await other.app.sendNotifications();
    const { proof } = service.payloadsOf(device.endpoint)[0].tip.thanks;
    const thank = 'POST /notices/thank';
    await call(other, thank, { body: { proof, choice: 0 } });
    await call(other, thank, { body: { proof, choice: 1 } });
    await call(other, thank, { body: { proof, choice: 2 } });
    await call(other, thank, { body: { proof: 'none', choice: 0 } });
  }

  /** The way of a tip that is paid at a payment service, and what is refused on it. */
  async function payTips() {
    const { t: paid, stripe, makePayable, pay } = await createPaidApp({ config: { mail: UNSENT } });
    const { provider, customer, code } = await paid.setTheScene();
    const { token } = customer;
    const isDown = (down: boolean) => stripe.fail(() => (down ? { is: 'status', status: 503 } : null));
    const give = 'POST /transactions';
    const tip = { token, body: { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' } };
    const accountRoute = 'GET /payments/account';
    const links = ['POST /payments/account', 'POST /payments/dashboard-link'];
    const balance = 'GET /payments/balance';
    isDown(true);
    await call(paid, accountRoute, provider);
    isDown(false);
    for (const route of [accountRoute, balance, ...links]) await call(paid, route, { token });
    for (const route of [accountRoute, balance, ...links.toReversed()]) await call(paid, route, provider);
    const inCountry = { ...provider, body: { country: 'US' } };
    stripe.fail(({ method }) => (method === 'POST' ? { is: 'refused', status: 400, message: 'No' } : null));
    await call(paid, 'POST /payments/account', inCountry);
    isDown(false);
    await call(paid, 'POST /payments/account', inCountry);
    isDown(true);
    await call(paid, balance, provider);
    isDown(false);
    await call(paid, give, tip);
    await makePayable(provider);
    for (const route of [accountRoute, balance, ...links]) await call(paid, route, provider);
    isDown(true);
    for (const route of links) await call(paid, route, provider);
    await call(paid, give, tip);
    isDown(false);
    const { body: begun } = await call(paid, give, tip);
    await call(paid, 'POST /transactions/{transaction_id}/receipt-mail', {
      token,
      at: `/transactions/${begun.id}/receipt-mail`,
      body: {},
    });
    const one = { token, at: `/transactions/${begun.id}` };
    const cancel = 'POST /transactions/{transaction_id}/cancel';
    await call(paid, 'GET /transactions/{transaction_id}', one);
    isDown(true);
    await call(paid, cancel, { ...one, at: `${one.at}/cancel` });
    isDown(false);
    await call(paid, cancel, { ...one, at: `${one.at}/cancel` });
    await call(paid, cancel, { ...one, at: '/transactions/txn_none/cancel' });
    const { body: another } = await call(paid, give, tip);
    await pay(another.payment_url);
    const refund = { token, at: `/transactions/${another.id}/refund` };
    isDown(true);
    await call(paid, 'POST /transactions/{transaction_id}/refund', refund);
    isDown(false);
    await call(paid, 'POST /transactions/{transaction_id}/refund', refund);
    await call(paid, 'GET /transactions', { token });

    const { body: open } = await call(paid, give, tip);
    const { body: kept } = await call(paid, give, tip);
    await pay(kept.payment_url);
    const held = await createTestApp({
      data: paid.data,
      config: { maintenance: { untilMs: null } },
      paymentService: (now) => createStripe(stripe.settings, now),
    });
    await call(held, give, tip);
    await call(held, cancel, { token, at: `/transactions/${open.id}/cancel` });
    const path = `/transactions/${kept.id}/refund`;
    await call(held, 'POST /transactions/{transaction_id}/refund', { token, at: path });
    for (const route of links) await call(held, route, provider);
    await call(held, 'GET /announcements', { token });
    const without = await createTestApp({ data: paid.data });
    await call(without, 'POST /transactions/{transaction_id}/refund', { token, at: path });
  }

  /** What giver and receiver write, and what the receiver does about it. */
  async function exchangeWords() {
    const open = await createTestApp({
      config: { takesGuestTips: true },
      blockedWords: { matches: (text) => text.includes('rude') },
    });
    const { provider, customer, code } = await open.setTheScene();
    const give = 'POST /transactions';
    const tip = { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' };
    const ofCustomer = { token: customer.token };
    const body = { ...tip, message: 'Hello', with_name: true };
    const { body: given } = await call(open, give, { ...ofCustomer, body });
    for (const message of ['rude', 'see evil.com', 'x'.repeat(141)])
      await call(open, give, { ...ofCustomer, body: { ...tip, message } });
    const { body: silent } = await call(open, give, { ...ofCustomer, body: tip });
    const { body: ofGuest } = await call(open, give, { body: { ...tip, message: 'Hi' } });
    const guestTip = ofGuest.id;
    for (const [route, word, input] of [
      ['POST /transactions/{transaction_id}/thank-you', 'thank-you', { text: 'Thank you' }],
      ['POST /transactions/{transaction_id}/thank-you', 'thank-you', { text: 'Thank you again' }],
      ['POST /transactions/{transaction_id}/thank-you', 'thank-you', { text: '' }],
      ['PATCH /transactions/{transaction_id}/words', 'words', { hidden: true }],
      ['PATCH /transactions/{transaction_id}/words', 'words', { hidden: 'yes' }],
      ['POST /transactions/{transaction_id}/report', 'report', undefined],
      ['POST /transactions/{transaction_id}/block', 'block', undefined],
    ] as const)
      for (const id of [given.id, silent.id, guestTip, 'txn_none'])
        await call(open, route, { token: provider.token, at: `/transactions/${id}/${word}`, body: input });
    const { body: blocked } = await call(open, 'GET /words/blocked-givers', { token: provider.token });
    const unblock = 'DELETE /words/blocked-givers/{giver_id}';
    const at = `/words/blocked-givers/${blocked[0].giver_id}`;
    await call(open, give, { ...ofCustomer, body: tip });
    for (let turn = 0; turn < 2; turn += 1) await call(open, unblock, { token: provider.token, at });
    const ready = 'PATCH /words/thank-yous';
    await call(open, ready, { token: provider.token, body: { texts: ['Thank you'] } });
    await call(open, ready, { token: provider.token, body: { texts: ['1', '2', '3', '4'] } });
    await call(open, 'GET /words/thank-yous', { token: provider.token });
    await open.trpc(provider.token).qrCodes.update.mutate({ id: code.id, takesWords: false });
    await call(open, give, { ...ofCustomer, body });
  }

  /** The way of a guest, who has the receipt in place of a session. */
  async function tipAsGuest() {
    const open = await createTestApp({ config: { takesGuestTips: true } });
    const { code } = await open.setTheScene();
    const tip = { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' };
    const { body: given } = await call(open, 'POST /transactions', { body: tip });
    const at = `/transactions/${given.receipt_url.split('/').at(-1)}`;
    await call(open, 'GET /transactions/{transaction_id}', { at });
    await call(open, 'POST /transactions/{transaction_id}/refund', { at: `${at}/refund` });
    return at;
  }

  /** What an API key may do and may not, and how its owner cares for it. */
  async function callWithKeys() {
    const open = await createTestApp();
    const { token } = await open.registerProvider();
    const [make, end] = ['POST /api-keys', 'DELETE /api-keys/{api_key_id}'];
    const asked = { name: 'Register', scopes: ['codes:read'] };
    const { body: key } = await call(open, make, {
      token,
      body: { ...asked, days: 1, addresses: ['::1/8'] },
    });
    const { body: other } = await call(open, make, { token, body: { ...asked, addresses: [] } });
    const { body: reader } = await call(open, make, { token, body: { ...asked, scopes: ['tips:read'] } });
    await call(open, 'GET /api-keys', { token });
    for (const { method, path, operation } of operationsOf(document)) {
      if (operation.security?.length === 0) continue;
      for (const text of [key.text, other.text, reader.text])
        await call(open, `${method} ${path}`, { token: text, ...(operation.requestBody && { body: {} }) });
    }
    for (let turn = 0; turn < 2; turn += 1) await call(open, end, { token, at: `/api-keys/${key.id}` });
    await call(open, make, { token, body: {} });
    for (let count = 0; count < 20; count += 1) await call(open, make, { token, body: asked });
    open.clock.nowMs += 15 * 60_000;
    await call(open, make, { token, body: asked });
    await call(open, end, { token, at: '/api-keys/key_none' });
  }

  /** What is mailed, where mail is sent and where it is not. */
  async function sendMails() {
    const server = await startMailServer();
    const mailing = await createTestApp({ config: { mail: relayAt(server), takesGuestTips: true } });
    onTestFinished(async () => {
      await mailing.app.endMails();
      await server.close();
    });
    const { provider, customer, code } = await mailing.setTheScene();
    const tokenOfMail = async () => {
      await mailing.app.sendMails();
      const mail = server.taken.at(-1);
      return mail ? linkIn(mail).token : '';
    };
    const { token } = customer;
    const settings = '/auth/me/mail';
    const forgotten = { body: { email: 'cam@example.com' } };
    const tip = { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' };
    const { body: given } = await call(mailing, 'POST /transactions', { token, body: tip });
    const receipt = { token, at: `/transactions/${given.id}/receipt-mail`, body: {} };
    const mailReceipt = 'POST /transactions/{transaction_id}/receipt-mail';
    await call(mailing, mailReceipt, receipt);
    await call(mailing, `POST ${settings}/confirmation`, { token });
    const confirmation = { token, body: { token: await tokenOfMail() } };
    await call(mailing, 'POST /auth/email/confirmed', { ...confirmation, token: provider.token });
    for (let turn = 0; turn < 2; turn += 1) await call(mailing, 'POST /auth/email/confirmed', confirmation);
    await call(mailing, mailReceipt, receipt);
    await call(mailing, mailReceipt, { ...receipt, token: provider.token });
    await call(mailing, mailReceipt, { ...receipt, body: { email: 'nobody' } });
    await call(mailing, `GET ${settings}`, { token });
    for (const own of [token, provider.token])
      await call(mailing, `PATCH ${settings}`, { token: own, body: { monthly_statement: true } });
    await call(mailing, `PATCH ${settings}`, { token, body: {} });
    await call(mailing, 'POST /auth/password/forgotten', forgotten);
    await call(mailing, 'POST /auth/password/forgotten', { body: {} });
    await call(mailing, 'POST /auth/email/confirmed', { token, body: {} });
    await mailing.app.sendMails();
    const reset = { body: { token: await tokenOfMail(), new_password: NEXT_PASSWORD } };
    await call(mailing, 'POST /auth/password/reset', { body: { ...reset.body, new_password: 'password' } });
    for (let turn = 0; turn < 2; turn += 1) await call(mailing, 'POST /auth/password/reset', reset);

    const silent = await createTestApp();
    const other = { token: (await silent.registerProvider()).token };
    await call(silent, 'POST /auth/password/forgotten', forgotten);
    await call(silent, `POST ${settings}/confirmation`, other);
    await call(silent, `GET ${settings}`, other);
    await call(silent, `PATCH ${settings}`, { ...other, body: { monthly_statement: true } });
    await call(silent, mailReceipt, { ...receipt, ...other });
  }

  const person = (username: string) => ({
    email: `${username}@example.com`,
    username,
    full_name: 'Pat Doe',
    password: PASSWORD,
    phone: '+1 555 010 0199',
    is_service_provider: true,
    service_categories: ['bartender', 'dj'],
  });
  await call(t, 'POST /auth/register', { body: person('pat') });
  const { phone: _, ...withoutPhone } = { ...person('sam'), phone: null };
  await call(t, 'POST /auth/register', { body: withoutPhone });
  const customer = { ...person('cam'), is_service_provider: false };
  await call(t, 'POST /auth/register', { body: { ...customer, service_categories: ['nonsense'] } });
  await call(t, 'POST /auth/register', { body: { ...person('pat'), username: 'pat2' } });
  await call(t, 'POST /auth/register', { body: { ...person('pat'), email: 'pat2@example.com' } });
  for (const wrong of [
    {},
    [],
    { ...person('x1'), service_categories: [] },
    { ...person('x2'), password: 'password' },
  ]) {
    await call(t, 'POST /auth/register', { body: wrong });
  }

  const tokenOf = async (username: string): Promise<string> => {
    const body = { email: `${username}@example.com`, password: PASSWORD };
    return (await call(t, 'POST /auth/login', { body })).body.access_token;
  };
  const [pat, first] = [await tokenOf('pat'), await tokenOf('cam')];
  await call(t, 'POST /auth/login', { body: { email: 'pat@example.com', password: 'wrong password' } });
  await call(t, 'POST /auth/login', { body: {} });
  await call(t, 'GET /auth/me', { token: pat });
  await call(t, 'GET /auth/me/export', { token: pat });
  await call(t, 'GET /auth/me/export', { token: pat, at: '/auth/me/export?time_zone=Mars' });

  for (const body of [{ password: PASSWORD }, { password: 'wrong' }, {}])
    await call(t, 'POST /auth/confirm', { token: pat, body });
  await askForPasswords();

  const change = { current_password: PASSWORD, new_password: NEXT_PASSWORD };
  const { body: changed } = await call(t, 'POST /auth/password', { token: first, body: change });
  const cam = changed.access_token;
  await call(t, 'POST /auth/password', { token: cam, body: { ...change, current_password: 'wrong' } });
  const unchanged = { current_password: NEXT_PASSWORD, new_password: NEXT_PASSWORD };
  await call(t, 'POST /auth/password', { token: cam, body: unchanged });
  await call(t, 'POST /auth/password', { token: cam, body: { ...change, new_password: 'password' } });
  await call(t, 'POST /auth/login', { body: { email: 'cam@example.com', password: NEXT_PASSWORD } });
  const { body: sessions } = await call(t, 'GET /auth/sessions', { token: cam });
  await call(t, 'GET /auth/me/operator-acts', { token: cam });
  const { account } = (await t.storage.findCredentials('cam@example.com')) ?? {};
  if (account) {
    const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
    const act = {
      actor,
      action: 'sessions_ended',
      subject: account.id,
      reason: 'Asked for it',
      atMs: 0,
    } as const;
    await t.storage.apiKeys.endAll(account.id, act);
    await t.storage.forgetSecrets(act);
  }
  await call(t, 'GET /auth/me/operator-acts', { token: cam });
  const other = sessions.find(({ is_current }: { is_current: boolean }) => !is_current);
  const at = `/auth/sessions/${other.id}`;
  await call(t, 'DELETE /auth/sessions/{session_id}', { token: cam, at });
  await call(t, 'DELETE /auth/sessions/{session_id}', { token: cam, at });
  await call(t, 'DELETE /auth/sessions', { token: cam });

  const { body: code } = await call(t, 'POST /qr-codes', {
    token: pat,
    body: { service_category: 'bartender' },
  });
  await call(t, 'POST /qr-codes', { token: pat, body: { service_category: 'bartender' } });
  await call(t, 'POST /qr-codes', { token: pat, body: { service_category: 'barber' } });
  await call(t, 'POST /qr-codes', { token: pat, body: { service_category: 'thief' } });
  await call(t, 'POST /qr-codes', { token: cam, body: { service_category: 'dj' } });
  await call(t, 'GET /qr-codes', { token: pat });
  await call(t, 'GET /qr-codes', { token: cam });
  await call(t, 'GET /ended-qr-codes', { token: pat });
  await call(t, 'GET /ended-qr-codes', { token: pat, at: '/ended-qr-codes?limit=1&cursor=nothing' });
  await call(t, 'GET /qr-codes/{qr_code_id}', { at: `/qr-codes/${code.id}` });
  await call(t, 'GET /qr-codes/{qr_code_id}', { at: '/qr-codes/%zz' });
  await t.trpc(pat).qrCodes.update.mutate({ id: code.id, isListed: true });
  const { username } = await t.trpc(pat).auth.me.query();
  for (const name of [username, 'nobody'])
    await call(t, 'GET /providers/{username}', { at: `/providers/${name}` });

  const ofPat = await makeTipPages(code.id);

  const tip = { receiver_qr_id: code.id, amount: 12.34, service_category: 'bartender' };
  const headers = { 'Idempotency-Key': 'key' };
  for (const amount of [10, 10.5, 10_000, 99.99]) {
    await call(t, 'POST /transactions', { token: cam, body: { ...tip, amount } });
  }
  await call(t, 'POST /transactions', { token: cam, body: tip, headers });
  await call(t, 'POST /transactions', { token: cam, body: tip, headers });
  await call(t, 'POST /transactions', { token: cam, body: { ...tip, amount: 20 }, headers });
  await call(t, 'POST /transactions', { token: cam, body: { ...tip, terms_version: 7 } });
  await call(t, 'GET /terms', {});
  await call(t, 'GET /announcements', { token: cam });
  await t.storage.announce({ text: 'The kitchen is closed.', fromMs: 0, untilMs: null });
  await call(t, 'GET /announcements', { token: cam });
  await call(t, 'POST /transactions', { token: pat, body: tip });
  await call(t, 'POST /transactions', { token: cam, body: { ...tip, service_category: 'dj' } });
  await call(t, 'POST /transactions', { token: cam, body: { ...tip, receiver_qr_id: '0000000000' } });
  await call(t, 'POST /transactions', { token: cam, body: { ...tip, amount: 9.99 } });
  await call(t, 'POST /transactions', { token: cam, body: {} });
  await call(t, 'POST /transactions', { token: cam, body: tip, headers: { 'Idempotency-Key': 'a b' } });
  await checkStream(t, pat, () => call(t, 'POST /transactions', { token: cam, body: tip }));
  await call(t, 'GET /transactions', { token: cam });
  const { body: given } = await call(t, 'POST /transactions', { token: cam, body: tip });
  for (const token of [cam, pat])
    await call(t, 'GET /transactions/{transaction_id}', { token, at: `/transactions/${given.id}` });
  await call(t, 'GET /transactions/{transaction_id}', { token: cam, at: '/transactions/txn_none' });
  const page = await call(t, 'GET /transactions', { token: cam, at: '/transactions?limit=2' });
  const next = /<\/api([^>]+)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
  await call(t, 'GET /transactions', { token: cam, at: next ?? 'no next page' });
  const events = await call(t, 'GET /events', { token: pat, at: '/events?limit=1' });
  const rest = /<\/api([^>]+)>; rel="next"/.exec(events.headers.get('Link') ?? '')?.[1];
  for (const at of [rest ?? 'no next page', '/events?after=latest', '/events?after=txn_none'])
    await call(t, 'GET /events', { token: pat, at });
  await addWebhooks(pat, events.body.events[0].id);
  const summary = 'GET /transactions/summary';
  const narrow = '?time_zone=Europe/Vienna&service_category=bartender&day_start_hour=5';
  await call(t, summary, { token: pat, at: `/transactions/summary${narrow}` });
  await call(t, summary, { token: pat });
  const period = 'from=2026-05-01&to=2026-05-31&time_zone=Europe/Vienna&service_category=bartender';
  const entries = 'GET /transactions/entries';
  for (const query of [
    period,
    'only=changes&tips_from=2026-05-01&tips_to=2026-05-31&limit=1',
    'from=tomorrow',
  ])
    await call(t, entries, { token: pat, at: `/transactions/entries?${query}` });
  for (const what of ['sums', 'insights']) {
    const route = `GET /transactions/${what}`;
    for (const query of [period, `${period}&direction=received&granularity=week`])
      await call(t, route, { token: pat, at: `/transactions/${what}?${query}` });
    await call(t, route, { token: pat, at: `/transactions/${what}?from=tomorrow` });
  }
  const csv = { headers: { Accept: 'text/csv' } };
  await call(t, 'GET /transactions', { token: cam, at: `/transactions?${period}&limit=2`, ...csv });
  await call(t, 'GET /transactions/insights', {
    token: pat,
    at: `/transactions/insights?${period}`,
    ...csv,
  });
  const refund = {
    token: pat,
    at: `/transactions/${given.id}/refund`,
    headers: { 'Idempotency-Key': 'one' },
  };
  const refundRoute = 'POST /transactions/{transaction_id}/refund';
  await call(t, refundRoute, refund);
  await call(t, refundRoute, refund);
  await call(t, refundRoute, { ...refund, headers: { 'Idempotency-Key': 'another' } });
  await call(t, refundRoute, { ...refund, headers: { 'Idempotency-Key': 'a b' } });
  await call(t, refundRoute, { token: pat, at: '/transactions/txn_none/refund' });
  await call(t, 'GET /transactions', { token: cam, at: '/transactions?limit=0' });
  await call(t, 'GET /transactions', { token: cam, at: '/transactions?cursor=x' });

  for (const receiver_qr_id of Object.values(ofPat))
    await call(t, 'POST /transactions', { token: cam, body: { ...tip, receiver_qr_id } });

  await exchangeWords();
  await registerDevices(pat);
  await thankFromNotification();
  await payTips();
  await sendMails();
  await callWithKeys();
  await playFactors(await createTestApp(), call);
  const receipt = await tipAsGuest();

  const local = await createTestApp({ data: t.data, config: { publicUrl: LOCAL_URL } });
  await call(local, PRINT, { token: pat, at: `/qr-codes/${code.id}/print/code.svg` });

  const closing = await createTestApp({ isShuttingDown: () => true });
  for (const { method, path, operation } of operationsOf(document)) {
    const route = `${method} ${path}`;
    const at = path
      .replace('{qr_code_id}', '0000000000')
      .replace('{session_id}', 'ses_none')
      .replace('{transaction_id}', 'txn_none')
      .replace('{giver_id}', 'gvr_none')
      .replace('{device_id}', 'dev_none')
      .replace('{webhook_id}', 'whk_none')
      .replace('{event_id}', 'evt_none')
      .replace('{api_key_id}', 'key_none')
      .replace('{passkey_id}', 'psk_none');
    const isOpen = operation.security?.length === 0;
    await call(closing, route, { at });
    await call(t, route, { at: `${at}?no_such_name=1` });
    if (!isOpen) {
      await call(t, route, { at, ...(operation.requestBody && { body: {} }) });
      await call(t, route, { at, token: 'x'.repeat(43), ...(operation.requestBody && { body: {} }) });
    }
    if (operation.requestBody) await call(t, route, { token: pat, body: '{' });
    if (method === 'POST' || method === 'PATCH') {
      await call(t, route, { token: pat, body: '{}', headers: { 'Content-Type': 'text/plain' } });
      await call(t, route, { token: pat, body: ' '.repeat(65_537) });
      await call(t, route, { token: pat, body: '{}', headers: { 'Content-Encoding': 'gzip' } });
      // Not UTF-8, which is refused also where no body is read.
      await call(t, route, { token: pat, body: new Uint8Array([0x22, 0xff, 0x22]) });
    }
  }
  const closeRoute = 'POST /auth/me/closing';
  const confirmation = 'close';
  for (const body of [{}, { current_password: 'wrong', confirmation }])
    await call(t, closeRoute, { token: pat, body });
  await call(t, closeRoute, { token: pat, body: { current_password: PASSWORD, confirmation } });
  await call(t, 'POST /auth/logout', { token: cam });

  const limited = await createTestApp({ config: { isRateLimited: true, mail: UNSENT } });
  const provider = await limited.registerProvider('quinn');
  /** Calls a route until it is refused for having been called too often. */
  async function exhaust(route: string, options: Parameters<typeof call>[2]): Promise<void> {
    for (let attempt = 0; attempt <= MAX_LIMIT; attempt += 1)
      if ((await call(limited, route, options)).status === 429) return;
    throw new Error(`${route} has no limit`);
  }
  await exhaust('POST /qr-codes', { token: provider.token, body: { service_category: 'bartender' } });
  await exhaust('POST /auth/login', { body: { email: 'nobody@example.com', password: 'wrong' } });
  await exhaust('POST /notices/thank', { body: { proof: 'none', choice: 0 } });
  await exhaust('POST /auth/register', { body: { ...person('zed'), password: 'password' } });
  // The address is another one, because the limit of registrations has been reached.
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(customer),
  };
  expect((await limited.send('/api/auth/register', init, '192.0.2.2')).status).toBe(201);
  const token = await limited.logIn('cam@example.com');
  await exhaust('POST /transactions', { token, body: { ...tip, receiver_qr_id: '0000000000' } });
  await exhaust('PUT /qr-codes/{qr_code_id}/photo', { token, body: PHOTO });
  for (const route of [
    'PATCH /auth/me',
    'PATCH /auth/me/mail',
    'POST /auth/me/mail/confirmation',
    'PATCH /qr-codes/{qr_code_id}',
    'DELETE /qr-codes/{qr_code_id}/photo',
    PRINT,
    'POST /transactions/{transaction_id}/refund',
    'GET /auth/me/export',
    'GET /transactions/insights',
    'POST /transactions/{transaction_id}/cancel',
    'POST /transactions/{transaction_id}/thank-you',
    'PATCH /transactions/{transaction_id}/words',
    'POST /transactions/{transaction_id}/report',
    'POST /transactions/{transaction_id}/block',
    'DELETE /words/blocked-givers/{giver_id}',
    'PATCH /words/thank-yous',
    'POST /notices/devices',
    'PATCH /notices/devices/{device_id}',
    'DELETE /notices/devices/{device_id}',
    'POST /notices/devices/{device_id}/test',
    'GET /transactions',
    'GET /events',
    'POST /webhooks',
    'PATCH /webhooks/{webhook_id}',
    'POST /webhooks/{webhook_id}/secret',
    'DELETE /webhooks/{webhook_id}',
    'GET /webhooks/{webhook_id}/deliveries',
    'POST /webhooks/{webhook_id}/test',
    'POST /webhooks/{webhook_id}/events/{event_id}',
    'GET /ended-qr-codes',
    'GET /words/blocked-givers',
    'GET /transactions/entries',
    'GET /transactions/sums',
    'GET /transactions/summary',
  ])
    await exhaust(route, { token, ...(/^(?:POST|PATCH)/.test(route) && { body: {} }) });
  for (const route of [
    'POST /qr-codes/{qr_code_id}/replacement',
    'POST /payments/account',
    'POST /payments/dashboard-link',
  ])
    await exhaust(route, { token: provider.token });
  const { text: key } = await provider.trpc.apiKeys.create.mutate({ name: 'Codes', scopes: ['codes:read'] });
  await exhaust('GET /qr-codes', { token: key });
  await callEach(limited, key);
  await call(limited, 'POST /auth/logout', { token: key });
  await exhaust('POST /api-keys', { token: provider.token, body: {} });
  for (const [route, body] of [
    ['POST /auth/me/passkey/options'],
    ['POST /auth/me/passkeys', {}],
    ['DELETE /auth/me/passkeys/{passkey_id}'],
    ['POST /auth/me/totp'],
    ['POST /auth/me/totp/confirmation', {}],
    ['DELETE /auth/me/totp'],
    ['POST /auth/me/recovery-codes'],
    ['POST /auth/confirm/passkey/options'],
    ['POST /auth/confirm/passkey', {}],
  ] as const)
    await exhaust(route, { token: provider.token, ...(body && { body }) });
  await exhaust('POST /auth/passkey/options', {});
  await exhaust('POST /auth/passkey/login', { body: {} });
  await exhaust('POST /auth/password', { token, body: { ...change, current_password: 'wrong' } });
  await exhaust('GET /transactions/{transaction_id}', { at: receipt });
  await exhaust('POST /transactions/{transaction_id}/receipt-mail', {
    at: `${receipt}/receipt-mail`,
    body: {},
  });
  await exhaust('POST /auth/password/forgotten', { body: { email: 'nobody@example.com' } });
  await exhaust('POST /auth/password/reset', { body: {} });
  await exhaust('POST /auth/email/confirmed', { token, body: {} });
  await call(limited, closeRoute, { token, body: { current_password: 'wrong', confirmation } });

  /** Calls each route for which somebody has to log in, with a body that says nothing. */
  async function callEach(app: TestApp, token: string) {
    for (const { method, path, operation } of operationsOf(document)) {
      if (operation.security === undefined || path === '/auth/logout') continue;
      const at = path
        .replace('{session_id}', 'ses_none')
        .replace('{transaction_id}', 'txn_none')
        .replace('{device_id}', 'dev_none')
        .replace('{webhook_id}', 'whk_none')
        .replace('{event_id}', 'evt_none')
        .replace('{api_key_id}', 'key_none');
      const body = operation.requestBody && { body: {} };
      await call(app, `${method} ${path}`, { at, token, ...body });
    }
  }
  const suspended = await t.registerCustomer('zoe');
  const made = await suspended.trpc.apiKeys.create.mutate({ name: 'All', scopes: [...API_SCOPES] });
  await suspendAccount(t.storage, suspended.user.id);
  await callEach(t, made.text);
  await callEach(t, suspended.token);
  await call(t, 'POST /transactions', { token: suspended.token, body: tip });
  await limited.data.demandNewPasswords();
  await callEach(limited, token);
  const strict = await createTestApp({ config: { requiresProviderFactors: true } });
  const withoutFactor = await strict.registerProvider();
  await callEach(strict, withoutFactor.token);
  await keepLastFactors(strict, withoutFactor.token, call);
  await strict.data.demandNewPasswords();
  strict.clock.nowMs += 900_000;
  await call(strict, 'POST /auth/password', {
    token: withoutFactor.token,
    body: { new_password: change.new_password },
  });
  return seen;
}
