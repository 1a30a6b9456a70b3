/**
 * The arrows of the house point one way. Reads every import of the product, and fails with a sentence for each rule
 * that is broken; then shows on small made-up sources that each rule can be.
 */
import { describe, expect, test } from 'vitest';
import {
  COMPUTED_IMPORTS,
  readSources,
  UNSTEADY_EXCEPTIONS,
  violationsOf,
} from '#tests/support/architecture.ts';

const sources = readSources('src');

test('the product keeps the rules of the house', () => {
  expect(violationsOf(sources)).toEqual([]);
});

test('all of the product was read', () => {
  for (const path of [
    'shared/money.ts',
    'server/main.ts',
    'server/api/rest.ts',
    'server/storage/sqlite/storage.ts',
  ]) {
    expect(sources.has(path)).toBe(true);
  }
});

test('every exception has a reason', () => {
  for (const { reason } of [...UNSTEADY_EXCEPTIONS, ...COMPUTED_IMPORTS]) {
    expect(reason.length).toBeGreaterThan(20);
  }
});

describe('the checker accepts', () => {
  test.each([
    ['shared/tips.ts', "import { z } from 'zod'; import { x } from './money.ts';"],
    ['server/tips/transactions.ts', "import type { Storage } from '#server/storage/storage.ts';"],
    [
      'server/api/trpc.ts',
      "import { initTRPC } from '@trpc/server'; import { a } from '#server/auth/accounts.ts';",
    ],
    ['server/app.ts', "import { Hono } from 'hono'; import { appRouter } from './api/router.ts';"],
    [
      'server/serve.ts',
      "import { randomBytes } from 'node:crypto'; const now = Date.now; const at = new Date();",
    ],
    [
      'server/storage/sqlite/connection.ts',
      "import D from 'better-sqlite3'; import { sql } from 'drizzle-orm';",
    ],
    ['server/qr-codes/qr-image.ts', "import { create } from 'qrcode';"],
    ['server/config.ts', 'export const readEnvironment = () => process.env;'],
    [
      'server/tips/feed.ts',
      'export const at = (ms: number) => new Date(ms); const environment = { env: 1 }.env;',
    ],
    [
      'client/api.ts',
      "import { a } from '@trpc/client'; import type { AppRouter } from '#server/api/router.ts';",
    ],
    [
      'client/tip/tip-page.tsx',
      "import { Layout } from '../ui/layout.tsx'; import './tip.css'; export const A = () => <p />;",
    ],
    [
      'client/start/app.tsx',
      "import { paths } from './paths.ts'; const Tip = () => import('./tip/tip-page.tsx');",
    ],
    ['client/start/main.tsx', "import { App } from './start/app.tsx';"],
    ['client/tip-page.ts', "import { TipFirst } from './tip-first.tsx';"],
    [
      'client/render.tsx',
      "import { renderToString } from 'react-dom/server'; import { App } from './app.tsx';",
    ],
    ['server/serve.ts', 'const renderer = await import(path);'],
    ['server/main.ts', "const { serve } = await import('./serve.ts');"],
    ['server/auth/common-passwords.ts', 'export const a = 1;'],
    [
      'client/tip/attempt.ts',
      'export const at = new Date(); crypto.getRandomValues(new Uint8Array(8)); new Date("2026-05-15");',
    ],
  ])('%s with %s', (path, text) => {
    expect(violationsOf(new Map([[path, text]]), [])).toEqual([]);
  });
});

describe('the checker refuses', () => {
  test.each([
    ['shared/tips.ts', "import { pino } from 'pino';", 'shared knows zod and itself only'],
    ['shared/tips.ts', "import { join } from 'node:path';", 'shared knows zod and itself only'],
    [
      'shared/tips.ts',
      "import type { Storage } from '#server/storage/storage.ts';",
      'must not know the storage port',
    ],
    [
      'shared/tips.ts',
      "import { App } from '../client/start/app.tsx';",
      'shared must not know the client app',
    ],
    ['server/storage/storage.ts', "import { a } from './sqlite/connection.ts';", 'must not know sqlite'],
    [
      'server/storage/sqlite/storage.ts',
      "import { a } from '#server/tips/transactions.ts';",
      'sqlite must not know',
    ],
    [
      'server/auth/accounts.ts',
      "import { t } from '#server/tips/transactions.ts';",
      'must not know the chapter tips',
    ],
    [
      'server/auth/accounts.ts',
      "import type { t } from '../tips/transactions.ts';",
      'must not know the chapter tips',
    ],
    [
      'server/auth/accounts.ts',
      "export { t } from '../tips/transactions.ts';",
      'must not know the chapter tips',
    ],
    ['server/auth/accounts.ts', "export * from '../tips/transactions.ts';", 'must not know the chapter tips'],
    [
      'server/auth/accounts.ts',
      "type T = import('../tips/transactions.ts').T;",
      'must not know the chapter tips',
    ],
    [
      'server/auth/accounts.ts',
      "const t = await import('../tips/transactions.ts');",
      'must not know the chapter tips',
    ],
    [
      'server/auth/accounts.ts',
      'const t = await import(`../tips/transactions.ts`);',
      'must not know the chapter tips',
    ],
    [
      'server/auth/accounts.ts',
      "const t = require('../tips/transactions.ts');",
      'must not know the chapter tips',
    ],
    [
      'server/auth/accounts.ts',
      "import t = require('../tips/transactions.ts');",
      'must not know the chapter tips',
    ],
    ['server/auth/accounts.ts', "import '../tips/transactions.ts';", 'must not know the chapter tips'],
    ['server/qr-codes/qr-codes.ts', "import { t } from '#server/api/trpc.ts';", 'must not know api'],
    [
      'server/tips/transactions.ts',
      "import { s } from '#server/storage/sqlite/storage.ts';",
      'must not know sqlite',
    ],
    ['server/tips/transactions.ts', "import { c } from '#server/config.ts';", 'must not know config'],
    ['server/tips/transactions.ts', "import { Hono } from 'hono';", 'know the web framework'],
    ['server/tips/transactions.ts', "import { cors } from 'hono/cors';", 'know the web framework'],
    ['server/tips/transactions.ts', "import type { TRPCError } from '@trpc/server';", 'know tRPC'],
    ['client/tip/tip-page.tsx', "import { isTRPCClientError } from '@trpc/client';", 'know tRPC'],
    ['server/limits.ts', "import { x } from '@hono/node-server';", 'know the web framework'],
    ['server/api/rest.ts', "import D from 'better-sqlite3';", 'knows the database driver'],
    [
      'server/tips/transactions.ts',
      "import { eq } from 'drizzle-orm/sqlite-core';",
      'knows the database driver',
    ],
    ['server/api/rest.ts', "import { s } from '../storage/sqlite/storage.ts';", 'api must not know sqlite'],
    ['server/api/rest.ts', "import { createApp } from '#server/app.ts';", 'api must not know app'],
    [
      'server/app.ts',
      "import { openDatabase } from './storage/sqlite/connection.ts';",
      'app must not know sqlite',
    ],
    ['server/app.ts', "import './main.ts';", 'app must not know main'],
    ['server/serve.ts', "import './commands/db-check.ts';", 'must not know serving and the commands'],
    ['server/serve.ts', "import './main.ts';", 'must not know main'],
    ['server/main.ts', "import { createApp } from './app.ts';", 'main must not know app'],
    ['server/serve.ts', "import { App } from '#client/start/app.tsx';", 'must not know the client app'],
    [
      'server/pages/pages.ts',
      "import { renderPage } from '#client/start/render.tsx';",
      'app must not know the client main',
    ],
    [
      'client/tip/tip-page.tsx',
      "import { TipFirst } from '../start/tip-first.tsx';",
      'must not know the client app',
    ],
    [
      'server/qr-codes/qr-codes.ts',
      "import { create } from 'qrcode';",
      'only qr-codes/qr-image.ts draws codes',
    ],
    ['server/app.ts', "import { a } from '#tests/support/test-app.ts';", 'stands in no layer of the product'],
    ['server/app.ts', 'const a = await import(name);', 'by a computed name'],
    ['server/app.ts', 'const { PORT } = process.env;', 'reads the environment'],
    ['server/app.ts', "const port = process['env'].PORT;", 'reads the environment'],
    ['server/app.ts', 'const { env } = process;', 'reads the environment'],
    ['server/app.ts', "import { env } from 'node:process';", 'reads the environment'],
    [
      'client/tip/tip-page.tsx',
      "import type { AppRouter } from '#server/api/router.ts';",
      'must not know api',
    ],
    ['client/api.ts', "import { AppRouter } from '#server/api/router.ts';", 'must not know api'],
    ['client/api.ts', "import type { Caller } from '#server/api/router.ts';", 'must not know api'],
    ['client/api.ts', "import type { Config } from '#server/config.ts';", 'must not know config'],
    [
      'client/tip/tip-page.tsx',
      "import { Scan } from '../scan/scan-page.tsx';",
      'must not know the screen scan',
    ],
    [
      'client/ui/layout.tsx',
      "import { Scan } from '../scan/scan-page.tsx';",
      'must not know the screen scan',
    ],
    ['client/paths.ts', "import { App } from './start/app.tsx';", 'must not know the client app'],
    ['client/start/app.tsx', "import './main.tsx';", 'must not know the client main'],
    ['client/ui/layout.tsx', "import { join } from 'node:path';", 'browsers have no Node'],
    ['client/ui/layout.tsx', "import { Hono } from 'hono';", 'know the web framework'],
    ['server/tips/transactions.ts', 'const now = Date.now();', 'uses Date.now'],
    ['server/tips/transactions.ts', 'const clock = Date.now;', 'uses Date.now'],
    ['server/tips/transactions.ts', 'const { now } = Date;', 'uses Date.now'],
    ['server/tips/transactions.ts', 'const now = new Date();', 'uses new Date()'],
    ['server/tips/transactions.ts', 'const now = Date();', 'uses Date()'],
    ['server/tips/transactions.ts', 'const id = Math.random();', 'uses Math.random'],
    ['server/tips/transactions.ts', "import { randomBytes } from 'node:crypto';", 'uses randomBytes'],
    ['server/tips/transactions.ts', "import { randomBytes as r } from 'node:crypto';", 'uses randomBytes'],
    ['shared/ids.ts', 'const id = crypto.randomUUID();', 'uses crypto.randomUUID'],
    ['shared/calendar.ts', 'const today = new Date();', 'uses new Date()'],
    ['server/tips/transactions.ts', 'crypto.getRandomValues(bytes);', 'uses crypto.getRandomValues'],
    ['client/tip/attempt.ts', 'const id = Math.random();', 'uses Math.random'],
    ['shared/ids.ts', 'const at = globalThis.performance.now();', 'uses performance.now'],
    ['server/tips/index.ts', 'export const a = 1;', 'is a barrel'],
    ['client/ui/index.tsx', 'export const a = 1;', 'is a barrel'],
    ['server/tips/utils.ts', 'export const a = 1;', 'is named after nothing'],
    ['shared/helpers/money.ts', 'export const a = 1;', 'is named after nothing'],
    ['server/tips/common.ts', 'export const a = 1;', 'is named after nothing'],
    ['server/tips/feed.ts', 'export default 1;', 'has a default export'],
    ['server/tips/feed.ts', 'const a = 1; export { a as default };', 'has a default export'],
    ['server/tips/feed.ts', "export { default } from 'zod';", 'has a default export'],
    ['server/payments/stripe.ts', 'export const a = 1;', 'stands in no layer'],
    ['server/payments.ts', 'export const a = 1;', 'stands in no layer'],
  ])('%s with %s', (path, text, sentence) => {
    expect(violationsOf(new Map([[path, text]]), []).join('\n')).toContain(sentence);
  });

  test('a file of more than 350 lines', () => {
    const lines = (count: number) => new Map([['server/tips/feed.ts', 'const a = 1;\n'.repeat(count)]]);
    expect(violationsOf(lines(350), [])).toEqual([]);
    expect(violationsOf(lines(351), []).join()).toContain('has 351 lines');
  });

  test('a second meeting of client and server', () => {
    const line = "import type { AppRouter } from '#server/api/router.ts';\n";
    expect(
      violationsOf(new Map([['client/api.ts', `${line}${line.replace('AppRouter', 'AppRouter as B')}`]]), []),
    ).toEqual(['client/api.ts imports the router more than once: client and server meet at one line.']);
  });

  test('an exception that nobody needs any more', () => {
    const exception = { file: 'server/app.ts', what: 'Date.now', reason: 'for the log' };
    expect(violationsOf(new Map([['server/app.ts', '']]), [exception])).toEqual([
      'server/app.ts no longer uses Date.now: take its exception away.',
    ]);
    expect(violationsOf(new Map([['server/app.ts', 'Date.now()']]), [exception])).toEqual([]);
  });

  test('a source that cannot be read', () => {
    expect(() => violationsOf(new Map([['server/app.ts', 'import {']]), [])).toThrow('cannot be read');
  });
});
