/**
 * The API description is as strict as the server: what fits its schemas is never refused as invalid, and what
 * breaks a single keyword of them always is. Bodies and parameters are drawn by a generator that knows the
 * document only.
 */
import type { ErrorObject } from 'ajv';
import fc from 'fast-check';
import { generateSync } from 'json-schema-faker';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  createValidator,
  type Description,
  describedApp,
  expectDescribed,
  type Operation,
  operationsOf,
  resolved,
  type Schema,
  type Validate,
} from '#tests/support/api-description.ts';
import { answerOf } from '#tests/support/both-doors.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { PASSWORD, type RestAnswer, type TestApp } from '#tests/support/test-app.ts';

/**
 * What only the server can know of a value that is well formed, or what takes properties of characters that
 * validators do not know: the messages by which it may be refused nevertheless.
 */
const ONLY_THE_SERVER_KNOWS: ReadonlySet<string> = new Set([
  'This username is reserved.',
  'Full name has characters that cannot be shown.',
  'Full name needs a letter, a digit or an emoji.',
  'This password is too easy to guess. Use a few unrelated words, without names or years.',
  'Password must not be your email or your username.',
  'The cursor is not valid.',
  'Enter an https address on port 443, under a name of the public internet and with a path, such as https://example.com/tips.',
  'You can have 5 webhooks. Remove one first.',
  'You have no event with this id, or not any more. Leave it out to begin at the first one.',
  'Display name has characters that cannot be shown.',
  'Display name needs a letter, a digit or an emoji.',
  'The greeting has characters that cannot be shown.',
  'Current password is required.',
  'A service provider cannot become a customer.',
  'The time zone is unknown.',
  'Please type the word close.',
  'The last day must not be before the first.',
  'The period may have up to 400 days.',
  'The period may have up to ten years.',
  'The name has characters that cannot be shown.',
  'The name needs a letter, a digit or an emoji.',
]);

const REFUSED_AS_INVALID = /^(?:invalid_input|malformed_\w+|not_json|body_too_large)$/;

/**
 * Of each operation, and more by `npm run soak -- fuzz`; what is drawn goes by remainders of the seed by 2, 3
 * and 4 and by the branches of a body.
 */
const DRAWS = Number(process.env['DESCRIPTION_DRAWS'] ?? 12);

const whoIs = z.object({ email: z.string(), username: z.string() });
const fieldErrors = z.array(z.object({ field: z.string(), message: z.string() }));

const validator = createValidator();

test('what fits the description is never refused as invalid, whatever else is in the way', async () => {
  const { t, document, validate } = await describedApp();
  const scene = await openScene(t);
  const statuses = new Set<string>();
  for (const { method, path, operation } of operationsOf(document)) {
    const route = `${method} ${path}`;
    for (const { parameters, body } of requestsFor(document, operation)) {
      const answer = await send(scene, { document, validate }, route, parameters, await body(scene));
      if (REFUSED_AS_INVALID.test(answer.body?.code ?? '')) {
        const told = fieldErrors.parse(answer.body.errors).map(({ message }) => message);
        const unforeseen = told.filter((message) => !ONLY_THE_SERVER_KNOWS.has(message));
        expect(unforeseen, `${route} ${JSON.stringify([parameters, await body(scene)])}`).toEqual([]);
      }
      statuses.add(`${route} ${answer.status}`);
    }
  }
  expect([...statuses].filter((status) => status.endsWith(' 401'))).toEqual(['POST /auth/login 401']);
  // Some draws must reach a success.
  for (const route of ['POST /auth/register 201', 'POST /transactions 201', 'GET /transactions 200'])
    expect([...statuses]).toContain(route);
});

test('what breaks one keyword of the description is refused, for every keyword of every body', async () => {
  const { t, document, validate } = await describedApp();
  const scene = await openScene(t);
  for (const { method, path, operation } of operationsOf(document)) {
    const route = `${method} ${path}`;
    const whole = bodySchemaOf(document, operation);
    if (!whole) continue;
    for (const branch of branchesOf(whole)) {
      const unbroken = new Set(keywordsOf(branch));
      const right = await fittingBody(scene, branch);
      for (const { body, keyword } of brokenBodies(branch, right)) {
        if (validator.validate(whole, body) || validator.validate(whole, trimmed(body))) continue;
        unbroken.delete(keyword);
        const answer = await send(scene, { document, validate }, route, {}, body);
        expect(
          answer.status,
          `${route} took what breaks ${keyword}: ${JSON.stringify(body)}`,
        ).toBeGreaterThan(399);
        expect(answer.status).toBeLessThan(500);
      }
      expect([...unbroken], `${route}: never broken`).toEqual([]);
    }
  }
});

test('what breaks the description of a parameter is refused', async () => {
  const { t, document, validate } = await describedApp();
  const scene = await openScene(t);
  const broken = new Set<string>();
  for (const { method, path, operation } of operationsOf(document)) {
    for (const { name, in: place, schema } of operation.parameters ?? []) {
      for (const text of [
        '0',
        '-1',
        '201',
        '1.5',
        'x',
        '%20',
        '!',
        'x'.repeat(300),
        'ü',
        'UUUUU-UUUUU',
        'a b',
      ]) {
        const isNumber = schema['type'] === 'integer' && /^-?[\d.]+$/.test(text);
        if (validator.validate(schema, isNumber ? Number(text) : text)) continue;
        if (place === 'header' && /[^\x20-\x7e]/.test(text)) continue;
        const others =
          method === 'POST' ? await fittingBody(scene, bodySchemaOf(document, operation) ?? {}) : undefined;
        const answer = await send(
          scene,
          { document, validate },
          `${method} ${path}`,
          { [name]: text },
          others,
        );
        expect(answer.status, `${method} ${path} took ${name}: ${text}`).toBeGreaterThan(399);
        broken.add(name);
      }
    }
  }
  expect([...broken].sort()).toEqual([
    'Idempotency-Key',
    'after',
    'api_key_id',
    'cursor',
    'day_start_hour',
    'device_id',
    'direction',
    'event_id',
    'file',
    'for',
    'from',
    'giver_id',
    'granularity',
    'ink',
    'limit',
    'only',
    'paper',
    'passkey_id',
    'qr_code_id',
    'service_category',
    'session_id',
    'size',
    'time_zone',
    'tips_from',
    'tips_to',
    'to',
    'transaction_id',
    'username',
    'webhook_id',
  ]);
});

interface Scene {
  readonly t: TestApp;
  /** Of a session that lives. */
  token: string;
  /** Those of whoever asks, which their own requests may change. */
  email: string;
  username: string;
  readonly code: string;
  /** Of the password that the account has at first. */
  readonly passwordHash: string;
}

/** Whoever asks provides all services and has tipped somebody, so that much of what is drawn succeeds. */
async function openScene(t: TestApp): Promise<Scene> {
  const { provider, code } = await t.setTheScene();
  const { token, trpc } = await t.registerProvider('drawn', ['dj', 'bartender']);
  for (const amountCents of [1_000, 2_000, 3_000])
    await trpc.transactions.create.mutate({
      amountCents,
      receiverQrId: code.id,
      serviceCategory: 'bartender',
    });
  expect(provider.token).not.toBe(token);
  const { passwordHash = '' } = (await t.storage.findCredentials('drawn@example.com')) ?? {};
  const me = { email: 'drawn@example.com', username: 'drawn' };
  return { t, token, ...me, code: code.id, passwordHash };
}

async function send(
  scene: Scene,
  description: { readonly document: Description; readonly validate: Validate },
  route: string,
  parameters: Readonly<Record<string, unknown>>,
  body: unknown,
): Promise<RestAnswer> {
  const { t, token } = scene;
  const [method = '', path = ''] = route.split(' ');
  const documented = description.document.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
  const given = (place: string) =>
    documented.flatMap(({ name, in: where }) =>
      where === place && parameters[name] !== undefined ? [[name, String(parameters[name])] as const] : [],
    );
  let at = path
    .replace('{session_id}', 'ses_unknown')
    .replace('{transaction_id}', 'unknown')
    .replace('{device_id}', 'unknown')
    .replace('{webhook_id}', 'unknown')
    .replace('{event_id}', 'unknown')
    .replace('{api_key_id}', 'unknown')
    .replace('{qr_code_id}', 'unknown');
  for (const [name, value] of given('path')) at = path.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(given('query').map(([name, value]) => [name, value]));
  const headers = Object.fromEntries(given('header'));
  // Logging out, or everybody else out, would end the scene.
  const isFarewell = route === 'POST /auth/logout';
  const answer =
    path === '/transactions/stream'
      ? await firstOfStream(t, token, headers)
      : await t.rest(method, query.size === 0 ? at : `${at}?${query}`, {
          token: isFarewell ? await t.logIn(scene.email) : token,
          headers,
          ...(body !== undefined && { body }),
        });
  if (answer.body !== STREAM) expectDescribed(description, route, answer);
  // A new password ends the session that it was changed in, and begins another.
  if (path === '/auth/password' && answer.status === 200) {
    scene.token = answer.body.access_token;
    // The next request has the first token.
    await t.data.setPasswordHash(scene.username, scene.passwordHash);
  }
  // Closing ends every session, and the next login takes it back.
  if (path === '/auth/me/closing' && answer.status === 200) scene.token = await t.logIn(scene.email);
  if (path === '/auth/me' && answer.status === 200) Object.assign(scene, whoIs.parse(answer.body));
  return answer;
}

const STREAM = Symbol('a stream');

async function firstOfStream(
  t: TestApp,
  token: string,
  headers: Readonly<Record<string, string>>,
): Promise<RestAnswer> {
  const stream = await openStream(t.send, 'REST', { token, headers });
  const { status, headers: answered } = stream.response;
  if (status !== 200) {
    const answer = await answerOf(stream.response);
    return { ...answer, body: JSON.parse(answer.text) };
  }
  await stream.close();
  return { status, headers: answered, text: '', body: STREAM };
}

/** So many requests that fit, drawn anew each time in the same order. */
function requestsFor(document: Description, operation: Operation) {
  const parameters = resolved(document, operation.parameters ?? []);
  const schema = bodySchemaOf(document, operation);
  if (!schema && parameters.length === 0) return [{ parameters: {}, body: async () => undefined }];
  const branches = schema ? branchesOf(schema) : [];
  return Array.from({ length: DRAWS }, (_, seed) => {
    const drawn = parameters
      .filter(({ in: place, required }) => place === 'path' || required || seed % 3 > 0)
      .map(({ name, schema }) => [name, draw(schema, seed)]);
    const branch = branches[seed % Math.max(branches.length, 1)];
    return {
      parameters: Object.fromEntries(drawn),
      body: async (scene: Scene) => (branch ? realistic(scene, draw(branch, seed), seed) : undefined),
    };
  });
}

/** A value that fits, by the seed; every other one with texts that no keyboard has. */
function draw(schema: Schema, seed: number): unknown {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const drawn = generateSync(structuredClone(schema), {
      seed: seed * 50 + attempt,
      optionalsProbability: 0.6,
    });
    const value = toTheCent(drawn);
    if (!validator.validate(schema, value)) continue;
    return seed % 2 === 0 ? value : withOddTexts(schema, value, seed);
  }
  throw new Error(`nothing fits ${JSON.stringify(schema)}`);
}

/** The description cannot say by a keyword how many decimals an amount has. */
function toTheCent(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 100) / 100;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, toTheCent(content)]));
}

/**
 * With each text replaced by one in any script, where the schema lets it and normalisation leaves it as it
 * is.
 */
function withOddTexts(schema: Schema, value: unknown, seed: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const texts = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { seed, numRuns: 8 });
  let odd: object = value;
  for (const [index, [name, content]] of Object.entries(value).entries()) {
    const text = texts[index % texts.length] ?? '';
    if (typeof content !== 'string' || text !== text.normalize('NFKC')) continue;
    const candidate = { ...odd, [name]: text };
    if (validator.validate(schema, candidate)) odd = candidate;
  }
  return odd;
}

/** With what is there in the scene, in place of every other draw, so that requests get past their fields. */
function realistic({ code }: Scene, body: unknown, seed: number): unknown {
  if (typeof body !== 'object' || body === null || seed % 4 > 1) return body;
  return {
    ...body,
    ...('endpoint' in body && newDevice()),
    ...('receiver_qr_id' in body && { receiver_qr_id: code, service_category: 'bartender' }),
    ...('addresses' in body && { addresses: ['192.0.2.0/24'] }),
    ...('current_password' in body && { current_password: PASSWORD, new_password: `${PASSWORD} staple` }),
  };
}

async function fittingBody(scene: Scene, schema: Schema): Promise<unknown> {
  const body = realistic(scene, draw(schema, 0), 0);
  expect(validator.validate(schema, body)).toBe(true);
  return body;
}

/** Spaces around a text do not count. */
function trimmed(body: unknown): unknown {
  if (!isSchema(body)) return body;
  const entries = Object.entries(body);
  return Object.fromEntries(
    entries.map(([name, content]) => [name, typeof content === 'string' ? content.trim() : content]),
  );
}

interface Broken {
  readonly body: unknown;
  /** Where the schema is broken, and by which keyword alone. */
  readonly keyword: string;
}

/** Bodies that break the schema in one place by one keyword. */
function brokenBodies(schema: Schema, right: unknown): Broken[] {
  if (typeof right !== 'object' || right === null) return [];
  const fields = Object.keys(propertiesOf(schema));
  const candidates: unknown[] = fields.flatMap((field) => {
    const { [field]: content, ...others } = right as Record<string, unknown>;
    return [others, ...wrongValues(content).map((wrong) => ({ ...others, [field]: wrong }))];
  });
  candidates.push([], null, 'text', 1, { ...right, no_such_field: 1 });
  return candidates.flatMap((body) => {
    if (validator.validate(schema, body)) return [];
    const errors = validator.errors ?? [];
    const isValueWrong = (path: string) =>
      errors.some(({ instancePath, keyword }) => instancePath === path && /^(?:const|enum)$/.test(keyword));
    // Beside an enumeration or a constant, the type says nothing more.
    const telling = errors.filter(
      ({ instancePath, keyword }) => keyword !== 'type' || !isValueWrong(instancePath),
    );
    const broken = new Set(telling.map(keywordOf));
    const [keyword = ''] = broken;
    return broken.size === 1 ? [{ body, keyword }] : [];
  });
}

function wrongValues(right: unknown): unknown[] {
  const text = typeof right === 'string' ? right : 'abc';
  return [
    null,
    true,
    false,
    0,
    1,
    -1,
    9.99,
    12.345,
    10_000.01,
    1e300,
    {},
    [],
    [right, 'nothing'],
    'x',
    '',
    ' ',
    text.slice(0, 2),
    text.slice(0, 7),
    `${text}\u0000`,
    `${text}\u202e`,
    `${text}!`,
    `.${text}`,
    '   \t    ',
    ...[30, 60, 80, 256, 300, 600, 2_000, 17_000].map((length) => text + 'a'.repeat(length)),
    '1'.repeat(21),
    `1234567${'-'.repeat(40)}`,
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.at`,
    Array.from({ length: 101 }, () => 'dj'),
    Array.from({ length: 101 }, () => (Array.isArray(right) ? right[0] : 'dj')),
    '@',
    'U'.repeat(10),
    '!!!',
    'a!b@example.com',
    `0123456789${'-'.repeat(60)}`,
  ];
}

/** Such as `amount minimum`. */
function keywordOf({ instancePath, keyword, params }: ErrorObject): string {
  const field = instancePath.split('/')[1];
  if (keyword === 'required') return `${params['missingProperty']} required`;
  return field === undefined ? keyword : `${field} ${keyword}`;
}

/** All keywords of a body that can be broken, each as `keywordOf` names it. */
function keywordsOf(schema: Schema): string[] {
  const bounds = /^(?:type|const|enum|pattern|m(?:in|ax)(?:Length|Items|imum)|multipleOf)$/;
  return [
    'type',
    ...z
      .array(z.string())
      .parse(schema['required'] ?? [])
      .map((field) => `${field} required`),
    ...Object.entries(propertiesOf(schema)).flatMap(([field, property]) =>
      Object.keys(property)
        .filter((keyword) => bounds.test(keyword))
        .filter((keyword) => keyword !== 'type' || !('enum' in property || 'const' in property))
        .map((keyword) => `${field} ${keyword}`),
    ),
  ];
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return z.record(z.string(), z.record(z.string(), z.unknown())).parse(schema['properties'] ?? {});
}

/** One for each operation, because the validator compiles each object that it gets. */
const bodySchemas = new WeakMap<Operation, Schema | null>();

function bodySchemaOf(document: Description, operation: Operation): Schema | null {
  const known = bodySchemas.get(operation);
  if (known !== undefined) return known;
  const schema = operation.requestBody?.content['application/json']?.schema;
  const plain = schema ? withPlainNulls(resolved(document, schema)) : null;
  bodySchemas.set(operation, plain);
  return plain;
}

/** With `anyOf` a text and null written as one schema of both types, which says the same. */
function withPlainNulls(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([key, content]) => {
    if (Array.isArray(content))
      return [key, content.map((item) => (isSchema(item) ? withPlainNulls(item) : item))];
    return [key, isSchema(content) ? withPlainNulls(content) : content];
  });
  const { anyOf, ...others }: Schema = Object.fromEntries(entries);
  const [text, nothing] = Array.isArray(anyOf) ? anyOf : [];
  if (nothing?.type === 'null') return { ...others, ...text, type: [text.type, 'null'] };
  return anyOf === undefined ? others : { ...others, anyOf };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The ways in which a body may fit. */
function branchesOf(schema: Schema): readonly Schema[] {
  const branches = schema['oneOf'] ?? schema['anyOf'];
  return branches === undefined ? [schema] : z.array(z.record(z.string(), z.unknown())).parse(branches);
}
