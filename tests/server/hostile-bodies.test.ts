/**
 * Bodies that no client of ours sends: too large, too deep, of another type, not JSON, not UTF-8, or aimed at
 * prototypes. Both doors refuse them alike, before a procedure runs.
 */
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import type { ErrorCode } from '#shared/errors.ts';
import {
  answerOf,
  DOORS,
  type Door,
  outcomesOf,
  PROCEDURES,
  restFields,
  trpcRequest,
} from '#tests/support/both-doors.ts';
import { codeOf } from '#tests/support/event-streams.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { beginSession } from '#tests/support/people.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const MAX_BODY_BYTES = 64 * 1024;
const LOGIN = { REST: '/api/auth/login', tRPC: '/trpc/auth.login' } as const satisfies Record<Door, string>;
const WRONG_LOGIN = '{"email":"nobody@example.com","password":"not the password"}';
/** Every way in that takes a body. */
const BODY_PATHS = [
  ...ENDPOINTS.filter(({ takes }) => takes).map(({ path, method }) => ({
    door: 'REST' as const,
    method,
    path: `/api${path}`,
  })),
  ...PROCEDURES.filter(({ type }) => type === 'mutation').map(({ path }) => ({
    door: 'tRPC' as const,
    method: 'POST',
    path: `/trpc/${path}`,
  })),
];
const METHODS = new Map(BODY_PATHS.map(({ path, method }) => [path, method]));
/** Without a body these are called as with an empty object. */
const BODY_IS_OPTIONAL = new Set(
  ENDPOINTS.filter(({ isBodyOptional }) => isBodyOptional).map(({ path }) => `/api${path}`),
);
/** These change what they are told of an object, and drop the rest of it. */
const TAKES_ANY_OBJECT: Readonly<Record<string, ErrorCode | null>> = {
  '/api/auth/me': null,
  '/trpc/auth.updateProfile': null,
  // No code has this address.
  '/api/qr-codes/:qr_code_id': 'qr_code_not_found',
  // No device has this one.
  '/api/notices/devices/:device_id': 'device_not_found',
  '/api/webhooks/:webhook_id': 'webhook_not_found',
  // Nobody gave this tip.
  '/api/transactions/:transaction_id/receipt-mail': 'transaction_not_found',
};

/** These procedures read no body, and refuse none; what they answer whatever it holds. */
const TAKES_NO_INPUT: ReadonlyMap<string, ErrorCode | null> = new Map([
  ['/trpc/auth.logout', null],
  ['/trpc/auth.endOtherSessions', null],
  ['/trpc/auth.sendConfirmation', null],
  ['/trpc/auth.passkeyOptions', null],
  ['/trpc/auth.passkeyConfirmOptions', null],
  ['/trpc/secondFactors.passkeyOptions', null],
  ['/trpc/secondFactors.beginTotp', null],
  ['/trpc/secondFactors.removeTotp', 'second_factor_not_found'],
  ['/trpc/secondFactors.renewRecoveryCodes', 'second_factor_not_found'],
  // Payments are simulated here.
  ['/trpc/payments.openDashboard', 'provider_not_payable'],
]);

/** The ways in of a door that take a body. */
const pathsOf = (door: Door) => BODY_PATHS.filter((each) => each.door === door).map(({ path }) => path);
/** Those that read it. */
const inputPathsOf = (door: Door) => pathsOf(door).filter((path) => !TAKES_NO_INPUT.has(path));

describe('a body of more than 64 KiB', () => {
  test.each(DOORS)('announced by Content-Length is refused unread everywhere behind %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    for (const path of pathsOf(door)) {
      const body = counted(chunksOf(padded(MAX_BODY_BYTES + 1)));
      const headers = { 'Content-Length': String(MAX_BODY_BYTES + 1) };
      expect(await post(t, door, path, body.stream, headers), path).toBe('body_too_large');
      expect(body.chunksRead(), path).toBeLessThanOrEqual(1);
    }
  });

  test.each(DOORS)('sent in chunks without a length is refused everywhere behind %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    for (const path of pathsOf(door)) {
      const body = counted(chunksOf(padded(MAX_BODY_BYTES + 1)));
      expect(await post(t, door, path, body.stream), path).toBe('body_too_large');
    }
  });

  test.each(DOORS)('that never ends is not read to its end through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const body = counted(endless());
    expect(await post(t, door, LOGIN[door], body.stream)).toBe('body_too_large');
    expect(body.chunksRead()).toBeLessThan(20);
  });

  test.each(DOORS)('is refused by PUT and DELETE alike through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const init = {
        method,
        body: padded(MAX_BODY_BYTES + 1),
        headers: { 'Content-Type': 'application/json' },
      };
      expect((await t.send(LOGIN[door], init)).status).toBe(413);
    }
  });
});

test.each(DOORS)('a body of exactly 64 KiB is read through %s, with a length and without', async (door) => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const body = padded(MAX_BODY_BYTES);
  const headers = { 'Content-Length': String(MAX_BODY_BYTES) };
  expect(await post(t, door, LOGIN[door], counted(chunksOf(body)).stream, headers)).toBe('wrong_credentials');
  expect(await post(t, door, LOGIN[door], counted(chunksOf(body)).stream)).toBe('wrong_credentials');
});

describe('nesting', () => {
  const BRACKETS = 30_000;
  const deepList = `${'['.repeat(BRACKETS)}${']'.repeat(BRACKETS)}`;
  const deepObject = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;

  test.each(DOORS)('30,000 deep is refused everywhere behind %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const { user } = await t.registerProvider();
    for (const path of pathsOf(door)) {
      const headers = { Authorization: `Bearer ${await beginSession(t.storage, user.email)}` };
      const withoutInput = TAKES_NO_INPUT.get(path);
      const expected = withoutInput === undefined ? 'invalid_input' : withoutInput;
      expect(await post(t, door, path, deepList, headers), path).toBe(expected);
      if (withoutInput !== undefined) continue;
      const ofObject = path in TAKES_ANY_OBJECT ? TAKES_ANY_OBJECT[path] : expected;
      expect(await post(t, door, path, deepObject, headers), path).toBe(ofObject);
      expect(await post(t, door, path, '['.repeat(BRACKETS), headers), path).toBe('malformed_json');
    }
  });

  test.each(DOORS)('within any field of a registration is refused through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const path = door === 'REST' ? '/api/auth/register' : '/trpc/auth.register';
    const provider = registration(door, 'deep', { isServiceProvider: true, serviceCategories: ['dj'] });
    for (const field of Object.keys(provider)) {
      for (const deep of [deepList, deepObject]) {
        const body = JSON.stringify({ ...provider, [field]: '@' }).replace('"@"', () => deep);
        expect(await post(t, door, path, body), field).toBe('invalid_input');
      }
    }
  });

  test.each(DOORS)('within the list that a customer has no use for is ignored through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const path = door === 'REST' ? '/api/auth/register' : '/trpc/auth.register';
    const customer = registration(door, 'shallow', { isServiceProvider: false, serviceCategories: '@' });
    const body = JSON.stringify(customer).replace('"@"', () => deepList);
    expect(await post(t, door, path, body)).toBeNull();
    expect((await t.trpc(await t.logIn('shallow@example.com')).auth.me.query()).serviceCategories).toEqual(
      [],
    );
  });

  test('in the input of a query is refused', async () => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const { path } = trpcRequest('qrCodes.lookup', `{"id":${deepList}}`);
    expect(await codeOf('tRPC', await t.send(path))).toBe('invalid_input');
  });
});

describe('a content type that is not JSON is refused with 415', () => {
  const TYPES = [
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json-patch+json',
    'application/vnd.api+json',
    'text/plain, application/json',
    'x/application/json',
    'json',
    '',
  ];
  test.each(DOORS)('everywhere behind %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const body = new TextEncoder().encode(WRONG_LOGIN);
    for (const path of pathsOf(door)) {
      for (const type of TYPES) {
        const code = await post(t, door, path, WRONG_LOGIN, { 'Content-Type': type });
        expect(code, `${path} ${type}`).toBe('not_json');
      }
      const nameless = {
        method: METHODS.get(path) ?? 'POST',
        body,
        headers: { 'Content-Length': String(body.length) },
      };
      expect(await codeOf(door, await t.send(path, nameless)), `${path} no type`).toBe('not_json');
    }
  });
});

test('a POST that needs no body may come without one, and then without a type or a length', async () => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const { token } = await t.registerProvider();
  expect((await t.rest('POST', '/auth/logout', { token })).status).toBe(204);
  expect((await t.rest('GET', '/auth/me', { token })).status).toBe(401);
});

test.each(DOORS)('JSON is JSON in any case and with any parameters of its type through %s', async (door) => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;x=y',
    'Application/JSON',
  ]) {
    expect(await post(t, door, LOGIN[door], WRONG_LOGIN, { 'Content-Type': type }), type).toBe(
      'wrong_credentials',
    );
  }
});

describe('a body that is not JSON is refused with 400', () => {
  const MALFORMED = [
    '',
    ' ',
    '{',
    '}',
    '{"email":"a@example.com",}',
    "{'email':'a@example.com'}",
    '{email:1}',
    '{} {}',
    '[1,]',
    'undefined',
    'NaN',
    '01',
    '"\\x41"',
    '"tab\there"',
    '{"email":"\0"}',
    '/* no */ {}',
    '<login/>',
    'email=a@example.com&password=x',
    '\ufeff',
    '{}\0',
  ];
  test.each(DOORS)('everywhere behind %s', async (door) => {
    await expectEverywhere(door, MALFORMED, 'malformed_json');
  });

  test.each(DOORS)('when its bytes are not UTF-8 through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const latin1 = Buffer.from('{"email":"caf\u00e9@example.com","password":"not the password"}', 'latin1');
    const overlong = Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]);
    const surrogate = Buffer.concat([
      Buffer.from('{"email":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    const utf16 = Buffer.from('\ufeff{"email":"a"}', 'utf16le');
    for (const body of [latin1, overlong, surrogate, utf16]) {
      expect(await post(t, door, LOGIN[door], body), body.toString('hex')).toBe('malformed_json');
    }
  });

  test('when it is the input of a query', async () => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    for (const input of ['{', "{'id':1}", '%zz', 'undefined']) {
      const path = `/trpc/qrCodes.lookup?input=${encodeURIComponent(input)}`;
      expect(await codeOf('tRPC', await t.send(path)), input).toBe('malformed_json');
    }
  });
});

test.each(
  DOORS,
)('a byte order mark before the JSON is skipped through %s (RFC 8259, section 8.1)', async (door) => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  expect(await post(t, door, LOGIN[door], `\ufeff${WRONG_LOGIN}`)).toBe('wrong_credentials');
});

describe('JSON that is no object is refused', () => {
  test.each(DOORS)('everywhere behind %s', async (door) => {
    const bodies = ['[]', '[{}]', '"text"', '0', '-1.5e300', 'null', 'true', 'false'];
    await expectEverywhere(door, bodies, 'invalid_input');
  });
});

describe('prototype pollution', () => {
  test.each(DOORS)('leaves every prototype as it was everywhere behind %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const { user } = await t.registerProvider();
    const before = prototypes();
    const poison = '{"polluted":true,"isServiceProvider":true,"is_service_provider":true,"toString":1}';
    const bodies = [
      `{"__proto__":${poison}}`,
      `{"constructor":{"prototype":${poison}}}`,
      `{"prototype":${poison}}`,
      `[{"__proto__":${poison}}]`,
      `{"0":{"__proto__":${poison}},"__proto__":{"0":${poison}}}`,
      `{"email":{"__proto__":${poison}},"serviceCategories":{"__proto__":[]},"service_categories":{"length":1}}`,
      '{"toString":null,"valueOf":null,"hasOwnProperty":null,"then":null,"toJSON":null}',
    ];
    for (const path of pathsOf(door)) {
      const token = await beginSession(t.storage, user.email);
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
      const method = METHODS.get(path) ?? 'POST';
      const refused = path in TAKES_ANY_OBJECT ? [200, 400, 404, 422] : [400, 401, 422];
      for (const body of bodies) {
        for (const suffix of ['', '?batch=1']) {
          const response = await t.send(`${path}${suffix}`, { method, body, headers });
          if (!TAKES_NO_INPUT.has(path)) expect(refused, path).toContain(response.status);
          outcomesOf(door, await answerOf(response));
        }
      }
      expect(prototypes(), path).toEqual(before);
    }
  });

  test.each(DOORS)('fields that are only inherited do not count through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    await t.registerCustomer();
    const fields = `"email":"cam@example.com","password":"${PASSWORD}"`;
    expect(await post(t, door, LOGIN[door], `{${fields}}`)).toBeNull();
    for (const body of [`{"__proto__":{${fields}}}`, `{"constructor":{"prototype":{${fields}}}}`]) {
      expect(await post(t, door, LOGIN[door], body)).toBe('invalid_input');
    }
  });

  test.each(DOORS)('nobody becomes a provider by __proto__ through %s', async (door) => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const path = door === 'REST' ? '/api/auth/register' : '/trpc/auth.register';
    const customer = JSON.stringify(registration(door, 'eve', { isServiceProvider: false }));
    const poison =
      '"isServiceProvider":true,"serviceCategories":["dj"],"is_service_provider":true,"service_categories":["dj"]';
    expect(await post(t, door, path, customer.replace('{', `{"__proto__":{${poison}},`))).toBeNull();
    const trpc = t.trpc(await t.logIn('eve@example.com'));
    expect(await trpc.auth.me.query()).toMatchObject({ isServiceProvider: false, serviceCategories: [] });
  });

  test('no name of a prototype is a procedure', async () => {
    const t = await createTestApp({ config: { mail: UNSENT } });
    const { token } = await t.registerProvider();
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    for (const name of [
      '__proto__',
      'auth.__proto__',
      'constructor',
      'toString',
      'auth.constructor',
      'auth.me.call',
      'hasOwnProperty',
      'auth',
      '',
    ]) {
      for (const batch of ['', '?batch=1']) {
        const path = `/trpc/${name}${batch}`;
        expect(await codeOf('tRPC', await t.send(path, { headers })), path).toBe('not_found');
        const init = { method: 'POST', headers, body: '{}' };
        expect(await codeOf('tRPC', await t.send(path, init)), path).toBe('not_found');
      }
    }
  });
});

test.each(DOORS)('the last of two equal keys counts through %s', async (door) => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  await t.registerCustomer();
  const both = (first: string, last: string) =>
    `{"email":"${first}","password":"${PASSWORD}","email":"${last}"}`;
  expect(await post(t, door, LOGIN[door], both('nobody@example.com', 'cam@example.com'))).toBeNull();
  expect(await post(t, door, LOGIN[door], both('cam@example.com', 'nobody@example.com'))).toBe(
    'wrong_credentials',
  );
});

/** Posts a body as JSON unless told otherwise, and answers with the code of the refusal, or null. */
async function post(
  t: TestApp,
  door: Door,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>> = {},
): Promise<ErrorCode | null> {
  const init: RequestInit & { duplex: 'half' } = {
    method: METHODS.get(path) ?? 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    duplex: 'half',
  };
  return codeOf(door, await t.send(path, init));
}

/** Sends each of the bodies as a provider to whatever reads one, and expects the same refusal of all. */
async function expectEverywhere(door: Door, bodies: readonly string[], code: ErrorCode) {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const { token } = await t.registerProvider();
  for (const path of inputPathsOf(door)) {
    for (const body of bodies.filter((each) => each !== '' || !BODY_IS_OPTIONAL.has(path))) {
      const refused = await post(t, door, path, body, { Authorization: `Bearer ${token}` });
      expect(refused, `${path} ${JSON.stringify(body)}`).toBe(code);
    }
  }
}

/** A login that is `bytes` long, with the blanks that JSON allows at its end. */
function padded(bytes: number): string {
  return WRONG_LOGIN.padEnd(bytes);
}

function* chunksOf(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += 8_192) yield new TextEncoder().encode(text.slice(at, at + 8_192));
}

function* endless(): Generator<Uint8Array> {
  for (;;) yield new TextEncoder().encode(' '.repeat(8_192));
}

/** A stream that knows how much of it was asked for. */
function counted(chunks: Generator<Uint8Array>) {
  let read = 0;
  const stream = new ReadableStream({
    pull(controller) {
      const { value, done } = chunks.next();
      if (done) return controller.close();
      read += 1;
      controller.enqueue(value);
    },
  });
  return { stream, chunksRead: () => read };
}

/** A registration in the words of the door. */
function registration(
  door: Door,
  username: string,
  role: { isServiceProvider: boolean; serviceCategories?: unknown },
) {
  const name = { email: `${username}@example.com`, username, fullName: 'Dee Per' };
  const person = { ...name, password: PASSWORD, phone: null, ...role };
  return door === 'REST' ? restFields(person) : person;
}

function prototypes(): unknown {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype, Promise.prototype].map(
    (prototype) =>
      Reflect.ownKeys(prototype).map((key) => [key, Reflect.getOwnPropertyDescriptor(prototype, key)]),
  );
}
