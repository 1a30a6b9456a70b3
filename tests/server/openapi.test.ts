/**
 * The API description is the truth: a valid OpenAPI 3.1 document of exactly the routes that are served, whose
 * examples and schemas fit what the running product really takes and answers, and a page that shows it.
 */
import { createHook } from 'node:async_hooks';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { REST_ROUTES } from '#server/api/rest-routes.ts';
import { type ErrorCode, REFUSALS } from '#shared/errors.ts';
import {
  type Description,
  describedApp,
  examplesOf,
  expectDescribed,
  mediaTypesOf,
  operationOf,
  operationsOf,
  pointerOf,
  problemExamples,
  resolved,
  rowName,
  type Schema,
  type Validate,
} from '#tests/support/api-description.ts';
import { LOCAL_URL, PUBLIC_URL } from '#tests/support/both-doors.ts';
import { eventsOf, openStream, type TipStream } from '#tests/support/event-streams.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { inWords, newDevice } from '#tests/support/push-devices.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { createTestApp, PASSWORD, type RestAnswer, type TestApp } from '#tests/support/test-app.ts';

/** A small photo. */
const PHOTO = await sharp({ create: { width: 32, height: 24, channels: 3, background: '#963' } })
  .jpeg()
  .toBuffer();
const PRINT = 'GET /qr-codes/{qr_code_id}/print/{file}';
const NEXT_PASSWORD = 'a better horse battery';

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
  expect(described.sort()).toEqual(REST_ROUTES.map(rowName).sort());
  const ids = operationsOf(document).map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the description has every parameter that a route takes, and only those', async () => {
  const { document } = await describedApp();
  for (const row of REST_ROUTES) {
    const { operation } = operationOf(document, rowName(row));
    const described = (place: string) =>
      (operation.parameters ?? []).filter((each) => each.in === place).map(({ name }) => name);
    expect(described('query').sort(), rowName(row)).toEqual([...(row.parameters ?? [])].sort());
    const ofPath = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(described('path'), rowName(row)).toEqual(ofPath);
  }
});

/** What guests may ask as well, each with what stands for a session where the operator takes tips of theirs. */
const OF_GUESTS = [
  'POST /transactions',
  'GET /transactions/{transaction_id}',
  'POST /transactions/{transaction_id}/refund',
  'POST /transactions/{transaction_id}/cancel',
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

test('the description asks for a token exactly where the product does', async () => {
  const { t, document } = await describedApp();
  for (const { method, path, operation } of operationsOf(document)) {
    const { status } = await t.rest(method, path.replace('{qr_code_id}', '7K3MX9Q2AB'), {
      ...((method === 'POST' || method === 'PATCH') && { body: {} }),
    });
    const isForGuests = operation.security?.length === 2;
    if (!isForGuests) expect([[], [{ bearer: [] }]]).toContainEqual(operation.security);
    else expect(operation.security).toEqual([{ bearer: [] }, {}]);
    expect(isForGuests, `${method} ${path}`).toBe(OF_GUESTS.includes(`${method} ${path}`));
    const isOpen = operation.security?.length === 0;
    expect(status === 401, `${method} ${path}`).toBe(!isOpen);
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
  expect(unexplained).toEqual([]);
});

test('the description names the schemas that a generated client wants types of, and repeats none', async () => {
  const { document } = await describedApp();
  const { schemas } = z.object({ schemas: z.record(z.string(), z.unknown()) }).parse(document['components']);
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      ...['Registration', 'Credentials', 'PasswordChange', 'ProfileChange', 'NewQrCode', 'TipPageChange'],
      ...['NewTip', 'ServiceCategory'],
      ...['User', 'Login', 'Session', 'QrCode', 'QrCodeLookup', 'Transaction', 'TipSums', 'Insights', 'Csv'],
      ...['PayoutStatus', 'PaymentLink'],
      ...['ConnectedEvent', 'ResetEvent', 'StreamReset', 'TipEvent'],
      ...['Problem', 'FieldError'],
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
  expect(examples).toBeGreaterThan(REST_ROUTES.length * 4);
});

test('every body that is sent or answered has an example', async () => {
  const { document } = await describedApp();
  for (const { place, media } of mediaTypesOf(document)) expect(examplesOf(media), place).not.toEqual([]);
});

test('a documented refusal is a row of the table of refusals, under its status', async () => {
  const { document } = await describedApp();
  for (const { method, path, operation } of operationsOf(document)) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      for (const [code, { value }] of Object.entries(problemExamples(answer))) {
        expect(REFUSALS).toHaveProperty(code);
        const expected = status === 'default' ? REFUSALS[code as ErrorCode].status : Number(status);
        expect(value, `${method} ${path}`).toMatchObject({ code, status: expected });
      }
    }
  }
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

    const successes = REST_ROUTES.map((route) => `${rowName(route)} ${route.status}`);
    expect(successes.filter((row) => !seen.has(row))).toEqual([]);

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
    expect(promised.filter((row) => !isRare(row) && !seen.has(row))).toEqual([]);
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
    ...['/api/openapi.json', '/api/docs', '/api/docs/swagger-ui.css', '/api/docs/swagger-ui-bundle.js'],
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

/** Calls every route in every way that its description knows, and holds each answer against it. */
async function runEverything(document: Description, validate: Validate, t: TestApp): Promise<Set<string>> {
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
    await call(old, 'POST /payments/account', { token });
    await call(old, 'POST /payments/dashboard-link', { token });
    await call(old, 'POST /notices/devices', { token, body: {} });
    await call(old, 'DELETE /notices/devices/{device_id}', { token, at: '/notices/devices/dev_none' });
    for (let attempt = 0; attempt <= 5; attempt += 1)
      await call(old, 'POST /auth/confirm', { token, body: { password: 'wrong' } });
  }

  /** The way of a device that gets notices, and what is refused on it. */
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

  /** The way of a tip that is paid at a payment service, and what is refused on it. */
  async function payTips() {
    const { t: paid, stripe, makePayable, pay } = await createPaidApp();
    const { provider, customer, code } = await paid.setTheScene();
    const { token } = customer;
    const isDown = (down: boolean) => stripe.fail(() => (down ? { is: 'status', status: 503 } : null));
    const give = 'POST /transactions';
    const tip = { token, body: { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' } };
    const accountRoute = 'GET /payments/account';
    const links = ['POST /payments/account', 'POST /payments/dashboard-link'];
    for (const route of [accountRoute, ...links]) await call(paid, route, { token });
    for (const route of [accountRoute, ...links.toReversed()]) await call(paid, route, provider);
    await call(paid, give, tip);
    await makePayable(provider);
    for (const route of [accountRoute, ...links]) await call(paid, route, provider);
    isDown(true);
    for (const route of links) await call(paid, route, provider);
    await call(paid, give, tip);
    isDown(false);
    const { body: begun } = await call(paid, give, tip);
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

  const ofPat = await makeTipPages(code.id);

  const tip = { receiver_qr_id: code.id, amount: 12.34, service_category: 'bartender' };
  const headers = { 'Idempotency-Key': 'key' };
  for (const amount of [10, 10.5, 10_000, 99.99]) {
    await call(t, 'POST /transactions', { token: cam, body: { ...tip, amount } });
  }
  await call(t, 'POST /transactions', { token: cam, body: tip, headers });
  await call(t, 'POST /transactions', { token: cam, body: tip, headers });
  await call(t, 'POST /transactions', { token: cam, body: { ...tip, amount: 20 }, headers });
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
  const summary = 'GET /transactions/summary';
  const narrow = '?time_zone=Europe/Vienna&service_category=bartender&day_start_hour=5';
  await call(t, summary, { token: pat, at: `/transactions/summary${narrow}` });
  await call(t, summary, { token: pat });
  const period = 'from=2026-05-01&to=2026-05-31&time_zone=Europe/Vienna&service_category=bartender';
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
  await payTips();
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
      .replace('{device_id}', 'dev_none');
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

  const limited = await createTestApp({ config: { isRateLimited: true } });
  const provider = await limited.registerProvider('quinn');
  for (let attempt = 0; attempt <= 30; attempt += 1) {
    const body = { service_category: 'bartender' };
    await call(limited, 'POST /qr-codes', { token: provider.token, body });
  }
  for (let attempt = 0; attempt <= 5; attempt += 1) {
    await call(limited, 'POST /auth/login', { body: { email: 'nobody@example.com', password: 'wrong' } });
  }
  const common = { ...person('zed'), password: 'password' };
  for (let attempt = 0; attempt <= 200; attempt += 1)
    await call(limited, 'POST /auth/register', { body: common });
  // The address is another one, because the limit of registrations has been reached.
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(customer),
  };
  expect((await limited.send('/api/auth/register', init, '192.0.2.2')).status).toBe(201);
  const token = await limited.logIn('cam@example.com');
  for (let attempt = 0; attempt <= 30; attempt += 1) {
    await call(limited, 'POST /transactions', { token, body: { ...tip, receiver_qr_id: '0000000000' } });
  }
  for (let attempt = 0; attempt <= 240; attempt += 1) {
    await call(limited, 'PATCH /auth/me', { token, body: {} });
    await call(limited, 'PATCH /qr-codes/{qr_code_id}', { token, body: {} });
    await call(limited, 'PUT /qr-codes/{qr_code_id}/photo', { token, body: PHOTO });
    await call(limited, 'DELETE /qr-codes/{qr_code_id}/photo', { token });
    await call(limited, PRINT, { token });
    await call(limited, 'POST /transactions/{transaction_id}/refund', { token });
    await call(limited, 'GET /auth/me/export', { token });
    await call(limited, 'GET /transactions/insights', { token });
    await call(limited, 'POST /transactions/{transaction_id}/cancel', { token });
    await call(limited, 'POST /transactions/{transaction_id}/thank-you', { token, body: {} });
    await call(limited, 'PATCH /transactions/{transaction_id}/words', { token, body: {} });
    await call(limited, 'POST /transactions/{transaction_id}/report', { token });
    await call(limited, 'POST /transactions/{transaction_id}/block', { token });
    await call(limited, 'DELETE /words/blocked-givers/{giver_id}', { token });
    await call(limited, 'PATCH /words/thank-yous', { token, body: {} });
    await call(limited, 'POST /notices/devices', { token, body: {} });
    await call(limited, 'PATCH /notices/devices/{device_id}', { token, body: {} });
    await call(limited, 'DELETE /notices/devices/{device_id}', { token });
    await call(limited, 'POST /notices/devices/{device_id}/test', { token });
  }
  for (let attempt = 0; attempt <= 30; attempt += 1) {
    await call(limited, 'POST /qr-codes/{qr_code_id}/replacement', { token: provider.token });
    await call(limited, 'POST /payments/account', { token: provider.token });
    await call(limited, 'POST /payments/dashboard-link', { token: provider.token });
  }
  for (let attempt = 0; attempt <= 5; attempt += 1)
    await call(limited, 'POST /auth/password', { token, body: { ...change, current_password: 'wrong' } });
  for (let attempt = 0; attempt <= 300; attempt += 1) {
    await call(limited, 'GET /transactions/{transaction_id}', { at: receipt });
    for (const list of ['transactions', 'ended-qr-codes', 'words/blocked-givers'])
      await call(limited, `GET /${list}`, { token });
    await call(limited, 'GET /transactions/sums', { token });
    await call(limited, 'GET /transactions/summary', { token });
  }
  await call(limited, closeRoute, { token, body: { current_password: 'wrong', confirmation } });

  await limited.data.demandNewPasswords();
  for (const { method, path, operation } of operationsOf(document)) {
    if (operation.security === undefined || path === '/auth/logout') continue;
    const at = path
      .replace('{session_id}', 'ses_none')
      .replace('{transaction_id}', 'txn_none')
      .replace('{device_id}', 'dev_none');
    await call(limited, `${method} ${path}`, { at, token, ...(operation.requestBody && { body: {} }) });
  }
  return seen;
}

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
