/**
 * Every row of the table of refusals, met through both doors for real: its status, its code, the sentence for people,
 * the headers that go with it, and that nothing was changed by what was refused. A row that is added to the table
 * without one here fails.
 */
import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '#server/api/refusals.ts';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { type ErrorCode, REFUSALS } from '#shared/errors.ts';
import {
  type Answer,
  call,
  callRest,
  callTrpc,
  callTrpcBatch,
  DOORS,
  type Door,
  logInThrough,
  type Refused,
  refusedBy,
  registerThrough,
  resultOf,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { dump } from '#tests/support/database-dump.ts';
import { demandNewPasswords, failReceiving, setReadOnly } from '#tests/support/stored-data.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';

const MARKER = 'a detail from deep inside';
const OUT_OF_BOUNDS = 'Tip amount must be between $10 and $10,000';
const TOO_FINE = 'Amounts have at most two decimals';
const NO_AMOUNT = 'Please select a tip amount';
const JSON_BODY = { 'Content-Type': 'application/json' };

/** A provider with a code, a customer, and switches for what may go wrong around them. */
async function openScene({ isRateLimited = false, hashing = 'cheap' as 'cheap' | 'slow' } = {}) {
  const trouble = { isInside: false, isShuttingDown: false };
  const database = openDatabase(IN_MEMORY, {
    onStatement: () => {
      if (trouble.isInside) throw new Error(MARKER);
    },
  });
  const t = await createTestApp({
    database,
    config: { isRateLimited },
    hashing,
    isShuttingDown: () => trouble.isShuttingDown,
  });
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' };
  return { t, trouble, provider, customer, code, tip };
}

type Scene = Awaited<ReturnType<typeof openScene>>;
type Act = (scene: Scene) => Promise<Answer>;
interface Row {
  readonly status: number;
  /** The sentence, where the specification or the decisions have the words for it. */
  readonly detail?: string;
  readonly isRateLimited?: true;
  readonly hashing?: 'slow';
  /** What must have happened before. */
  arrange?(scene: Scene): unknown;
  /** What goes wrong around the call, and how it ends, so that the database can be looked into. */
  disturb?(scene: Scene): unknown;
  calmDown?(scene: Scene): unknown;
  /** What is refused, or why it cannot be at this door. */
  readonly REST: Act | string;
  readonly tRPC: Act | string;
}

const send = async (scene: Scene, path: string, init: RequestInit): Promise<Answer> => {
  const response = await scene.t.send(path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Keeps the hashing busy with failing logins from everywhere, while one more comes through the same door. */
async function logInBehindACrowd(door: Door, { t }: Scene): Promise<Answer> {
  const crowd = Array.from({ length: 110 }, (_, index) =>
    logInThrough(door, t, 'nobody@example.com', PASSWORD, { peer: `203.0.113.${index}` }),
  );
  const answer = await logInThrough(door, t, 'cam@example.com', PASSWORD);
  await Promise.all(crowd);
  return answer;
}

const signUp = (door: Door, scene: Scene, email: string, username: string) =>
  registerThrough(door, scene.t, { email, username, password: PASSWORD });

const WRONG_PASSWORD = { current_password: 'not the password', new_password: 'another long one' };

const NO_REQUEST = 'it never becomes a request, and meets no door: process.test.ts sends it';

const ROWS: Readonly<Record<ErrorCode, Row>> = {
  malformed_json: {
    status: 400,
    REST: ({ t }) => callRest(t, 'POST', '/auth/login', '{"email": '),
    tRPC: (scene) =>
      send(scene, '/trpc/auth.login', { method: 'POST', headers: JSON_BODY, body: '{"email": ' }),
  },
  malformed_request: {
    status: 400,
    REST: 'whatever a REST request holds is JSON with wrong fields or no JSON: both have refusals of their own',
    tRPC: async (scene) => {
      const answer = await send(scene, '/trpc/auth.login?batch=1', {
        method: 'POST',
        headers: JSON_BODY,
        body: '"neither a list nor an object"',
      });
      const [only]: unknown[] = JSON.parse(answer.text);
      return { ...answer, text: JSON.stringify(only) };
    },
  },
  request_timeout: { status: 408, REST: NO_REQUEST, tRPC: NO_REQUEST },
  headers_too_large: { status: 431, REST: NO_REQUEST, tRPC: NO_REQUEST },
  not_logged_in: {
    status: 401,
    REST: ({ t }) => callRest(t, 'GET', '/transactions'),
    tRPC: ({ t }) => callTrpc(t, 'transactions.list', {}),
  },
  login_to_tip: {
    status: 401,
    detail: 'Please login to send tips',
    REST: ({ t, tip }) => tipThrough('REST', t, tip),
    tRPC: ({ t, tip }) => tipThrough('tRPC', t, tip),
  },
  session_ended: {
    status: 401,
    arrange: ({ customer }) => customer.trpc.auth.logout.mutate(),
    REST: ({ t, tip, customer }) => tipThrough('REST', t, tip, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
  },
  wrong_credentials: {
    status: 401,
    REST: ({ t }) => logInThrough('REST', t, 'cam@example.com', 'not the password'),
    tRPC: ({ t }) => logInThrough('tRPC', t, 'cam@example.com', 'not the password'),
  },
  wrong_password: {
    status: 422,
    REST: ({ t, customer }) => callRest(t, 'POST', '/auth/password', WRONG_PASSWORD, customer),
    tRPC: ({ t, customer }) =>
      callTrpc(
        t,
        'auth.changePassword',
        { currentPassword: 'not the password', newPassword: 'another long one' },
        customer,
      ),
  },
  session_not_found: {
    status: 404,
    REST: ({ t, customer }) => callRest(t, 'DELETE', '/auth/sessions/ses_none', undefined, customer),
    tRPC: ({ t, customer }) => callTrpc(t, 'auth.endSession', { id: 'ses_none' }, customer),
  },
  providers_only: {
    status: 403,
    REST: ({ t, customer }) =>
      callRest(t, 'POST', '/qr-codes', { service_category: 'bartender' }, { token: customer.token }),
    tRPC: ({ t, customer }) =>
      callTrpc(t, 'qrCodes.create', { serviceCategory: 'bartender' }, { token: customer.token }),
  },
  category_not_offered: {
    status: 403,
    REST: ({ t, provider }) =>
      callRest(t, 'POST', '/qr-codes', { service_category: 'dj' }, { token: provider.token }),
    tRPC: ({ t, provider }) =>
      callTrpc(t, 'qrCodes.create', { serviceCategory: 'dj' }, { token: provider.token }),
  },
  not_found: {
    status: 404,
    REST: ({ t }) => callRest(t, 'GET', '/tips'),
    tRPC: ({ t }) => callTrpc(t, 'tips.list'),
  },
  qr_code_not_found: {
    status: 404,
    detail: 'QR code not found',
    REST: ({ t, tip, customer }) => tipThrough('REST', t, { ...tip, receiverQrId: '00000-00000' }, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, { ...tip, receiverQrId: '00000-00000' }, customer),
  },
  method_not_allowed: {
    status: 405,
    REST: ({ t, customer }) => callRest(t, 'DELETE', '/transactions', undefined, { token: customer.token }),
    tRPC: (scene) => send(scene, '/trpc/auth.logout', { method: 'GET' }),
  },
  email_taken: {
    status: 409,
    REST: (scene) => signUp('REST', scene, 'Cam@Example.com', 'somebody-else'),
    tRPC: (scene) => signUp('tRPC', scene, 'Cam@Example.com', 'somebody-else'),
  },
  username_taken: {
    status: 409,
    REST: (scene) => signUp('REST', scene, 'another@example.com', 'Cam'),
    tRPC: (scene) => signUp('tRPC', scene, 'another@example.com', 'Cam'),
  },
  qr_code_exists: {
    status: 409,
    REST: ({ t, provider }) =>
      callRest(t, 'POST', '/qr-codes', { service_category: 'bartender' }, { token: provider.token }),
    tRPC: ({ t, provider }) =>
      callTrpc(t, 'qrCodes.create', { serviceCategory: 'bartender' }, { token: provider.token }),
  },
  body_too_large: {
    status: 413,
    REST: ({ t }) => logInThrough('REST', t, 'cam@example.com', 'x'.repeat(64 * 1024)),
    tRPC: ({ t }) => logInThrough('tRPC', t, 'cam@example.com', 'x'.repeat(64 * 1024)),
  },
  not_json: {
    status: 415,
    REST: (scene) =>
      send(scene, '/api/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: '{}',
      }),
    tRPC: (scene) =>
      send(scene, '/trpc/auth.login', {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: '{}',
      }),
  },
  invalid_input: {
    status: 422,
    detail: OUT_OF_BOUNDS,
    REST: ({ t, tip, customer }) => tipThrough('REST', t, { ...tip, amountCents: 999 }, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, { ...tip, amountCents: 999 }, customer),
  },
  own_qr_code: {
    status: 422,
    REST: ({ t, tip, provider }) => tipThrough('REST', t, tip, provider),
    tRPC: ({ t, tip, provider }) => tipThrough('tRPC', t, tip, provider),
  },
  category_mismatch: {
    status: 422,
    REST: ({ t, tip, customer }) => tipThrough('REST', t, { ...tip, serviceCategory: 'barber' }, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, { ...tip, serviceCategory: 'barber' }, customer),
  },
  idempotency_key_reused: {
    status: 422,
    arrange: ({ t, tip, customer }) =>
      callTrpc(t, 'transactions.create', { ...tip, idempotencyKey: 'attempt-1' }, customer),
    REST: ({ t, tip, customer }) =>
      tipThrough(
        'REST',
        t,
        { ...tip, amountCents: 2_001 },
        { ...customer, headers: { 'Idempotency-Key': 'attempt-1' } },
      ),
    tRPC: ({ t, tip, customer }) =>
      callTrpc(
        t,
        'transactions.create',
        { ...tip, amountCents: 2_001, idempotencyKey: 'attempt-1' },
        customer,
      ),
  },
  password_change_required: {
    status: 403,
    arrange: ({ t }) => demandNewPasswords(t.database),
    REST: ({ t, tip, customer }) => tipThrough('REST', t, tip, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
  },
  too_many_requests: {
    status: 429,
    detail: 'Too many attempts. Please try again in 15 minutes.',
    isRateLimited: true,
    arrange: ({ t }) =>
      Promise.all(
        DOORS.flatMap((door) => [1, 2, 3].map(() => logInThrough(door, t, 'cam@example.com', 'wrong'))),
      ),
    REST: ({ t }) => logInThrough('REST', t, 'cam@example.com', PASSWORD),
    tRPC: ({ t }) => logInThrough('tRPC', t, 'cam@example.com', PASSWORD),
  },
  internal: {
    status: 500,
    disturb: ({ trouble }) => {
      trouble.isInside = true;
    },
    calmDown: ({ trouble }) => {
      trouble.isInside = false;
    },
    REST: ({ t, tip, customer }) => tipThrough('REST', t, tip, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
  },
  busy: {
    status: 503,
    hashing: 'slow',
    REST: (scene) => logInBehindACrowd('REST', scene),
    tRPC: (scene) => logInBehindACrowd('tRPC', scene),
  },
  storage_unavailable: {
    status: 503,
    disturb: ({ t }) => setReadOnly(t.database, true),
    calmDown: ({ t }) => setReadOnly(t.database, false),
    REST: ({ t, tip, customer }) => tipThrough('REST', t, tip, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
  },
  shutting_down: {
    status: 503,
    disturb: ({ trouble }) => {
      trouble.isShuttingDown = true;
    },
    REST: ({ t, tip, customer }) => tipThrough('REST', t, tip, customer),
    tRPC: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
  },
};

/** Headers that a refusal owes to whoever reads it without looking into the body. */
function expectHeaders(answer: Answer, refused: Refused): void {
  const { headers } = answer;
  if (refused.status === 401) expect(headers.get('WWW-Authenticate')).toMatch(/^Bearer realm="Tipwell"/);
  else expect(headers.get('WWW-Authenticate')).toBeNull();
  if (refused.status === 429 || refused.status === 503)
    expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  else expect(headers.get('Retry-After')).toBeNull();
}

const cases = Object.entries(ROWS).flatMap(([code, row]) =>
  DOORS.flatMap((door) => {
    const act = row[door];
    return typeof act === 'string' ? [] : [[door, code, row, act] as const];
  }),
);

test('each code of the table has a row here, and a reason where it cannot occur', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(REFUSALS).sort());
  const exceptions = Object.values(ROWS).flatMap((row) =>
    [row.REST, row.tRPC].filter((act) => typeof act === 'string'),
  );
  expect(exceptions).toHaveLength(5);
  expect(cases).toHaveLength(2 * Object.keys(REFUSALS).length - exceptions.length);
});

test.each(cases)('%s says %s, and changes nothing', async (door, code, row, act) => {
  const scene = await openScene(row);
  await row.arrange?.(scene);
  const before = dump(scene.t.database);
  await row.disturb?.(scene);
  const answer = await act(scene);
  await row.calmDown?.(scene);

  const refused = refusedBy(door, answer);
  expect(refused).toMatchObject({ status: row.status, code });
  const sentences = new Map<string, string>(
    Object.entries(REFUSALS).map(([key, { detail }]) => [key, detail]),
  );
  expect(refused.detail).toBe(row.detail ?? sentences.get(code));
  expectHeaders(answer, refused);
  expect(dump(scene.t.database)).toEqual(before);
});

test.each(DOORS)('%s tells an ended session from none in WWW-Authenticate', async (door) => {
  const { t, tip, customer } = await openScene();
  await customer.trpc.auth.logout.mutate();
  const ended = await tipThrough(door, t, tip, customer);
  const none = await tipThrough(door, t, tip);
  expect(ended.headers.get('WWW-Authenticate')).toBe('Bearer realm="Tipwell", error="invalid_token"');
  expect(none.headers.get('WWW-Authenticate')).toBe('Bearer realm="Tipwell"');
});

test.each([
  ['/auth/login', 'POST'],
  ['/auth/me', 'GET, HEAD'],
  ['/qr-codes', 'GET, HEAD, POST'],
  ['/qr-codes/ABCDEFGHJK', 'GET, HEAD'],
  ['/transactions', 'GET, HEAD, POST'],
])('405 at %s says what it does answer: %s', async (path, allowed) => {
  const { t } = await openScene();
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const answer = await callRest(t, method, path);
    expect(refusedBy('REST', answer).code).toBe('method_not_allowed');
    expect(answer.headers.get('Allow')).toBe(allowed);
  }
});

describe('what nobody foresaw', () => {
  test.each(DOORS)('%s says the same fixed sentence, and only the log knows why', async (door) => {
    const { t, trouble, tip, customer } = await openScene();
    trouble.isInside = true;
    const answers = [
      await tipThrough(door, t, tip, customer),
      await logInThrough(door, t, 'cam@example.com', PASSWORD),
      await call(door, t, 'qrCodes.lookup', { id: tip.receiverQrId }),
    ];
    trouble.isInside = false;
    for (const answer of answers) {
      const refused = refusedBy(door, answer);
      expect(refused).toMatchObject({ status: 500, code: 'internal', detail: REFUSALS.internal.detail });
      expect(answer.text).not.toContain(MARKER);
      expect(JSON.stringify([...answer.headers])).not.toContain(MARKER);
      const logged = t.logLines.filter((line) => line.includes(refused.requestId) && line.includes(MARKER));
      expect(logged).toHaveLength(1);
    }
  });

  test('a fault in one tip does not undo or fail the one beside it', async () => {
    const { t, tip, customer } = await openScene();
    // 64.66 is what 66.66 leaves the provider: by then the row is written and the giver's total moved.
    failReceiving(t.database, 6_466, MARKER);
    const [fine, faulty] = await Promise.all([
      tipThrough('REST', t, tip, customer),
      tipThrough('REST', t, { ...tip, amountCents: 6_666 }, customer),
    ]);
    expect(resultOf(fine)).toMatchObject({ amount: 20 });
    expect(refusedBy('REST', faulty).code).toBe('internal');
    expect(faulty.text).not.toContain(MARKER);
    expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 2_000 });
    expect(dump(t.database)['transactions']).toHaveLength(1);
  });
});

describe('what tRPC refuses before any procedure', () => {
  test('is JSON by its content type too', async () => {
    const { t } = await openScene();
    const answer = await callTrpcBatch(
      t,
      Array.from({ length: 11 }, () => ['auth.logout', null] as const),
    );
    expect(JSON.parse(answer.text)).toMatchObject({ error: { data: { errorCode: 'malformed_request' } } });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('X-Request-Id')).not.toBeNull();
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  });
});

describe('fields that are wrong', () => {
  const wrong = { email: 'nobody', username: 'x', password: 'short', phone: '12' };
  const camelCase = { ...wrong, fullName: '', isServiceProvider: true, serviceCategories: ['astronaut'] };
  const snakeCase = { ...wrong, full_name: '', is_service_provider: true, service_categories: ['astronaut'] };

  test('are all named, as REST spells them', async () => {
    const { t } = await openScene();
    const { fields, detail } = refusedBy('REST', await callRest(t, 'POST', '/auth/register', snakeCase));
    expect(fields.map(({ field }) => field)).toEqual([
      'email',
      'username',
      'full_name',
      'password',
      'phone',
      'service_categories.0',
    ]);
    expect(detail).toBe(fields[0]?.message);
  });

  test('are all named, as tRPC spells them', async () => {
    const { t } = await openScene();
    const { fields, detail } = refusedBy('tRPC', await callTrpc(t, 'auth.register', camelCase));
    expect(fields.map(({ field }) => field)).toEqual([
      'email',
      'username',
      'fullName',
      'password',
      'phone',
      'serviceCategories.0',
    ]);
    expect(detail).toBe(fields[0]?.message);
  });

  test('of a header are named as the header', async () => {
    const { t, tip, customer } = await openScene();
    const headers = { 'Idempotency-Key': 'x'.repeat(256) };
    const refused = refusedBy('REST', await tipThrough('REST', t, tip, { ...customer, headers }));
    expect(refused.fields.map(({ field }) => field)).toEqual(['Idempotency-Key']);
  });

  test.each([
    undefined,
    [],
    null,
    'bartender',
  ])('a provider without services (%j) is told to select one', async (chosen) => {
    const { t } = await openScene();
    const person = { email: 'new@example.com', username: 'new-one', password: PASSWORD, phone: null };
    const sentence = 'Please select at least one service category.';
    const rest = { ...person, full_name: 'New One', is_service_provider: true, service_categories: chosen };
    const trpc = { ...person, fullName: 'New One', isServiceProvider: true, serviceCategories: chosen };
    expect(refusedBy('REST', await callRest(t, 'POST', '/auth/register', rest))).toMatchObject({
      status: 422,
      detail: sentence,
      fields: [{ field: 'service_categories', message: sentence }],
    });
    expect(refusedBy('tRPC', await callTrpc(t, 'auth.register', trpc))).toMatchObject({
      status: 422,
      detail: sentence,
      fields: [{ field: 'serviceCategories', message: sentence }],
    });
  });
});

describe('amounts', () => {
  /** Bodies are written by hand: JSON has spellings that JSON.stringify never makes. */
  const payByRest = ({ t, tip, customer }: Scene, amount: string) =>
    callRest(
      t,
      'POST',
      '/transactions',
      `{"receiver_qr_id": "${tip.receiverQrId}", "service_category": "bartender"${amount && `, "amount": ${amount}`}}`,
      customer,
    );
  const payByTrpc = (scene: Scene, amountCents: string) =>
    send(scene, '/trpc/transactions.create', {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${scene.customer.token}` },
      body: `{"receiverQrId": "${scene.tip.receiverQrId}", "serviceCategory": "bartender"${amountCents && `, "amountCents": ${amountCents}`}}`,
    });

  /** What each of these was told, as the sentence and the field that it is about. */
  async function refusalsOf(
    door: Door,
    scene: Scene,
    amounts: readonly string[],
  ): Promise<Record<string, string>> {
    const told: Record<string, string> = {};
    for (const amount of amounts) {
      const answer = await (door === 'REST' ? payByRest(scene, amount) : payByTrpc(scene, amount));
      const { status, code, detail, fields } = refusedBy(door, answer);
      expect(detail).toBe(fields[0]?.message);
      told[amount] = `${status} ${code} ${fields[0]?.field}: ${detail}`;
    }
    return told;
  }

  test('REST refuses what is not from $10 to $10,000 in whole cents, and changes nothing', async () => {
    const scene = await openScene();
    const before = dump(scene.t.database);
    const amounts = [
      ...['9.99', '"12"', '"abc"', '1e9', '1e21', '10000.01', '-10', '0', '-0'],
      ...['true', 'false', '[]', '[12]', '{}', '{"amount": 12}', '""', '"NaN"', '1e400', '-10.5', '-12.345'],
    ];
    const expected = amounts.map((amount) => [amount, `422 invalid_input amount: ${OUT_OF_BOUNDS}`]);
    expect(await refusalsOf('REST', scene, amounts)).toEqual(Object.fromEntries(expected));
    expect(dump(scene.t.database)).toEqual(before);
  });

  test('tRPC refuses what is not from 1,000 to 1,000,000 whole cents, and changes nothing', async () => {
    const scene = await openScene();
    const before = dump(scene.t.database);
    const amounts = [
      ...['999', '"1200"', '1e11', '1000001', '-1000', '0', '9007199254740993'],
      ...['true', 'false', '[]', '[1200]', '{}', '""', '1e400'],
    ];
    const expected = amounts.map((amount) => [amount, `422 invalid_input amountCents: ${OUT_OF_BOUNDS}`]);
    expect(await refusalsOf('tRPC', scene, amounts)).toEqual(Object.fromEntries(expected));
    expect(dump(scene.t.database)).toEqual(before);
  });

  test('both doors say of an amount with more than two decimals just that, and change nothing', async () => {
    const scene = await openScene();
    const before = dump(scene.t.database);
    const dollars = [
      ...['10.005', '10.001', '12.345', '9.999999', '12.000000001', '10.299999999999999', '1e-7'],
      ...['20000.123', '1.234567e3', '12.350000000000001'],
    ];
    const told = (amounts: readonly string[], field: string) =>
      Object.fromEntries(amounts.map((amount) => [amount, `422 invalid_input ${field}: ${TOO_FINE}`]));
    expect(await refusalsOf('REST', scene, dollars)).toEqual(told(dollars, 'amount'));
    const cents = ['1000.5', '1234.5', '10.5', '999.999', '1e-7'];
    expect(await refusalsOf('tRPC', scene, cents)).toEqual(told(cents, 'amountCents'));
    expect(dump(scene.t.database)).toEqual(before);
  });

  test('both doors ask for the amount that is missing', async () => {
    const scene = await openScene();
    const before = dump(scene.t.database);
    expect(await refusalsOf('REST', scene, ['', 'null'])).toEqual({
      '': `422 invalid_input amount: ${NO_AMOUNT}`,
      null: `422 invalid_input amount: ${NO_AMOUNT}`,
    });
    // What is no number at all leaves a tRPC client as null.
    expect(await refusalsOf('tRPC', scene, ['', JSON.stringify(Number.NaN)])).toEqual({
      '': `422 invalid_input amountCents: ${NO_AMOUNT}`,
      null: `422 invalid_input amountCents: ${NO_AMOUNT}`,
    });
    expect(dump(scene.t.database)).toEqual(before);
  });

  test('REST does not take cents for dollars', async () => {
    const { t, tip, customer } = await openScene();
    for (const name of ['amount_cents', 'amountCents']) {
      const body = { receiver_qr_id: tip.receiverQrId, service_category: 'bartender', [name]: 5_000 };
      const refused = refusedBy('REST', await callRest(t, 'POST', '/transactions', body, customer));
      expect(refused).toMatchObject({ status: 422, detail: NO_AMOUNT });
    }
  });

  /** Amount, giver fee, net amount: in dollars as REST writes them, and the same in cents. */
  const ROUNDED = [
    ['10', 10, 0.5, 9.7, 1_000, 50, 970],
    ['10.00', 10, 0.5, 9.7, 1_000, 50, 970],
    ['10.01', 10.01, 0.5, 9.71, 1_001, 50, 971],
    ['10.10', 10.1, 0.51, 9.8, 1_010, 51, 980],
    ['10.5', 10.5, 0.53, 10.18, 1_050, 53, 1_018],
    ['10.50', 10.5, 0.53, 10.18, 1_050, 53, 1_018],
    ['99.99', 99.99, 5, 96.99, 9_999, 500, 9_699],
    ['1234.56', 1_234.56, 61.73, 1_197.52, 123_456, 6_173, 119_752],
    ['10000', 10_000, 500, 9_700, 1_000_000, 50_000, 970_000],
    ['1e4', 10_000, 500, 9_700, 1_000_000, 50_000, 970_000],
  ] as const;

  test('from $10 to $10,000 are tipped, with fees rounded half up to a cent, through both doors', async () => {
    const scene = await openScene();
    const { provider, customer } = scene;
    let [given, received] = [0, 0];
    for (const [written, amount, giverFee, net, amountCents, giverFeeCents, netAmountCents] of ROUNDED) {
      const answer = await payByRest(scene, written);
      expect(answer.status).toBe(201);
      expect(resultOf(answer)).toEqual({
        id: expect.stringMatching(/^txn_/),
        giver_id: customer.user.id,
        receiver_id: provider.user.id,
        amount,
        giver_fee: giverFee,
        net_amount: net,
        service_category: 'bartender',
        status: 'completed',
        created_at: '2026-05-15T12:00:00.000Z',
      });
      expect(resultOf(await payByTrpc(scene, String(amountCents)))).toEqual({
        id: expect.stringMatching(/^txn_/),
        giverId: customer.user.id,
        receiverId: provider.user.id,
        amountCents,
        giverFeeCents,
        netAmountCents,
        serviceCategory: 'bartender',
        status: 'completed',
        createdAt: '2026-05-15T12:00:00.000Z',
      });
      given += 2 * amountCents;
      received += 2 * netAmountCents;
      expect(await provider.trpc.auth.me.query()).toMatchObject({ totalTipsReceivedCents: received });
      expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: given });
    }
  });
});

test('what tRPC throws without a cause keeps its own words for the log', () => {
  const error = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: MARKER });
  const refusal = refusalOf(error);
  expect(refusal.code).toBe('internal');
  expect(refusal.message).not.toContain(MARKER);
  expect(refusal.cause).toMatchObject({ message: MARKER, cause: error });
});
