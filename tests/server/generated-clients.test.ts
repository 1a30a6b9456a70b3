/**
 * What other people's generators make of the description: clients that compile under strict settings, send a
 * real photo as it is and get files as bytes. Three of them are tried, because each reads another part of a
 * schema.
 */
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import {
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
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

beforeAll(async () => {
  // TypeScript 7 has no API yet, by which generators write what they make; oazapfts brings one that has.
  const parentURL = import.meta.resolve('oazapfts');
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier === 'typescript' ? { ...context, parentURL } : context),
  });
  server = await startServer({ PUBLIC_URL });
  folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const input = join(folder, 'openapi.json');
  writeFileSync(input, await (await fetch(`${server.url}/api/openapi.json`)).text());
  await generateByHeyApi(input);
  await generateByOrval(input);
  await generateByOazapfts(input);
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
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
    JSON.stringify({ compilerOptions: settings, files: ['program.ts', 'hey-api/zod.gen.ts'] }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
    (error) => error,
  );
  expect(stdout).toBe('');

  const { token, id } = await openScene();
  const made = uploads.parse(await import(join(folder, 'program.ts')));
  const photos = new Set<string>();
  for (const [name, upload] of Object.entries(made)) {
    if (!isUpload(upload)) throw new Error(`${name} is no function`);
    const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#396' } })
      .png()
      .toBuffer();
    const { photoUrl, print } = await upload(
      `${server.url}/api`,
      token,
      id,
      new Blob([new Uint8Array(photo)], { type: 'image/png' }),
    );
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

/** A provider with a code. */
async function openScene() {
  const post = async (path: string, body: object, token = '') => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${server.url}/api${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return z
      .looseObject({ access_token: z.string().optional(), id: z.string().optional() })
      .parse(await response.json());
  };
  const email = 'pat@example.com';
  await post('/auth/register', {
    email,
    username: 'pat',
    full_name: 'Pat Doe',
    password: PASSWORD,
    phone: null,
    is_service_provider: true,
    service_categories: ['dj'],
  });
  const { access_token: token = '' } = await post('/auth/login', { email, password: PASSWORD });
  const { id = '' } = await post('/qr-codes', { service_category: 'dj' }, token);
  return { token, id };
}
