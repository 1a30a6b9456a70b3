/**
 * The API description is the truth: a valid OpenAPI 3.1 document of exactly the routes that are served, whose
 * examples and schemas fit what the running product really takes and answers, and a page that shows it.
 */
import { createHook } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { newApiKeyText } from '#server/auth/api-key-text.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { eventIdFrom, eventIdOf, newTransactionId } from '#shared/ids.ts';
import { cents, decimalFromCents } from '#shared/money.ts';
import { REFUSALS } from '#shared/refusals.ts';
import {
  createValidator,
  describedApp,
  examplesOf,
  expectDescribed,
  mediaTypesOf,
  type Operation,
  operationsOf,
  pointerOf,
  problemExamples,
  resolved,
  rowName,
  type Schema,
} from '#tests/support/api-description.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { eventsOf } from '#tests/support/event-streams.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { runEverything } from '#tests/support/whole-product.ts';

test('the description is a valid OpenAPI 3.1 document', async () => {
  const { document } = await describedApp();
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(document['openapi']).toMatch(/^3\.1\./);
  expect(document.servers).toEqual([{ url: `${PUBLIC_URL}/api` }]);
});

test('the description has every route of the table, and only those', async () => {
  const { document } = await describedApp();
  const described = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(ENDPOINTS.map(rowName).sort());
  const ids = operationsOf(document).map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a route takes each parameter that the description gives it, and knows none that other routes take', async () => {
  const { t, document } = await describedApp();
  const { token } = await t.registerProvider();
  const namesIn = (operation: Operation, place: string) =>
    (operation.parameters ?? []).filter((each) => each.in === place).map(({ name }) => name);
  const operations = operationsOf(document);
  const taken = ENDPOINTS.flatMap(({ parameters = [] }) => parameters);
  const all = new Set(taken.filter((each) => each.in === 'query').map(({ name }) => name));
  expect(all.size).toBeGreaterThan(5);
  for (const { method, path, operation } of operations) {
    const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(namesIn(operation, 'path'), `${method} ${path}`).toEqual(ofPath);
    const known: string[] = [];
    for (const name of all) {
      const answer = await t.send(`/api${path}?${name}=%21`, {
        method,
        headers: { Authorization: `Bearer ${token}` },
      });
      if (!(await answer.text()).includes(`There is no parameter \`${name}\``)) known.push(name);
    }
    expect(known.sort(), `${method} ${path}`).toEqual(namesIn(operation, 'query').sort());
  }
});

/**
 * What guests may ask as well, each with what stands for a session where the operator takes tips of theirs.
 */
const OF_GUESTS = [
  'POST /transactions',
  'GET /transactions/{transaction_id}',
  'POST /transactions/{transaction_id}/refund',
  'POST /transactions/{transaction_id}/cancel',
  'POST /transactions/{transaction_id}/receipt-mail',
];

test('the description keeps to what linters and generators ask of one', async () => {
  const { document } = await describedApp();
  const tags = z.array(z.object({ name: z.string() })).parse(document['tags']);
  const used = new Set(operationsOf(document).flatMap(({ operation }) => operation.tags));
  expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  for (const { method, path, operation } of operationsOf(document)) {
    const names = (operation.parameters ?? []).filter((each) => each.in !== 'header').map(({ name }) => name);
    for (const name of names) expect(name, `${method} ${path}`).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
    // Types that are generated demand what has a default, in what is sent as well.
    const body = operation.requestBody?.content['application/json'];
    if (body) expect(JSON.stringify(resolved(document, body.schema)), path).not.toContain('"default"');
  }
  for (const pattern of patternsIn(document)) {
    // A regular expression in a program has no line separators, as which generators write these.
    expect(pattern).not.toMatch(/\\u202[89]|\\u000[ad]|\\p\{|\(\?<|\(\?[a-z]/i);
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
  }
});

test('what an answer varies by is described also where pages of other origins may call', async () => {
  const described = await describedApp();
  const t = await createTestApp({ config: { corsOrigins: ['https://till.example'] } });
  const { provider } = await t.setTheScene();
  const headers = { Origin: 'https://till.example' };
  for (const path of ['/transactions', '/auth/me', '/qr-codes']) {
    const answer = await t.rest('GET', path, { ...provider, headers });
    expect(answer.headers.get('Vary')).toContain('Origin');
    expectDescribed(described, `GET ${path}`, answer);
    expectDescribed(described, `GET ${path}`, await t.rest('GET', path, { headers }));
  }
});

test('what an API key is told of its limit is described also where none may call', async () => {
  const described = await describedApp();
  const t = await createTestApp({ config: { isRateLimited: true } });
  const { provider } = await t.setTheScene();
  const { text } = await provider.trpc.apiKeys.create.mutate({ name: 'Till', scopes: ['tips:read'] });
  const statuses = new Set<number>();
  for (const token of [text, ...Array.from({ length: 31 }, () => newApiKeyText(randomBytes))]) {
    const answer = await t.rest('GET', '/auth/me', { token });
    expectDescribed(described, 'GET /auth/me', answer);
    statuses.add(answer.status);
  }
  expect([...statuses]).toEqual([403, 401, 429]);
});

test('the description asks for a token exactly where the product does', async () => {
  const { t, document } = await describedApp();
  for (const { method, path, operation } of operationsOf(document)) {
    const { status } = await t.rest(method, path.replace('{qr_code_id}', '7K3MX9Q2AB'), {
      ...((method === 'POST' || method === 'PATCH') && { body: {} }),
    });
    const route = `${method} ${path}`;
    const { scope } = ENDPOINTS.find((each) => rowName(each) === route) ?? {};
    const isKey = (way: unknown) => Object.hasOwn(Object(way), 'apiKey');
    const security = operation.security ?? [];
    expect(security.filter(isKey), route).toEqual(scope === undefined ? [] : [{ apiKey: [scope] }]);
    const others = security.filter((way) => !isKey(way));
    const isForGuests = others.length === 2;
    if (!isForGuests) expect([[], [{ bearer: [] }]]).toContainEqual(others);
    else expect(others).toEqual([{ bearer: [] }, {}]);
    expect(isForGuests, route).toBe(OF_GUESTS.includes(route));
    const isOpen = operation.security?.length === 0;
    expect(status === 401, route).toBe(!isOpen);
    expect(Object.hasOwn(operation.responses, '401') || isOpen).toBe(true);
  }
});

test('the description explains every operation, parameter, answer and property', async () => {
  const { document } = await describedApp();
  const unexplained: string[] = [];
  for (const { method, path, operation } of operationsOf(document)) {
    const where = `${method} ${path}`;
    if (!isProse(operation.summary) || !isProse(operation.description)) unexplained.push(where);
    for (const parameter of operation.parameters ?? []) {
      if (!isProse(parameter.description)) unexplained.push(`${where} ${parameter.name}`);
    }
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (!isProse(answer.description)) unexplained.push(`${where} ${status}`);
      for (const [name, header] of Object.entries(answer.headers ?? {})) {
        if (!isProse(header.description)) unexplained.push(`${where} ${status} ${name}`);
      }
    }
  }
  unexplained.push(...undescribedProperties(document, ''));
  expect(unexplained, 'fields have their sentences in api/openapi/fields.ts').toEqual([]);
});

test('the description names the schemas that a generated client wants types of, and repeats none', async () => {
  const { document } = await describedApp();
  const { schemas } = z.object({ schemas: z.record(z.string(), z.unknown()) }).parse(document['components']);
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      'Registration',
      'Credentials',
      'PasswordChange',
      'ProfileChange',
      'NewQrCode',
      'TipPageChange',
      'NewTip',
      'ServiceCategory',
      'User',
      'Login',
      'Session',
      'QrCode',
      'QrCodeLookup',
      'Transaction',
      'TipSums',
      'Insights',
      'Csv',
      'PayoutStatus',
      'PaymentLink',
      'ConnectedEvent',
      'ResetEvent',
      'StreamReset',
      'TipEvent',
      'Problem',
      'FieldError',
    ]),
  );
  for (const { place, media } of mediaTypesOf(document)) {
    if (place.includes('event-stream')) continue;
    const { $ref, items } = z
      .object({ $ref: z.string().optional(), items: z.object({ $ref: z.string() }).optional() })
      .parse(media.schema);
    expect($ref ?? items?.$ref, place).toMatch(/^#\/components\/schemas\//);
  }
  const named = JSON.stringify(schemas);
  expect(named.split('"bartender"')).toHaveLength(2);
});

test('the description lets answers have further members, which a later version may bring', async () => {
  const { document } = await describedApp();
  const { schemas } = z.object({ schemas: z.record(z.string(), z.unknown()) }).parse(document['components']);
  const sent = ENDPOINTS.flatMap(({ takes }) => Object.keys(takes ?? {})).map((name) => name.toLowerCase());
  const answered = Object.entries(schemas).filter(([name]) => !sent.includes(name.toLowerCase()));
  expect(answered.length).toBeGreaterThan(20);
  expect(JSON.stringify(answered)).not.toContain('"additionalProperties"');
});

test('the description names the values that a later version may add to, and lets answers have others', async () => {
  const { document, validate } = await describedApp();
  const schemas = resolved(document, { $ref: '#/components/schemas' });
  for (const [name, field, value] of [
    ['Event', 'type', 'code.changed'],
    ['WebhookDelivery', 'type', 'webhook.test'],
    ['Transaction', 'payment_mode', 'simulated'],
    ['PayoutStatus', 'mode', 'live'],
    ['Problem', 'code', 'busy'],
  ] as const) {
    const { examples } = Object(schemas)[name].properties[field];
    expect(examples, name).toContain(value);
    expect(validate(`/components/schemas/${name}/properties/${field}`, 'of_a_later_version')).toEqual([]);
  }
  const { properties } = Object(schemas)['Event'];
  for (const type of [...properties.type.examples, 'webhook.test'])
    expect(properties.type.description).toContain(`\`${type}\``);
  expect(Object(schemas)['Webhook'].properties.events.items).toEqual(
    expect.not.objectContaining({ enum: expect.anything() }),
  );
  const asked = { url: 'https://till.example.com/tips', events: ['of.a.later.version'] };
  expect(validate('/components/schemas/NewWebhook', asked)).toMatchObject([{ keyword: 'enum' }]);
  const told = { id: 'evt_0', type: 'webhook.test', timestamp: '2026-06-01T12:00:00.000Z', data: {} };
  expect(validate('/components/schemas/Event', told)).toEqual([]);
});

test('the description has the headers that say something about an answer', async () => {
  const { document } = await describedApp();
  for (const { method, path, operation } of operationsOf(document)) {
    for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
      const expected = ['X-Request-Id', 'Cache-Control'];
      if (status === '401') expected.push('WWW-Authenticate');
      if (['429', '503'].includes(status)) expected.push('Retry-After');
      if (status === 'default') expected.push('Allow');
      expect(Object.keys(headers), `${method} ${path} ${status}`).toEqual(expect.arrayContaining(expected));
    }
  }
});

test('every example fits its schema', async () => {
  const { document, validate } = await describedApp();
  let examples = 0;
  for (const { place, media } of mediaTypesOf(document)) {
    for (const value of examplesOf(media)) {
      expect(validate(`${place}/schema`, value), place).toEqual([]);
      examples += 1;
    }
  }
  for (const { place: operationPlace, operation } of operationsOf(document)) {
    for (const [index, { example }] of (operation.parameters ?? []).entries()) {
      if (example === undefined) continue;
      expect(validate(`${operationPlace}/parameters/${index}/schema`, example)).toEqual([]);
      examples += 1;
    }
  }
  expect(examples).toBeGreaterThan(ENDPOINTS.length * 4);
});

test('a validator that is made of the description takes each amount that the product takes', async () => {
  const { document } = await describedApp();
  const place = '#/components/schemas/NewTip/properties/amount';
  const isTaken = createValidator().compile(resolved(document, { $ref: place }));
  const refused: number[] = [];
  for (let amountCents = 1_000; amountCents <= 1_000_000; amountCents += 1)
    if (!isTaken(decimalFromCents(cents(amountCents)))) refused.push(amountCents);
  expect(refused).toEqual([]);
  for (const outOfBounds of [9.99, 10_000.01]) expect(isTaken(outOfBounds)).toBe(false);
});

test('a parameter that names an event takes the id of each kind of event', async () => {
  const { document, validate } = await describedApp();
  const transactionId = newTransactionId(randomBytes);
  const ofTip = { transactionId, isReversal: false, changeNumber: null };
  const ids = [
    eventIdOf(ofTip),
    eventIdOf({ ...ofTip, isReversal: true }),
    eventIdOf({ ...ofTip, changeNumber: 1 }),
    eventIdOf({ ...ofTip, changeNumber: 999_999 }),
    eventIdFrom(randomBytes(26)),
  ];
  const taken: string[] = [];
  for (const { place, operation } of operationsOf(document)) {
    for (const [index, { name, example }] of (operation.parameters ?? []).entries()) {
      if (!String(example).startsWith('evt_')) continue;
      for (const id of ids) expect(validate(`${place}/parameters/${index}/schema`, id), id).toEqual([]);
      taken.push(name);
    }
  }
  expect(taken.sort()).toEqual(['after', 'event_id']);
});

test('every body that is sent or answered has an example', async () => {
  const { document } = await describedApp();
  for (const { place, media } of mediaTypesOf(document)) expect(examplesOf(media), place).not.toEqual([]);
});

test('a documented refusal is a row of the table of refusals, under its status', async () => {
  const { document } = await describedApp();
  const told = new Set<string>();
  for (const { method, path, operation } of operationsOf(document)) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const named = [...answer.description.matchAll(/`(\w+)`:/g)].map(([, code]) => code);
      expect(named, `${method} ${path}`).toEqual(Object.keys(problemExamples(answer)));
      for (const [code, { value }] of Object.entries(problemExamples(answer))) {
        told.add(code);
        expect(REFUSALS).toHaveProperty(code);
        const expected = status === 'default' ? REFUSALS[code as ErrorCode].status : Number(status);
        expect(value, `${method} ${path}`).toMatchObject({ code, status: expected });
      }
    }
  }
  expect([...told]).toEqual(expect.arrayContaining(['session_ended', 'own_qr_code', 'internal']));
});

test('the example of a stream is its beginning and an event like those that are sent, with a transaction in it', async () => {
  const { document, validate } = await describedApp();
  const answer = document.paths['/transactions/stream']?.['get']?.responses['200'];
  expect(Object.keys(answer?.content ?? {})).toEqual(['text/event-stream']);
  const [start, event, ...others] = await eventsOf(String(answer?.content?.['text/event-stream']?.example));
  expect(others).toEqual([]);
  expect(start).toEqual({ name: 'connected', id: 'beginning', data: '{}' });
  const transaction = JSON.parse(event?.data ?? '');
  expect(event).toMatchObject({ name: 'tip', id: transaction.id });
  const schema = `${pointerOf('/transactions', 'post')}/responses/201/content/application~1json/schema`;
  expect(validate(schema, transaction)).toEqual([]);
});

describe('in a run of the whole product', () => {
  test('every answer fits the schema of its status, and every refusal is documented', async () => {
    const { t, document, validate } = await describedApp();
    const seen = await runEverything(document, validate, t);

    const successes = ENDPOINTS.map((route) => `${rowName(route)} ${route.status}`);
    const expectSeen = (rows: readonly string[]) => {
      const unseen = rows.filter((row) => !seen.has(row));
      expect(unseen, 'not called in tests/support/whole-product.ts').toEqual([]);
    };
    expectSeen(successes);

    const promised = operationsOf(document).flatMap(({ method, path, operation }) =>
      Object.entries(operation.responses).flatMap(([status, answer]) =>
        // Other tests make the refusals that come before any route.
        Object.keys(status === 'default' ? {} : problemExamples(answer)).map(
          (code) => `${method} ${path} ${code}`,
        ),
      ),
    );
    // Other tests make these three, which need a broken disk, a flood or a defect.
    const isRare = (row: string) => /(?:internal|busy|storage_unavailable)$/.test(row);
    expectSeen(promised.filter((row) => !isRare(row)));
  });
});

describe('the page of the description', () => {
  test('loads scripts and styles from this origin only, each of them there and of its type', async () => {
    const t = await createTestApp();
    const page = await t.send('/api/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('Content-Type')).toMatch(/^text\/html/);
    const html = await page.text();
    const scripts = attributes(html, 'script', 'src');
    const styles = attributes(html, 'link', 'href').filter((href) => !href.startsWith('data:'));
    expect(scripts.length).toBeGreaterThan(0);
    expect(styles.length).toBeGreaterThan(0);
    for (const [addresses, type] of [
      [scripts, /^text\/javascript/],
      [styles, /^text\/css/],
    ] as const) {
      for (const address of addresses) {
        expect(new URL(address, 'http://localhost/api/docs').origin, address).toBe('http://localhost');
        const file = await t.send(address);
        expect(file.status, address).toBe(200);
        expect(file.headers.get('Content-Type')).toMatch(type);
        expect((await file.text()).length).toBeGreaterThan(50);
      }
    }
    const start = await (await t.send('/api/docs/start.js')).text();
    expect(start).toContain("'/api/openapi.json'");
    expect(start).not.toMatch(/https?:/);
  });

  test('says of every kind of problem what it means, where the type of the problem leads', async () => {
    const t = await createTestApp();
    const html = await (await t.send('/api/docs')).text();
    for (const [code, { status, detail }] of Object.entries(REFUSALS)) {
      const row = new RegExp(`<tr id="${code}">.*?</tr>`, 's').exec(html)?.[0];
      expect(row, code).toContain(String(status));
      expect(row, code).toContain(detail);
    }
    const { body } = await t.rest('GET', '/nowhere');
    expect(body.type).toBe(`${PUBLIC_URL}/api/docs#not_found`);
  });

  const PARTS = [
    '/api/openapi.json',
    '/api/docs',
    '/api/docs/swagger-ui.css',
    '/api/docs/swagger-ui-bundle.js',
  ];

  test('comes packed, with its description and its files, to whoever takes it so', async () => {
    const t = await createTestApp();
    for (const path of PARTS) {
      const plain = await t.send(path);
      const content = await plain.text();
      expect(plain.headers.get('Content-Encoding'), path).toBeNull();
      expect(plain.headers.get('Vary'), path).toBe('Accept-Encoding');
      for (const [encoding, unpack] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const packed = await t.send(path, { headers: { 'Accept-Encoding': encoding } });
        expect(packed.headers.get('Content-Encoding'), path).toBe(encoding);
        expect(packed.headers.get('Vary'), path).toBe('Accept-Encoding');
        const bytes = Buffer.from(await packed.arrayBuffer());
        expect(unpack(bytes).toString(), path).toBe(content);
        expect(bytes.length, path).toBeLessThan(content.length);
      }
    }
  });

  test('is not sent again to whoever has it: each part and encoding has a strong tag of its own', async () => {
    const t = await createTestApp();
    for (const path of PARTS) {
      const tags = new Set<string>();
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { 'Accept-Encoding': encoding };
        const first = await t.send(path, { headers });
        const tag = first.headers.get('ETag') ?? '';
        expect(tag, path).toMatch(/^"[\w-]+"$/);
        tags.add(tag);
        expect(first.headers.get('Cache-Control'), path).toMatch(/^(?:no-cache|public, max-age=86400)$/);
        const again = await t.send(path, { headers: { ...headers, 'If-None-Match': tag } });
        expect([again.status, await again.text(), again.headers.get('ETag')], path).toEqual([304, '', tag]);
        const other = await t.send(path, { headers: { ...headers, 'If-None-Match': '"another"' } });
        expect(other.status, path).toBe(200);
        await other.body?.cancel();
      }
      expect(tags.size, path).toBe(3);
    }
  });

  test('is packed once, however often and by however many at once it is asked for', async () => {
    const t = await createTestApp();
    let packings = 0;
    const hook = createHook({
      init(_id, type) {
        if (type === 'ZLIB') packings += 1;
      },
    }).enable();
    onTestFinished(() => void hook.disable());
    const askForAll = () =>
      Promise.all(
        PARTS.flatMap((path) =>
          ['gzip', 'br', 'gzip', 'br'].map(async (encoding) => {
            const response = await t.send(path, { headers: { 'Accept-Encoding': encoding } });
            await response.arrayBuffer();
          }),
        ),
      );
    await askForAll();
    expect(packings).toBeGreaterThan(0);
    expect(packings).toBeLessThanOrEqual(PARTS.length * 2);
    packings = 0;
    for (let time = 0; time < 3; time += 1) await askForAll();
    expect(packings).toBe(0);
  });

  test('works under its own policy: nothing inline, nothing fetched by a style from elsewhere', async () => {
    const t = await createTestApp();
    const page = await t.send('/api/docs');
    expect(page.headers.get('Content-Security-Policy')).toContain("script-src 'self';");
    const html = await page.text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<base|<iframe|<object/i);
    for (const [, content = ''] of html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g))
      expect(content.trim()).toBe('');
    for (const href of attributes(html, 'link', 'href').filter((href) => href.endsWith('.css'))) {
      const css = await (await t.send(href)).text();
      expect(css).not.toMatch(/@import/);
      for (const [, target = ''] of css.matchAll(/url\(\s*["']?([^"')]*)/g))
        expect(target).toMatch(/^data:|^#/);
    }
  });
});

/** The regular expressions of all schemas. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, content]) =>
    key === 'pattern' && typeof content === 'string' ? [content] : patternsIn(content),
  );
}

/** Where in a schema's properties a description is missing. */
function undescribedProperties(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, content]) => {
    // An example may have any keys; it is no schema.
    if (key === 'example' || key === 'examples') return [];
    const missing =
      key === 'properties' && typeof content === 'object' && content !== null
        ? Object.entries(content)
            .filter(([, property]) => !isProse((property as Schema)['description']))
            .map(([name]) => `${place}/properties/${name}`)
        : [];
    return [...missing, ...undescribedProperties(content, `${place}/${key}`)];
  });
}

function isProse(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

function attributes(html: string, element: string, attribute: string): string[] {
  const pattern = new RegExp(`<${element}\\b[^>]*\\s${attribute}="([^"]*)"`, 'g');
  return [...html.matchAll(pattern)].map(([, value = '']) => value);
}
