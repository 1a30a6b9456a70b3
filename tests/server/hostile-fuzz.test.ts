/**
 * No input is our fault: thousands of made-up requests, the same in every run, at every REST route, every
 * procedure and every address, from anybody and nobody. None is answered with a 5xx, and every refusal has
 * its closed form. `npm run soak -- fuzz` makes 50,000 of them.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import {
  answerOf,
  type Door,
  outcomesOf,
  PROCEDURES,
  restFields,
  trpcRequest,
} from '#tests/support/both-doors.ts';
import { isEventStream, readStream, refusalOf } from '#tests/support/event-streams.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';
import { createTestData } from '#tests/support/test-data.ts';
import { UGLY_STRINGS } from '#tests/support/ugly-strings.ts';

/** `npm run soak -- fuzz` sets both: it makes more cases, and others each time. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_515);
const ALL_CASES = Number(process.env['FUZZ_CASES'] ?? 2_400);
/**
 * What stands for a success where no valid input is text: a session or a device that is gone is ended, and a
 * photo is no JSON. Where payments are simulated, no tip can be given up, and nobody has an account to be led
 * to.
 */
const EXPECTED_REFUSALS: Readonly<Record<string, Readonly<Record<Door, number>>>> = {
  'auth.endSession': { REST: 404, tRPC: 404 },
  'auth.resetPassword': { REST: 410, tRPC: 410 },
  'auth.confirmEmail': { REST: 410, tRPC: 410 },
  // Nobody has confirmed an email.
  'transactions.mailReceipt': { REST: 409, tRPC: 409 },
  'qrCodes.setPhoto': { REST: 415, tRPC: 422 },
  'transactions.giveUp': { REST: 404, tRPC: 404 },
  'messages.unblock': { REST: 404, tRPC: 404 },
  'payments.balance': { REST: 409, tRPC: 409 },
  'payments.onboard': { REST: 409, tRPC: 409 },
  'payments.openDashboard': { REST: 409, tRPC: 409 },
  'notifications.update': { REST: 404, tRPC: 404 },
  'notifications.remove': { REST: 404, tRPC: 404 },
  'notifications.test': { REST: 404, tRPC: 404 },
  'notifications.thank': { REST: 403, tRPC: 403 },
  'apiKeys.end': { REST: 404, tRPC: 404 },
  // No text is an answer of an authenticator, and nobody has a second factor.
  'auth.passkeyLogin': { REST: 422, tRPC: 422 },
  'auth.confirmByPasskey': { REST: 422, tRPC: 422 },
  'secondFactors.addPasskey': { REST: 422, tRPC: 422 },
  'secondFactors.removePasskey': { REST: 404, tRPC: 404 },
  'secondFactors.confirmTotp': { REST: 422, tRPC: 422 },
  'secondFactors.removeTotp': { REST: 404, tRPC: 404 },
  'secondFactors.renewRecoveryCodes': { REST: 404, tRPC: 404 },
  'webhooks.change': { REST: 404, tRPC: 404 },
  'webhooks.rotate': { REST: 404, tRPC: 404 },
  'webhooks.remove': { REST: 404, tRPC: 404 },
  'webhooks.deliveries': { REST: 404, tRPC: 404 },
  'webhooks.test': { REST: 404, tRPC: 404 },
  'webhooks.sendAgain': { REST: 404, tRPC: 404 },
};
const ADDRESS_CASES = Math.ceil(ALL_CASES * 0.165);
const CASES_PER_ROW = Math.ceil((ALL_CASES - ADDRESS_CASES) / (ENDPOINTS.length + PROCEDURES.length));

type Scene = Awaited<ReturnType<typeof createStage>>['scene'];
const SERVER_FAULTS: readonly unknown[] = ['internal', 'busy', 'storage_unavailable', 'shutting_down'];
type Fields = Readonly<Record<string, unknown>>;

/** A success of these procedures ends the session of the call. */
const ENDS_ITS_TOKEN: ReadonlySet<string> = new Set(['auth.logout', 'auth.changePassword', 'auth.close']);

/** Fields that no procedure reads: where a change of an input meets one of them, the input stays valid. */
const UNREAD = { comment: 'unread', language: 'unread' };

/** An input that each procedure takes, the `run`-th of its kind. */
const VALID_INPUTS: Readonly<Record<string, (scene: Scene, run: number) => Fields | undefined>> = {
  'auth.register': (_, run) => ({
    email: `fay${run}@example.org`,
    username: `fay${run}`,
    fullName: 'Fay Zed',
    password: PASSWORD,
    phone: '+43 660 1234567',
    isServiceProvider: true,
    serviceCategories: ['dj', 'barber'],
  }),
  'auth.login': ({ customer }) => ({ email: customer.user.email, password: PASSWORD }),
  'auth.me': () => undefined,
  'auth.logout': () => undefined,
  'auth.confirm': () => ({ password: PASSWORD }),
  'auth.forgotPassword': ({ customer }) => ({ email: customer.user.email }),
  'auth.resetPassword': () => ({ token: 'a'.repeat(43), newPassword: `${PASSWORD} staple` }),
  'auth.confirmEmail': () => ({ token: 'a'.repeat(43) }),
  'auth.sendConfirmation': () => undefined,
  'auth.mailSettings': () => undefined,
  'auth.changeMailSettings': () => ({ monthlyStatement: true, timeZone: 'Europe/Vienna' }),
  'auth.changePassword': () => ({ currentPassword: PASSWORD, newPassword: `${PASSWORD} staple` }),
  'auth.updateProfile': () => ({
    fullName: 'Fay Zed',
    phone: '+43 660 1234567',
    isServiceProvider: true,
    serviceCategories: SERVICE_CATEGORIES,
    dayStartHour: 5,
  }),
  'auth.close': () => ({ currentPassword: PASSWORD, confirmation: 'close' }),
  'auth.export': () => ({ timeZone: 'Europe/Vienna' }),
  'auth.sessions': () => undefined,
  'auth.endSession': () => ({ id: 'ses_none' }),
  'auth.endOtherSessions': () => undefined,
  'qrCodes.list': () => undefined,
  'qrCodes.ended': ({ code }) => ({ limit: 20, cursor: code.id }),
  'qrCodes.create': (_, run) => ({ serviceCategory: SERVICE_CATEGORIES[(run % 6) + 1] }),
  'qrCodes.provider': ({ provider }) => ({ username: provider.user.username }),
  'qrCodes.lookup': ({ code }) => ({ id: code.id }),
  'transactions.terms': () => undefined,
  'auth.announcements': () => undefined,
  'auth.operatorActs': () => undefined,
  'qrCodes.update': ({ code }, run) => ({
    id: code.id,
    displayName: `Fay ${run}`,
    greeting: 'Hello',
    thankYou: 'Thank you',
    takesWords: true,
    isListed: true,
    status: 'active',
  }),
  'qrCodes.replace': ({ spareCode }) => ({ id: spareCode.id, ...UNREAD }),
  'qrCodes.setPhoto': ({ code }) => ({ id: code.id, photo: 'no photo' }),
  'qrCodes.print': ({ code }) => ({ id: code.id, file: 'code.svg' }),
  'qrCodes.removePhoto': ({ code }) => ({ id: code.id, ...UNREAD }),
  'transactions.create': ({ code }, run) => ({
    receiverQrId: code.id,
    amountCents: 1000 + run,
    serviceCategory: 'bartender',
    idempotencyKey: `fuzz-${run}`,
    message: `Message ${run}`,
    withName: true,
  }),
  'transactions.list': () => ({
    limit: 3,
    cursor: null,
    direction: 'sent',
    serviceCategory: 'bartender',
    from: '2026-05-01',
    to: '2026-05-31',
    timeZone: 'Europe/Vienna',
    dayStartHour: 5,
  }),
  'transactions.refund': ({ given }, run) => ({ id: given.id, idempotencyKey: `fuzz-${run}` }),
  'transactions.giveUp': ({ given }) => ({ id: given.id }),
  'transactions.entries': () => ({
    limit: 3,
    cursor: null,
    direction: 'sent',
    serviceCategory: 'bartender',
    from: '2026-05-01',
    to: '2026-05-31',
    timeZone: 'Europe/Vienna',
    dayStartHour: 5,
    only: 'changes',
    tipsFrom: '2026-05-01',
    tipsTo: '2026-05-31',
  }),
  'transactions.sums': () => ({
    direction: 'received',
    serviceCategory: 'bartender',
    from: '2026-05-01',
    to: '2026-05-31',
    timeZone: 'Europe/Vienna',
    dayStartHour: 5,
  }),
  'transactions.insights': () => ({
    granularity: 'week',
    serviceCategory: 'bartender',
    from: '2026-05-01',
    to: '2026-05-31',
    timeZone: 'Europe/Vienna',
    dayStartHour: 5,
  }),
  'transactions.mailReceipt': ({ given }) => ({ id: given.id, email: 'fay@example.org', timeZone: 'UTC' }),
  'transactions.get': ({ given }) => ({ id: given.id }),
  'transactions.onTip': ({ given }) => ({ lastEventId: given.id }),
  'transactions.summary': () => ({ timeZone: 'Europe/Vienna', dayStartHour: 5 }),
  'webhooks.list': () => undefined,
  'webhooks.add': () => ({ url: 'http://127.0.0.1:9/tips', events: ['tip.received'] }),
  'webhooks.change': () => ({
    id: 'whk_none',
    url: 'http://127.0.0.1:9/tips',
    events: ['tip.received'],
    isOn: true,
    skipsMissed: false,
  }),
  'webhooks.rotate': () => ({ id: 'whk_none', ...UNREAD }),
  'webhooks.remove': () => ({ id: 'whk_none', ...UNREAD }),
  'webhooks.deliveries': () => ({ id: 'whk_none' }),
  'webhooks.test': () => ({ id: 'whk_none', ...UNREAD }),
  'webhooks.sendAgain': () => ({ id: 'whk_none', eventId: 'evt_none', ...UNREAD }),
  'webhooks.events': ({ given }) => ({ limit: 3, after: given.id.replace('txn_', 'evt_1') }),
  'messages.thank': ({ given }) => ({ id: given.id, text: 'Thank you' }),
  'messages.hide': ({ given }) => ({ id: given.id, hidden: true }),
  'messages.report': ({ given }) => ({ id: given.id, ...UNREAD }),
  'messages.block': ({ given }) => ({ id: given.id, ...UNREAD }),
  'messages.unblock': () => ({ giverId: 'gvr_none' }),
  'messages.blocked': () => undefined,
  'messages.thankYous': () => undefined,
  'messages.saveThankYous': (_, run) => ({ texts: [`Thank you ${run}`] }),
  'payments.payoutStatus': () => undefined,
  'payments.balance': () => undefined,
  'payments.onboard': () => ({ country: 'US' }),
  'payments.openDashboard': () => undefined,
  'notifications.key': () => undefined,
  'notifications.devices': () => undefined,
  'notifications.register': () => ({ ...newDevice(), withWords: true }),
  'notifications.update': () => ({ id: 'dev_none', withWords: true }),
  'notifications.remove': () => ({ id: 'dev_none', ...UNREAD }),
  'notifications.test': () => ({ id: 'dev_none', ...UNREAD }),
  'notifications.thank': () => ({ proof: 'dev_none.usr_none', choice: 0 }),
  'apiKeys.list': () => undefined,
  'apiKeys.create': (_, run) => ({
    name: `Register ${run}`,
    scopes: ['tips:read'],
    days: 30,
    addresses: ['192.0.2.0/24'],
  }),
  'apiKeys.end': () => ({ id: 'key_none' }),
  'auth.passkeyOptions': () => undefined,
  'auth.passkeyLogin': () => ({ response: '{}' }),
  'auth.passkeyConfirmOptions': () => undefined,
  'auth.confirmByPasskey': () => ({ response: '{}' }),
  'secondFactors.list': () => undefined,
  'secondFactors.passkeyOptions': () => undefined,
  'secondFactors.addPasskey': () => ({ response: '{}', name: 'Phone' }),
  'secondFactors.removePasskey': () => ({ id: 'psk_none', ...UNREAD }),
  'secondFactors.beginTotp': () => undefined,
  'secondFactors.confirmTotp': () => ({ code: '000000' }),
  'secondFactors.removeTotp': () => undefined,
  'secondFactors.renewRecoveryCodes': () => undefined,
};

const uglyText = fc.constantFrom(...UGLY_STRINGS.map(({ text }) => text));
/** Any character but half of one. The library’s own unit keeps a table of all of them, which takes a second to make. */
const character = fc
  .nat({ max: 0x10_f7ff })
  .map((place) => String.fromCodePoint(place < 0xd800 ? place : place + 0x800));
const anyText = fc.oneof(uglyText, fc.string({ unit: character, maxLength: 40 }));
const anyJson = fc.oneof(uglyText, fc.jsonValue({ stringUnit: character, maxDepth: 3 }));
const strangeKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'length',
  '0',
  '',
);

/** How a valid input is changed before it is sent. */
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), value: anyJson }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), key: strangeKey, value: anyJson }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('keep' as const) }) },
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** The text of a body: almost valid, some JSON, or anything. */
const anyBody = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('almost' as const), change }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('json' as const), value: anyJson }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('text' as const), text: anyText }) },
);
type Body = typeof anyBody extends fc.Arbitrary<infer Value> ? Value : never;

const caller = fc.constantFrom('nobody', 'provider', 'customer', 'stranger');
type Caller = typeof caller extends fc.Arbitrary<infer Value> ? Value : never;

/** A header may hold any of Latin-1 but NUL and line breaks. */
const headerText = fc.oneof(
  fc.constantFrom(
    'Bearer',
    'Bearer  ',
    `Bearer ${'A'.repeat(43)}`,
    `bearer ${'~'.repeat(8_000)}`,
    'Basic cGF0OnB3',
    'Bearer a b',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'text/event-stream',
    'gzip;q=0',
    '127.0.0.1, ::1, nonsense',
  ),
  fc
    .array(fc.integer({ min: 1, max: 255 }), { maxLength: 40 })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 10 && code !== 13))),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'Authorization',
    'Idempotency-Key',
    'Content-Type',
    'Content-Length',
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Cookie',
    'Host',
    'Last-Event-Id',
    'Origin',
    'X-Forwarded-For',
    'X-HTTP-Method-Override',
    'X-Request-Id',
  ),
  headerText,
  { maxKeys: 3 },
);
const fewHeaders = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers });

const pathText = fc.oneof(
  anyText.map((text) => encodeURIComponent(Buffer.from(text).toString())),
  fc.constantFrom(
    '%',
    '%zz',
    '%E0%A4%A',
    '%00',
    '%2e%2e%2f',
    '%2F',
    '%5c',
    '%ff',
    '..',
    '.',
    '',
    '*',
    ':qrId',
    '__proto__',
    'constructor',
    'auth.__proto__',
    'auth.constructor',
    'toString',
    'auth.me.toString',
    'auth.me',
    'auth/me',
    'transactions',
    'auth.login',
    'auth/login',
    'auth',
    'auth.',
    '.me',
    'auth.me,auth.me',
    ',,,',
    'qrCodes.list,auth.__proto__',
    'a'.repeat(5_000),
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 20 }),
);
const queryText = fc.oneof(
  fc.constantFrom(
    '',
    'batch=1',
    'batch=1&input=%7B%7D',
    'batch=1&input=[]',
    'batch=2',
    'input',
    'input=',
    'input=%zz',
    'input=null',
    'input={',
    'connectionParams={}',
    'connectionParams=[',
    'limit=1',
    'limit=-1',
    'limit=1e9',
    'limit=',
    'limit=1&limit=2',
    'limit[]=1',
    'cursor=',
    'cursor=%00',
    '__proto__=1',
    'limit=200&cursor=x',
  ),
  fc
    .tuple(fc.constantFrom('input', 'limit', 'cursor', 'batch', 'connectionParams', 'lastEventId'), anyText)
    .map(([name, text]) => `${name}=${encodeURIComponent(Buffer.from(text).toString())}`),
  fc.string({ unit: character, maxLength: 30 }),
);

interface Case {
  readonly body: Body;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string | null;
  readonly segment: string | null;
}
const anyCase: fc.Arbitrary<Case> = fc.record({
  body: anyBody,
  caller,
  headers: fewHeaders,
  query: fc.option(queryText, { freq: 2 }),
  segment: fc.option(pathText, { freq: 2 }),
});

/** The valid input, from those of whom one may send it: without chance, some case succeeds. */
const AS_MEANT: readonly Case[] = (['provider', 'customer'] as const).map((each) => ({
  body: { kind: 'almost', change: { kind: 'keep' } },
  caller: each,
  headers: {},
  query: null,
  segment: null,
}));

describe('no made-up request ends in a 5xx', () => {
  test.each(ENDPOINTS.map((route) => ({ name: `${route.method} ${route.path}`, route })))('at $name', async ({
    route,
  }) => {
    const stage = await createStage();
    const statuses = await everyCase(
      { arbitrary: anyCase, first: AS_MEANT },
      CASES_PER_ROW,
      async (made, run) => {
        const valid = VALID_INPUTS[route.procedure]?.(stage.scene, run);
        const { idempotencyKey, lastEventId, ...fields } = valid ?? {};
        const hasBody = ['POST', 'PATCH', 'PUT'].includes(route.method);
        const own = route.path.includes(':') ? String(fields['id'] ?? fields['username']) : '';
        const path = `/api${route.path.replace(/:\w+/, () => made.segment ?? own).replace(':file', String(fields['file']))}`;
        // What stands in the path is not asked for by the query as well.
        const inPath = route.path.includes(':username') ? 'username' : 'id';
        const { [inPath]: _, file: __, ...asked } = fields;
        const wire = route.method === 'GET' ? Object.entries(restFields(asked)) : [];
        const said = wire.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
        const ownQuery = new URLSearchParams(said).toString();
        // A parameter that is not known is refused before anything else is looked at.
        const query = run % 3 === 0 ? (made.query ?? ownQuery) : ownQuery;
        const response = await stage.send(`${path}${query === '' ? '' : `?${query}`}`, {
          method: route.method,
          headers: {
            ...(hasBody && { 'Content-Type': 'application/json' }),
            ...(typeof idempotencyKey === 'string' && { 'Idempotency-Key': idempotencyKey }),
            ...(typeof lastEventId === 'string' && { 'Last-Event-ID': lastEventId }),
            ...stage.authorization(made.caller),
            ...made.headers,
          },
          ...(hasBody && { body: bodyText(made.body, restFields(fields)) }),
        });
        if (isEventStream(response)) expect(await stage.endStream(response)).toBe(200);
        else await readRefusals('REST', response);
        if (ENDS_ITS_TOKEN.has(route.procedure) && response.ok) await stage.logInAgain();
        return response.status;
      },
    );
    expectVariety(statuses, EXPECTED_REFUSALS[route.procedure]?.REST ?? route.status);
  });

  test.each(PROCEDURES)('in $path', async ({ path }) => {
    const stage = await createStage();
    const statuses = await everyCase(
      { arbitrary: anyCase, first: AS_MEANT },
      CASES_PER_ROW,
      async (made, run) => {
        const json = bodyText(made.body, VALID_INPUTS[path]?.(stage.scene, run) ?? {});
        const request = trpcRequest(path, json);
        for (const [name, value] of Object.entries(stage.authorization(made.caller))) {
          request.headers.set(name, value);
        }
        // One that differs from the input is the mark of a request that was mixed up with another, which is
        // refused with a 503.
        for (const [name, value] of Object.entries(made.headers))
          if (name !== 'Idempotency-Key') request.headers.set(name, value);
        const separator = request.path.includes('?') ? '&' : '?';
        const response = await stage.send(
          made.query === null ? request.path : `${request.path}${separator}${made.query}`,
          request,
        );
        if (isEventStream(response)) return stage.endStream(response);
        await readRefusals('tRPC', response);
        if (ENDS_ITS_TOKEN.has(path) && response.ok) await stage.logInAgain();
        return response.status;
      },
    );
    // They answer everybody, and tRPC passes over what a procedure does not take.
    if (['transactions.terms', 'auth.passkeyOptions'].includes(path))
      expect(new Set(statuses)).toEqual(new Set([200]));
    else expectVariety(statuses, EXPECTED_REFUSALS[path]?.tRPC ?? 200);
  });

  test('at any address, by any method', async () => {
    const stage = await createStage();
    const address = fc.record({
      base: fc.constantFrom(
        '/api',
        '/api/auth/me',
        '/api/transactions',
        '/api/qr-codes',
        '/api/docs',
        '/healthz',
        '/trpc',
        '/trpc/auth.me',
        '/trpc/auth.login',
        '',
        '/tip',
        '/assets',
      ),
      segments: fc.array(pathText, { maxLength: 3 }),
      query: fc.option(queryText),
      method: fc.constantFrom(
        'GET',
        'GET',
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'DELETE',
        'OPTIONS',
        'PATCH',
        'ODD',
      ),
      caller,
      headers: fewHeaders,
    });
    const statuses = await everyCase({ arbitrary: address, first: [] }, ADDRESS_CASES, async (made) => {
      const path = `${[made.base, ...made.segments].join('/')}${made.query === null ? '' : `?${made.query}`}`;
      const response = await stage.send(path, {
        method: made.method,
        headers: { ...stage.authorization(made.caller), ...made.headers },
        ...(made.method === 'POST' && { body: '{}' }),
      });
      if (made.method === 'HEAD') expect(await response.text()).toBe('');
      else if (isEventStream(response)) return stage.endStream(response);
      else {
        const isTrpc = new URL(`http://localhost${path}`).pathname.startsWith('/trpc');
        await readRefusals(isTrpc ? 'tRPC' : 'REST', response);
      }
      return response.status;
    });
    for (const status of [401, 404, 405]) expect(statuses).toContain(status);
  });
});

test('the table of valid inputs has one for every procedure, so that an almost valid one is close to it', async () => {
  expect(Object.keys(VALID_INPUTS).sort(), 'the rows of VALID_INPUTS in this file').toEqual(
    PROCEDURES.map(({ path }) => path).sort(),
  );
  const stage = await createStage();
  for (const { path } of PROCEDURES) {
    const input = VALID_INPUTS[path]?.(stage.scene, 0);
    const request = trpcRequest(path, JSON.stringify(input));
    const [[name, value] = ['', '']] = Object.entries(
      stage.authorization(/^(?:qrCodes|messages)/.test(path) ? 'provider' : 'customer'),
    );
    request.headers.set(name, value);
    const response = await stage.send(request.path, request);
    expect(response.status, path).toBe(EXPECTED_REFUSALS[path]?.tRPC ?? 200);
    if (isEventStream(response)) expect(await stage.endStream(response), path).toBe(200);
    else await response.body?.cancel();
    if (ENDS_ITS_TOKEN.has(path)) await stage.logInAgain();
  }
});

/** A provider of every service, a customer and codes. */
async function makeScene() {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const provider = await t.registerProvider('pat', [...SERVICE_CATEGORIES]);
  const customer = await t.registerCustomer('cam');
  const code = await provider.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' });
  await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: true });
  const spareCode = await provider.trpc.qrCodes.create.mutate({
    serviceCategory: 'live_event',
  });
  const given = await customer.trpc.transactions.create.mutate({
    receiverQrId: code.id,
    amountCents: 1_000,
    serviceCategory: 'bartender',
    message: 'Hello',
  });
  const passwords = await t.data.readPasswordHashes();
  return { contents: await t.data.readContents(), passwords, provider, customer, code, spareCode, given };
}

let made: ReturnType<typeof makeScene> | undefined;

/** An app on a copy of the scene, which is made once, and callers by their names. */
async function createStage() {
  made ??= makeScene();
  const { contents, passwords: firstPasswords, ...scene } = await made;
  const { provider, customer } = scene;
  const t = await createTestApp({ config: { mail: UNSENT }, data: await createTestData({ contents }) });
  let hangUp = new AbortController();
  const tokens: Record<Caller, string | null> = {
    nobody: null,
    provider: provider.token,
    customer: customer.token,
    stranger: 'x'.repeat(43),
  };
  return {
    scene,
    send(path: string, init: RequestInit) {
      hangUp = new AbortController();
      return t.send(path, { ...init, signal: hangUp.signal });
    },
    /** Ends the last answer, a stream of events, and tells what status it stood for. */
    async endStream(response: Response): Promise<number> {
      const refused = await refusalOf(t, readStream(response, hangUp), 0);
      if (refused) expect(SERVER_FAULTS).not.toContain(refused.code);
      return refused?.status ?? 200;
    },
    authorization(caller: Caller): Record<string, string> {
      const token = tokens[caller];
      return token === null ? {} : { Authorization: `Bearer ${token}` };
    },
    /** Gives everybody their first password again, which a case may have changed, and logs them in. */
    async logInAgain() {
      for (const [username, hash] of firstPasswords) await t.data.setPasswordHash(username, hash);
      tokens.provider = await t.logIn('pat@example.com');
      tokens.customer = await t.logIn('cam@example.com');
    },
  };
}

/**
 * Runs the cases one after the other and answers with the statuses that were seen, in the order of the cases.
 */
async function everyCase<Made>(
  { arbitrary, first }: { readonly arbitrary: fc.Arbitrary<Made>; readonly first: readonly Made[] },
  count: number,
  statusOf: (made: Made, run: number) => Promise<number>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  await fc.assert(
    fc.asyncProperty(arbitrary, async (made) => {
      const status = await statusOf(made, statuses.length + 1);
      expect(status).toBeLessThan(500);
      statuses.push(status);
    }),
    { seed: SEED, numRuns: count, examples: first.map((made): [Made] => [made]) },
  );
  if (process.env['FUZZ_CASES'] !== undefined) {
    const refused = statuses.filter((status) => status >= 400).length;
    process.stdout.write(`FUZZED ${statuses.length} of which ${refused} refused\n`);
  }
  return statuses;
}

/**
 * Reads each refusal of an answer, also those of a batch with status 207; none may be a fault of the server.
 */
async function readRefusals(door: Door, response: Response): Promise<void> {
  if (response.status === 204 || (door === 'REST' && response.ok)) return response.body?.cancel();
  for (const { refused } of outcomesOf(door, await answerOf(response))) {
    expect(SERVER_FAULTS).not.toContain(refused?.code);
  }
}

/** Some cases must succeed and some be refused: cases that all end alike would show little. */
function expectVariety(statuses: readonly number[], success: number): void {
  expect(statuses, 'its row of VALID_INPUTS never succeeds').toContain(success);
  expect(statuses.some((status) => status >= 400)).toBe(true);
}

function bodyText(body: Body, valid: Fields): string {
  if (body.kind === 'text') return body.text;
  if (body.kind === 'json') return JSON.stringify(body.value);
  return almost(valid, body.change);
}

/** A valid input with the change, as text: only JSON can have `__proto__` as a key of its own. */
function almost(valid: Fields, change: Change): string {
  const entries = Object.entries(valid);
  const at = 'at' in change && entries.length > 0 ? change.at % entries.length : -1;
  const kept = change.kind === 'drop' ? entries.filter((_, index) => index !== at) : entries;
  const changed = kept.map(([key, value], index): [string, unknown] =>
    change.kind === 'replace' && index === at ? [key, change.value] : [key, value],
  );
  if (change.kind === 'add') changed.push([change.key, change.value]);
  return `{${changed.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`;
}
