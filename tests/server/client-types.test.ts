/**
 * What a TypeScript developer outside of this repository gets: one file of types, with which a project of
 * strict settings of its own, @trpc/client and nothing else of ours compiles, is stopped where it is wrong,
 * and talks to the real server.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = `
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, TRPCClientError } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type {
  AppRouter, Cents, ErrorCode, ErrorShape, NewTip, QrCodeLookup, Registration, ServiceCategory, Transaction,
  TransactionPage, User, UserId,
} from './tipwell.js';

const [url = '', name = ''] = process.argv.slice(2);
let token: string | undefined;
const client = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url: url + '/trpc' }),
      false: httpBatchLink({
        url: url + '/trpc',
        headers: () => (token === undefined ? {} : { Authorization: 'Bearer ' + token }),
      }),
    }),
  ],
});

export async function run(): Promise<void> {
  const category: ServiceCategory = 'dj';
  const person: Registration = {
    email: name + '@example.com', username: name, fullName: 'Out Side', password: 'correct horse battery',
    phone: null, isServiceProvider: true, serviceCategories: [category],
  };
  const registered: User = await client.auth.register.mutate(person);
  const id: UserId = registered.id;
  const { accessToken, user } = await client.auth.login.mutate({ email: person.email, password: person.password });
  token = accessToken;
  const code = await client.qrCodes.create.mutate({ serviceCategory: category });
  const found: QrCodeLookup = await client.qrCodes.lookup.query({ id: code.id });
  const total: Cents = (await client.auth.me.query()).totalTipsReceivedCents;
  const page: TransactionPage = await client.transactions.list.query({ limit: 10 });
  const first: Transaction | undefined = page.transactions[0];
  const tip: NewTip = { amountCents: 1_250, receiverQrId: code.id, serviceCategory: category };
  let refusal: ErrorCode | null = null;
  try {
    await client.transactions.create.mutate(tip);
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const shape = error.shape as ErrorShape;
    refusal = shape.data.errorCode;
  }
  console.log(JSON.stringify({ isSame: user.id === id, name: found.serviceProvider.fullName, total, first, refusal }));
}

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
export const limit: Inputs['transactions']['list']['limit'] = 5;
export const dollarsOf = (tip: Outputs['transactions']['create']): number => tip.amountCents / 100;

export function follow(lastEventId: string) {
  return client.transactions.onTip.subscribe({ lastEventId }, {
    onData: ({ id, data }) => {
      if ('reset' in data) return;
      const followed: Transaction = data;
      console.log(id.toUpperCase(), followed.netAmountCents.toFixed(0));
    },
  });
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error: there is no such service
  await client.qrCodes.create.mutate({ serviceCategory: 'thief' });
  // @ts-expect-error: an amount is a number
  await client.transactions.create.mutate({ amountCents: '10', receiverQrId: 'x', serviceCategory: 'dj' });
  // @ts-expect-error: a provider names services
  await client.auth.register.mutate({ email: 'a', username: 'b', fullName: 'c', password: 'd', isServiceProvider: true });
  // @ts-expect-error: what is changed is no query
  await client.auth.logout.query();
  // @ts-expect-error: nothing is known of a user under this name
  (await client.auth.me.query()).balance;
  // @ts-expect-error: a subscription tells of transactions
  client.transactions.onTip.subscribe(undefined, { onData: ({ data }) => data.price });
}

await run();
`;

const run = promisify(execFile);
let types = '';
let url = '';

beforeAll(async () => {
  const folder = temporaryFolder();
  await run(process.execPath, ['tools/client-types.js', join(folder, 'tipwell.d.ts')], { cwd: ROOT });
  ({ url } = await startServer());
  types = readFileSync(join(folder, 'tipwell.d.ts'), 'utf8');
});
afterAll(stopEverything);

/** A project with nothing in node_modules but the two packages of tRPC. */
function createProject(settings: Readonly<Record<string, string | boolean>>): string {
  const folder = temporaryFolder();
  for (const name of ['client', 'server'])
    cpSync(join(ROOT, 'node_modules/@trpc', name), join(folder, 'node_modules/@trpc', name), {
      recursive: true,
    });
  mkdirSync(join(folder, 'out'));
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    // TypeScript's own declarations of the platform are not ours to check.
    skipDefaultLibCheck: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    outDir: 'out',
    rootDir: '.',
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    ...settings,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(folder, 'tipwell.d.ts'), types);
  writeFileSync(join(folder, 'platform.d.ts'), 'declare const process: { argv: string[] };\n');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  return folder;
}

/**
 * What the compiler says of the project; nothing when all is well. Declarations are checked as well, ours
 * among them; those of tRPC want the types of Node.js and of `ws`, which is between them and whoever installs
 * them.
 */
async function compile(folder: string): Promise<string[]> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const said = await run(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  return said.split('\n').filter((line) => line !== '' && !line.startsWith('node_modules/@trpc/'));
}

test('the types stand in one file that names no package but @trpc/server, and nothing of the inside', () => {
  const imported = [...types.matchAll(/(?:from |import\()\s*['"]([^'"]+)['"]/g)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(new Set(['@trpc/server']));
  // A comment may say services of what a provider offers.
  const code = types.replace(/\/\*\*.*?\*\//gs, '');
  expect(code).not.toMatch(/\bzod\b|\$brand|\bservices\b|\bStorage\b|\bany\b|#shared|node_modules/);
  for (const name of ['AppRouter', 'User', 'Transaction', 'Cents', 'Registration', 'ErrorShape'])
    expect(types).toMatch(new RegExp(`^export (?:interface|type) ${name}\\b`, 'm'));
});

describe.each([
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
])('with the module resolution %s', (resolution, settings) => {
  test('a strict project compiles, its mistakes are seen, and it talks to the real server', async () => {
    const folder = createProject(settings);
    expect(await compile(folder)).toEqual([]);
    const { stdout } = await run(process.execPath, [join(folder, 'out/program.js'), url, resolution]);
    expect(JSON.parse(stdout)).toEqual({ isSame: true, name: 'Out Side', total: 0, refusal: 'own_qr_code' });
  });
});

test('a project that would not notice wrong calls does not compile: without `strict`, or before @trpc/server 11.4', async () => {
  const settings = { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true };
  expect(await compile(createProject(settings))).toEqual([]);
  const lax = await compile(createProject({ ...settings, strict: false, exactOptionalPropertyTypes: false }));
  expect(lax.join('\n')).toMatch(/needs: "the compiler setting \\"strict\\""/);
  const folder = createProject(settings);
  const declarations = join(folder, 'node_modules/@trpc/server/dist/index.d.mts');
  const exported = readFileSync(declarations, 'utf8');
  expect(exported).toContain('TRPCBuiltRouter');
  writeFileSync(declarations, exported.replaceAll('TRPCBuiltRouter', 'BuiltLater'));
  expect((await compile(folder)).join('\n')).toMatch(/needs: "@trpc\/server 11\.4 or newer"/);
});
