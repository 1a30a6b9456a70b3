/**
 * What other people's generators make of the description: clients that compile under strict settings, call
 * every operation, send a real photo as it is and get files as bytes. Three of them are tried, because each
 * reads another part of a schema.
 */
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createPasswords } from '#server/auth/passwords.ts';
import { databaseAt } from '#server/storage/open.ts';
import { API_SCOPES } from '#shared/api-scopes.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { type Description, type Operation, operationsOf } from '#tests/support/api-description.ts';
import { callsSource, GENERATORS, type Scene } from '#tests/support/generated-calls.ts';
import { beginSession, createPeople } from '#tests/support/people.ts';
import {
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';
import { PASSWORD } from '#tests/support/test-app.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Somebody else's program: each client puts a photo on a tip page, and two of them have the code printed. */
const PROGRAM = `
import { client } from './hey-api/client.gen';
import * as heyApi from './hey-api/sdk.gen';
import * as oazapfts from './oazapfts';
import * as orval from './orval';

interface Outcome {
  readonly photoUrl: string | null | undefined;
  readonly print?: Blob | undefined;
}

export async function withHeyApi(baseUrl: string, token: string, id: string, photo: Blob): Promise<Outcome> {
  client.setConfig({ baseUrl, auth: token });
  const { data } = await heyApi.qrCodesSetPhoto({ path: { qr_code_id: id }, body: photo });
  const { data: print } = await heyApi.qrCodesPrint({ path: { qr_code_id: id, file: 'code.png' } });
  return { photoUrl: data?.photo_url, print };
}

export async function withOrval(_: string, token: string, id: string, photo: Blob): Promise<Outcome> {
  const headers = { Authorization: 'Bearer ' + token };
  const set = await orval.qrCodesSetPhoto(id, photo, { headers });
  const print = await orval.qrCodesPrint(id, 'code.png', {}, { headers });
  return {
    photoUrl: set.status === 200 ? set.data.photo_url : undefined,
    print: print.status === 200 ? print.data : undefined,
  };
}

/** It reads every answer of an operation as JSON whose refusals are JSON, and downloads nothing. */
export async function withOazapfts(baseUrl: string, token: string, id: string, photo: Blob): Promise<Outcome> {
  const set = await oazapfts.qrCodesSetPhoto(id, photo, { baseUrl, headers: { Authorization: 'Bearer ' + token } });
  return { photoUrl: 'photo_url' in set.data ? set.data.photo_url : undefined };
}

export const tip: heyApi.Options<import('./hey-api/types.gen').TransactionsCreateData>['body'] =
  { receiver_qr_id: '7K3MX9Q2AB', amount: 20, service_category: 'dj' };
`;

const uploads = z.object({ withHeyApi: z.unknown(), withOrval: z.unknown(), withOazapfts: z.unknown() });
type Call = (scene: Scene, baseUrl: string, photo: Blob) => Promise<number>;
const callsModule = z.object({
  calls: z.record(
    z.string(),
    z.custom<Call>((value) => typeof value === 'function'),
  ),
});
const validators = z.object({ zProfileChange: z.instanceof(z.ZodType) });
type Upload = (
  baseUrl: string,
  token: string,
  id: string,
  photo: Blob,
) => Promise<{ readonly photoUrl?: string | null; readonly print?: Blob }>;
const isUpload = (value: unknown): value is Upload => typeof value === 'function';

let server: RunningServer;
let folder = '';
let description: Description;
/** Of the password of everybody here, made once. */
let hash: Promise<string> | undefined;

beforeAll(async () => {
  // TypeScript 7 has no API yet, by which generators write what they make; oazapfts brings one that has.
  const parentURL = import.meta.resolve('oazapfts');
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier === 'typescript' ? { ...context, parentURL } : context),
  });
  server = await startServer({ PUBLIC_URL: 'http://tips.example.com', WEBHOOK_LOOPBACK: 'on' });
  folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const input = join(folder, 'openapi.json');
  const text = await (await fetch(`${server.url}/api/openapi.json`)).text();
  writeFileSync(input, text);
  description = JSON.parse(text);
  await generateByHeyApi(input);
  await generateByOrval(input);
  await generateByOazapfts(input);
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'calls.ts'), callsSource(description));
});
afterAll(stopEverything);

async function generateByHeyApi(input: string): Promise<void> {
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input,
    output: join(folder, 'hey-api'),
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', 'zod'],
    logs: { level: 'silent' },
  });
}

async function generateByOrval(input: string): Promise<void> {
  const { generate } = await import('orval');
  const output = {
    target: join(folder, 'orval.ts'),
    client: 'fetch',
    mode: 'single',
    baseUrl: `${server.url}/api`,
  } as const;
  await generate({ input: { target: input }, output });
}

async function generateByOazapfts(input: string): Promise<void> {
  const program = join(ROOT, 'node_modules/oazapfts/dist/cli.js');
  await promisify(execFile)(process.execPath, [program, input, join(folder, 'oazapfts.ts')]);
}

test('clients of three generators compile, upload a photo and download a file', async () => {
  const settings = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: settings, files: ['program.ts', 'calls.ts', 'hey-api/zod.gen.ts'] }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
    (error) => error,
  );
  expect(stdout).toBe('');

  const { token, codes } = await openScene('pat', ['dj']);
  const made = uploads.parse(await import(join(folder, 'program.ts')));
  const photos = new Set<string>();
  for (const [name, upload] of Object.entries(made)) {
    if (!isUpload(upload)) throw new Error(`${name} is no function`);
    const { photoUrl, print } = await upload(`${server.url}/api`, token, codes[0] ?? '', await photoBlob());
    const shown = await (await fetch(`${server.url}${photoUrl}`)).arrayBuffer();
    expect(await sharp(Buffer.from(shown)).metadata(), name).toMatchObject({
      format: 'jpeg',
      width: 40,
      height: 30,
    });
    photos.add(String(photoUrl));
    if (name === 'withOazapfts') continue;
    const picture = Buffer.from(await (print ?? new Blob()).arrayBuffer());
    expect(await sharp(picture).metadata(), name).toMatchObject({ format: 'png', width: 1_024 });
  }
  expect(photos.size).toBe(3);

  const { zProfileChange } = validators.parse(await import(join(folder, 'hey-api/zod.gen.ts')));
  for (const [full_name, isFine] of [
    ['Pat Doe', true] as const,
    ['Zoë O’Neil-Şen 3', true] as const,
    ...['Pat\u2028Doe', '\u202EPat', ' Pat', 'Pat\u0000', ''].map((name) => [name, false] as const),
  ])
    expect(zProfileChange.safeParse({ full_name }).success, JSON.stringify(full_name)).toBe(isFine);
});

/** They end what others need, and come last, each with a session of its own. */
const LAST = ['webhooks_remove', 'auth_logout', 'auth_close', 'auth_changePassword'];

const [UNPROVEN, NOT_THERE, TURNED_OFF, ENDED, WRONG] = [403, 404, 409, 410, 422];
/** What a server without mail and payments refuses, and what is not there in the scene. */
const REFUSED: Readonly<Record<string, number>> = {
  auth_forgotPassword: TURNED_OFF,
  auth_resetPassword: ENDED,
  auth_confirmEmail: ENDED,
  auth_sendConfirmation: TURNED_OFF,
  auth_mailSettings: TURNED_OFF,
  auth_changeMailSettings: TURNED_OFF,
  auth_endSession: NOT_THERE,
  apiKeys_end: NOT_THERE,
  transactions_giveUp: NOT_THERE,
  transactions_mailReceipt: TURNED_OFF,
  payments_balance: TURNED_OFF,
  payments_onboard: TURNED_OFF,
  payments_openDashboard: TURNED_OFF,
  notices_update: NOT_THERE,
  notices_remove: NOT_THERE,
  notices_test: NOT_THERE,
  notices_thank: UNPROVEN,
  auth_passkeyLogin: WRONG,
  auth_confirmByPasskey: WRONG,
  secondFactors_addPasskey: WRONG,
  secondFactors_removePasskey: NOT_THERE,
  secondFactors_confirmTotp: WRONG,
  secondFactors_removeTotp: NOT_THERE,
  secondFactors_renewRecoveryCodes: NOT_THERE,
};

test('clients of three generators call every operation, with a key where it takes one', async () => {
  const { calls } = callsModule.parse(await import(join(folder, 'calls.ts')));
  const operations = operationsOf(description).map(({ operation }) => operation);
  const turnOf = ({ operationId }: Operation) => LAST.indexOf(operationId);
  const inTurn = operations.toSorted((one, other) => turnOf(one) - turnOf(other));
  const others = await openScene('kim', ['dj']);
  const photo = await photoBlob();
  const seen: Record<string, number | string> = {};
  const expected: Record<string, number> = {};
  for (const generator of GENERATORS) {
    let scene = await openCallScene(generator.toLowerCase(), others);
    const key = await makeKey(scene.token);
    for (const { operationId, responses, security } of inTurn) {
      const name = `${operationId} ${generator}`;
      const call = calls[name];
      if (!call) continue;
      if (LAST.includes(operationId)) scene = { ...scene, token: await logIn(scene.name) };
      const success = Object.keys(responses).find((status) => status.startsWith('2'));
      const token = security?.some((way) => 'apiKey' in Object(way)) ? key : scene.token;
      seen[name] = await call({ ...scene, token }, `${server.url}/api`, photo).catch(String);
      expected[name] = REFUSED[operationId] ?? Number(success);
    }
  }
  expect(seen, 'what a call has to name stands in tests/support/generated-calls.ts').toEqual(expected);
  // The stream by two generators, and two files by one, are left out.
  expect(Object.keys(seen)).toHaveLength(operations.length * 3 - 4);
});

/** A client's own account with two codes, a webhook and three tips of somebody else's. */
async function openCallScene(name: string, others: Awaited<ReturnType<typeof openScene>>): Promise<Scene> {
  const { token, codes } = await openScene(name, ['bartender', 'dj']);
  const [code = '', spareCode = ''] = codes;
  const give = async () => {
    const tip = { receiver_qr_id: code, amount: 20, service_category: 'bartender', message: 'Cheers' };
    return (await post('/transactions', tip, others.token)).id ?? '';
  };
  const tips = [await give(), await give(), await give()];
  const read = async (path: string): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api${path}`, { headers })).json();
  };
  const [tip] = z.array(z.looseObject({ giver_id: z.string() })).parse(await read('/transactions'));
  const { events } = z
    .looseObject({ events: z.array(z.looseObject({ id: z.string() })) })
    .parse(await read('/events'));
  const hook = await post('/webhooks', { url: `${server.url}/nowhere`, events: ['tip.received'] }, token);
  return {
    name,
    token,
    code,
    spareCode,
    tips,
    othersCode: others.codes[0] ?? '',
    giver: tip?.giver_id ?? '',
    webhook: hook.id ?? '',
    event: events[0]?.id ?? '',
  };
}

/** A provider with a code for each service, put there without the price of a password. */
async function openScene(username: string, services: readonly ServiceCategory[]) {
  hash ??= createPasswords().then((passwords) => passwords.hash(PASSWORD));
  const passwordHash = await hash;
  const storage = await databaseAt({ engine: 'sqlite', path: server.databasePath }).openForCommand();
  const { addAccount, addCode } = createPeople(storage);
  const account = await addAccount(username, services);
  const codes: string[] = [];
  for (const service of services) codes.push(await addCode(account, service));
  const token = await beginSession(storage, account.email, { createdAtMs: Date.now() });
  await storage.close();
  await lookInto(server.databasePath, (data) => data.setPasswordHash(username, passwordHash));
  return { token, codes };
}

/** A key that may do all that keys may. */
async function makeKey(token: string): Promise<string> {
  return (await post('/api-keys', { name: 'Client', scopes: API_SCOPES }, token)).text ?? '';
}

/** By the server, which reopens an account that is closing. */
async function logIn(username: string): Promise<string> {
  const credentials = { email: `${username}@example.com`, password: PASSWORD };
  return (await post('/auth/login', credentials)).access_token ?? '';
}

const text = z.string().optional();

async function post(path: string, body: object, token = '') {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${server.url}/api${path}`, request);
  return z.object({ access_token: text, id: text, text }).parse(await response.json());
}

async function photoBlob(): Promise<Blob> {
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: '#396' } });
  return new Blob([new Uint8Array(await picture.png().toBuffer())], { type: 'image/png' });
}
