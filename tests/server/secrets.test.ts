/**
 * What must stay secret stays secret: the whole product is run through both doors with marked passwords,
 * tokens and people, well and badly, and then every place is searched in which a mark must not be.
 */
import { expect, test } from 'vitest';
import { REFUSALS } from '#shared/refusals.ts';
import {
  type Answer,
  callRest,
  callTrpc,
  callTrpcBatch,
  DOORS,
  logInThrough,
  resultOf,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

/** Found neither in a column, nor in the log, nor in a refusal. */
const PASSWORDS = {
  provider: 'mark-pw-provider-9d1f',
  customer: 'mark-pw-customer-77ab',
  wrong: 'mark-pw-wrong-guess-5521',
  refused: 'mark-pw-refused-0c3e',
};

/**
 * Found in their columns, and in the answers to whom they belong, but neither in the log nor in a refusal.
 */
const PERSONAL = {
  providerEmail: 'mark-mail-provider@example.com',
  providerName: 'Mark Name Provider',
  providerUsername: 'mark-user-provider',
  providerPhone: '+1 555 987 65 43',
  customerEmail: 'mark-mail-customer@example.com',
  customerName: 'Mark Name Customer',
  customerUsername: 'mark-user-customer',
  customerPhone: '+1 555 123 98 76',
  strangerEmail: 'mark-mail-stranger@example.com',
};

const PROVIDER = {
  email: PERSONAL.providerEmail,
  username: PERSONAL.providerUsername,
  fullName: PERSONAL.providerName,
  phone: PERSONAL.providerPhone,
  password: PASSWORDS.provider,
  isServiceProvider: true,
  serviceCategories: ['bartender'],
};
const CUSTOMER = {
  email: PERSONAL.customerEmail,
  username: PERSONAL.customerUsername,
  full_name: PERSONAL.customerName,
  phone: PERSONAL.customerPhone,
  password: PASSWORDS.customer,
  is_service_provider: false,
};

/**
 * Runs everything that can be done, keeps whatever was refused, and returns the tokens that were given out.
 */
async function runTheProduct(t: TestApp) {
  const refusals: Answer[] = [];
  const kept = (answer: Answer) => {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    refusals.push(answer);
  };
  const tokens: string[] = [];
  const logIn = async (email: string, password: string) => {
    let newest = '';
    for (const door of DOORS) {
      const login: object = Object(resultOf(await logInThrough(door, t, email, password)));
      newest = String(Reflect.get(login, 'access_token') ?? Reflect.get(login, 'accessToken'));
      tokens.push(newest);
    }
    return { token: newest };
  };

  resultOf(await callTrpc(t, 'auth.register', PROVIDER));
  resultOf(await callRest(t, 'POST', '/auth/register', CUSTOMER));
  const provider = await logIn(PERSONAL.providerEmail, PASSWORDS.provider);
  const customer = await logIn(PERSONAL.customerEmail, PASSWORDS.customer);

  const code: object = Object(
    resultOf(await callTrpc(t, 'qrCodes.create', { serviceCategory: 'bartender' }, provider)),
  );
  const receiverQrId = String(Reflect.get(code, 'id'));
  const tip = { receiverQrId, amountCents: 2_000, serviceCategory: 'bartender' };
  for (const door of DOORS) resultOf(await tipThrough(door, t, tip, customer));
  for (const { token } of [provider, customer]) {
    for (const path of ['/auth/me', '/qr-codes', '/transactions', `/qr-codes/${receiverQrId}`]) {
      resultOf(await callRest(t, 'GET', path, undefined, { token }));
    }
    resultOf(await callTrpc(t, 'auth.me', undefined, { token }));
    resultOf(await callTrpc(t, 'transactions.summary', { timeZone: 'UTC' }, { token }));
  }

  const marked = { ...PROVIDER, password: PASSWORDS.refused };
  const markedRest = { ...CUSTOMER, password: PASSWORDS.refused };
  for (const door of DOORS) {
    kept(await logInThrough(door, t, PERSONAL.customerEmail, PASSWORDS.wrong));
    kept(await logInThrough(door, t, PERSONAL.strangerEmail, PASSWORDS.wrong));
    kept(await tipThrough(door, t, { ...tip, amountCents: 1 }, customer));
    kept(await tipThrough(door, t, tip, provider));
  }
  // Names that are taken; fields that are wrong beside fields that are marked; a secret where none is
  // expected.
  kept(await callTrpc(t, 'auth.register', marked));
  kept(await callRest(t, 'POST', '/auth/register', markedRest));
  kept(await callTrpc(t, 'auth.register', { ...marked, email: 'fresh@example.com' }));
  kept(await callRest(t, 'POST', '/auth/register', { ...markedRest, email: 'fresh@example.com' }));
  for (const [field, restField] of [
    ['email', 'email'],
    ['username', 'username'],
    ['fullName', 'full_name'],
    ['phone', 'phone'],
    ['password', 'password'],
  ] as const) {
    for (const wrong of [
      `${PASSWORDS.refused}\u202e`.repeat(20),
      { [PASSWORDS.refused]: PASSWORDS.refused },
      7,
    ]) {
      kept(await callTrpc(t, 'auth.register', { ...marked, [field]: wrong }));
      kept(await callRest(t, 'POST', '/auth/register', { ...markedRest, [restField]: wrong }));
    }
  }
  kept(
    await callTrpc(t, 'auth.register', {
      ...marked,
      email: PASSWORDS.refused,
      serviceCategories: [PASSWORDS.refused],
      isServiceProvider: true,
    }),
  );
  kept(await callTrpc(t, 'auth.register', { ...marked, password: PERSONAL.providerEmail }));
  kept(
    await callTrpc(t, 'transactions.list', { cursor: PASSWORDS.refused, limit: PASSWORDS.refused }, customer),
  );
  kept(await callTrpc(t, 'transactions.summary', { timeZone: PASSWORDS.refused }, customer));
  kept(await callRest(t, 'GET', `/transactions?limit=1&cursor=${PASSWORDS.refused}`, undefined, customer));
  kept(await callRest(t, 'POST', '/qr-codes', { service_category: PASSWORDS.refused }, provider));
  // Broken JSON: the parser quotes all of what is short, and some of what is long.
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const long = `{"email": "${PERSONAL.customerEmail}", "password": "${PASSWORDS.refused}" oops`;
  for (const body of [PASSWORDS.refused, PERSONAL.customerEmail, long]) {
    kept(await callRest(t, 'POST', '/auth/login', body));
    for (const procedure of ['auth.login', 'auth.register']) {
      const response = await t.send(`/trpc/${procedure}`, { ...init, body });
      kept({ status: response.status, headers: response.headers, text: await response.text() });
    }
  }
  const tooMany = Array.from(
    { length: 11 },
    () => ['auth.login', { email: PERSONAL.customerEmail, password: PASSWORDS.wrong }] as const,
  );
  kept(await callTrpcBatch(t, tooMany));
  // Secrets in an address, where they do not belong: the log must not take them along.
  const leaked = encodeURIComponent(`${PERSONAL.customerEmail} ${PASSWORDS.refused} ${customer.token}`);
  kept(await callRest(t, 'GET', `/nowhere/${leaked}?token=${customer.token}`));
  kept(await callRest(t, 'GET', `/qr-codes/${leaked}?password=${PASSWORDS.refused}`));
  kept(await callRest(t, 'PUT', `/transactions?token=${customer.token}`));
  // tRPC tells its caller which path they called; the log shall not be told.
  await t.send(`/trpc/${PASSWORDS.refused}?token=${customer.token}`);
  await t.send(`/trpc/auth.login,${PASSWORDS.refused}?batch=1`, { ...init, body: long });
  await t.send(`/${leaked}`);
  kept(await callRest(t, 'GET', '/auth/me', undefined, { token: `${customer.token}x` }));

  // Storage that fails: before a statement, in SQLite itself, and for as long as the file is read-only.
  await t.data.setFault('the disk caught fire');
  for (const door of DOORS) {
    kept(await logInThrough(door, t, PERSONAL.customerEmail, PASSWORDS.customer));
    kept(await tipThrough(door, t, tip, customer));
  }
  kept(
    await callTrpc(t, 'auth.register', { ...marked, email: PERSONAL.strangerEmail, username: 'stranger' }),
  );
  await t.data.setFault(null);
  const mend = [await t.data.failInserts('accounts'), await t.data.failInserts('sessions')];
  kept(
    await callTrpc(t, 'auth.register', { ...marked, email: PERSONAL.strangerEmail, username: 'stranger' }),
  );
  for (const door of DOORS) kept(await logInThrough(door, t, PERSONAL.customerEmail, PASSWORDS.customer));
  for (const undo of mend) await undo();
  await t.data.setReadOnly(true);
  for (const door of DOORS) kept(await logInThrough(door, t, PERSONAL.customerEmail, PASSWORDS.customer));
  kept(
    await callTrpc(t, 'auth.register', { ...marked, email: PERSONAL.strangerEmail, username: 'stranger' }),
  );
  await t.data.setReadOnly(false);

  resultOf(await callRest(t, 'POST', '/auth/logout', {}, customer));
  kept(await callTrpc(t, 'auth.me', undefined, customer));
  return { refusals, tokens };
}

/** Spellings in which a secret could hide. */
const spellings = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(secret).toString('hex'),
];

function expectNone(place: string, secrets: readonly string[]): void {
  const lower = place.toLowerCase();
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      const at = lower.indexOf(spelling.toLowerCase());
      expect(at < 0 ? '' : place.slice(Math.max(0, at - 80), at + 80), `found ${spelling}`).toBe('');
    }
  }
}

async function runWithEyesOpen() {
  const t = await createTestApp();
  const { refusals, tokens } = await runTheProduct(t);
  return { t, refusals, tokens };
}

test('passwords, tokens and people stay where they belong, whatever happens', async () => {
  const { t, refusals, tokens } = await runWithEyesOpen();
  const secrets = [...Object.values(PASSWORDS), ...tokens];
  expect(tokens).toHaveLength(4);
  expect(refusals.length).toBeGreaterThan(50);

  // The search finds what is there: people in the database, the fault in the log.
  const database = JSON.stringify(await t.data.dump());
  const log = t.logLines.join('');
  for (const mark of [PERSONAL.providerEmail, PERSONAL.customerName, PERSONAL.customerPhone]) {
    expect(database).toContain(mark);
  }
  expect(log).toContain('the disk caught fire');
  expect(log).toContain('storage unavailable');

  expectNone(database, secrets);
  expectNone(log, [...secrets, ...Object.values(PERSONAL)]);
  for (const { text, headers } of refusals) {
    expectNone(text + JSON.stringify([...headers]), [...secrets, ...Object.values(PERSONAL)]);
  }
  // Hashes are for the database alone.
  for (const place of [log, ...refusals.map(({ text }) => text)]) expect(place).not.toContain('$argon2');
});

test('nothing from inside leaves with a fault: no path, no SQL, no stack', async () => {
  const { refusals } = await runWithEyesOpen();
  const faults = refusals.filter(({ status }) => status >= 500);
  expect(faults.length).toBeGreaterThanOrEqual(8);
  for (const { text } of refusals) {
    expect(text).not.toMatch(
      /the disk caught fire|\bat .*\.(?:ts|js)\b|node_modules|sqlite|SELECT \w+ FROM|INSERT INTO|"stack"/i,
    );
  }
  for (const { text, status } of faults) {
    const { internal, storage_unavailable } = REFUSALS;
    expect(text).toContain(status === 500 ? internal.detail : storage_unavailable.detail);
  }
});

test('an answer with a token or a person in it is never stored on the way', async () => {
  const t = await createTestApp();
  const { customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' };
  const answers = {
    'REST login': await logInThrough('REST', t, 'cam@example.com', PASSWORD),
    'tRPC login': await logInThrough('tRPC', t, 'cam@example.com', PASSWORD),
    'REST me': await callRest(t, 'GET', '/auth/me', undefined, customer),
    'tRPC me': await callTrpc(t, 'auth.me', undefined, customer),
    'REST tip': await tipThrough('REST', t, tip, customer),
    'tRPC tip': await tipThrough('tRPC', t, tip, customer),
    'REST look-up': await callRest(t, 'GET', `/qr-codes/${code.id}`),
    'tRPC look-up': await callTrpc(t, 'qrCodes.lookup', { id: code.id }),
    'tRPC batch': await callTrpcBatch(t, [['transactions.create', tip]], customer),
    'REST refusal': await logInThrough('REST', t, 'cam@example.com', PASSWORDS.wrong),
    'tRPC refusal': await logInThrough('tRPC', t, 'cam@example.com', PASSWORDS.wrong),
  };
  const caching = Object.entries(answers).map(([name, { headers }]) => [name, headers.get('Cache-Control')]);
  expect(Object.fromEntries(caching)).toEqual(
    Object.fromEntries(Object.keys(answers).map((name) => [name, 'no-store'])),
  );
});
