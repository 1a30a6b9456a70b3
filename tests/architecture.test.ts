/**
 * The product keeps the rules of the house, and the checker finds each kind of violation in a made-up source.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXCEPTIONS, LAYERS, readSources, violationsOf } from '#tests/support/architecture.ts';

const product = readSources('src');

/** The specification names the first, and those beside it are written alike. */
const SPECIFIED = /: (?:Scan with the camera|Stop the camera|Choose a picture of a code)$/;
const SMALL = 'a an and as at by for from in of on or the to with'.split(' ');

function withoutComments(source: string): string {
  return source.replace(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
}

/** The words of each button, and those among which its expression chooses; what ends in dots says what goes on. */
function labelsIn(source: string): string[] {
  return [...withoutComments(source).matchAll(/(?<!=)>([^<>]*)<\/(?:Button|ButtonLink|button)>/g)].flatMap(
    ([, content = '']) => {
      const chosen = [...content.matchAll(/(?<![!=]== )'([^']*)'/g)].map(([, words = '']) => words);
      return [content.replace(/\{.*\}/s, ' '), ...chosen].map((words) => words.trim());
    },
  );
}

function isLower(label: string): boolean {
  if (label.endsWith('...')) return false;
  return label
    .split(/\s+/)
    .some((word, index) => /^[a-z]/.test(word) && (index === 0 || !SMALL.includes(word)));
}

test('the console names its script from the root, because npm run dev serves its page at paths of any depth', () => {
  const page = readFileSync('src/client/operator.html', 'utf8');
  expect(page.match(/<script[^>]+>/g)).toEqual(['<script type="module" src="/operator/main.tsx">']);
});

test('the product keeps the rules of the house', () => {
  expect(product.size).toBeGreaterThan(150);
  expect(violationsOf(product)).toEqual([]);
});

test('what people read has typographic apostrophes, and buttons are written in Title Case', () => {
  const pages = [...product].filter(([path]) => /\.(?:tsx?|html|js)$/.test(path));
  const straight = pages.flatMap(([path, source]) =>
    [...withoutComments(source).matchAll(/[a-z]'(?:s|t|re|ve|ll|d|m)\b(?!').*/gi)].map(
      ([line]) => `${path}: ${line}`,
    ),
  );
  expect(straight).toEqual([]);
  const lower = pages.flatMap(([path, source]) =>
    labelsIn(source)
      .filter(isLower)
      .map((label) => `${path}: ${label}`),
  );
  expect(lower.filter((label) => !SPECIFIED.test(label))).toEqual([]);
  expect(
    labelsIn(`<Button onClick={() => press()}>\n  {isOn ? 'Stop it' : 'Go On'}\n</Button>`).filter(isLower),
  ).toEqual(['Stop it']);
});

test.each(EXCEPTIONS)('an exception is still needed: %s', (reason) => {
  const others = EXCEPTIONS.filter((row) => !row.includes(reason));
  expect(violationsOf(product, others)).not.toEqual([]);
});

test('each arrow between layers is still needed', () => {
  const strict = LAYERS.map(([name, files]) => [name, files, ''] as const);
  const needed = violationsOf(product, EXCEPTIONS, strict).join('\n');
  const unused = LAYERS.flatMap(([name, , mayImport]) =>
    mayImport
      .split(' ')
      .filter((below) => below !== '' && !needed.includes(`: ${name} must not know ${below}.`))
      .map((below) => `${name} may import ${below}, and does not.`),
  );
  expect(unused).toEqual([]);
});

/**
 * Packs members into fewer lines than the formatter gives them. A spread of what a call or a condition makes
 * is none.
 */
const PACKED_MEMBERS = /\.\.\.(?:\{\s*(?:\.\.\.|(?:\w+|'[^']*')\s*[,:}])|\[[^\]]*\](?=\s*[,\]]))/;

test.each(['src', 'tests', 'tools'])('no list or object of %s spreads a literal one', (folder) => {
  const scripts = [...readSources(folder)].filter(([path]) => /\.(?:ts|tsx|js)$/.test(path));
  expect(scripts).not.toEqual([]);
  const packed = scripts.flatMap(([path, source]) => {
    const found = PACKED_MEMBERS.exec(source);
    return found
      ? [`${path}: write the members of ${found[0]} without a literal, which hides them from the formatter.`]
      : [];
  });
  expect(packed).toEqual([]);
});

test('a literal spread is found, and one of a result is not', () => {
  for (const packed of ['{ a, b }', '{ a: 1 }', "{\n 'a': 1 }", '{ ...sums, a }', "['a', 'b'], c"])
    expect(`[...${packed}]`).toMatch(PACKED_MEMBERS);
  for (const plain of ['{ ...sums }', '{ ...(a && { b }) }', "[...['a'].map(b)]", '[...[...codes].sort()]'])
    expect(plain).not.toMatch(PACKED_MEMBERS);
});

test('whatever is fetched later has a boundary of its own, which leaves what is around it where that fails', () => {
  const waiting = [...product].filter(([, source]) => source.includes('Suspense'));
  expect(waiting.map(([path]) => path)).toEqual(['client/ui/boundary.tsx']);
});

const ROUTER = "'#server/api/procedures/router.ts';";

test.each([
  ['server/billing/invoices.ts', '', 'stands in no layer'],
  [
    'server/tips/transactions.ts',
    "import { createStripe } from '#server/payments/stripe/stripe.ts';",
    'chapters must not know stripe',
  ],
  ['server/payments/payouts.ts', "import Stripe from 'stripe';", 'only one module knows the payment service'],
  ['server/tips/utils.ts', '', 'is named after nothing'],
  ['shared/helpers/money.ts', '', 'is named after nothing'],
  ['server/api/rest/rest.ts', "import { createApp } from '#server/app.ts';", 'doors must not know app'],
  ['server/app.ts', "import type { Db } from './storage/sqlite/connection.ts';", 'app must not know engines'],
  ['server/auth/accounts.ts', "export { t } from '../tips/tips.ts';", 'chapters must not know chapters'],
  ['server/auth/accounts.ts', "import '../tips/tips.ts';", 'chapters must not know chapters'],
  ['server/auth/accounts.ts', "type T = import('../tips/tips.ts').T;", 'chapters must not know chapters'],
  ['server/serve.ts', "await import('./commands/db-check.ts');", 'programs must not know programs'],
  ['client/tip/tip.tsx', "import { Scan } from '../scan/scan.tsx';", 'screens must not know screens'],
  ['client/ui/screen.tsx', "import { Scan } from '../scan/scan.tsx';", 'ui must not know screens'],
  ['client/ui/screen.tsx', "import { useSession } from '../session/session.ts';", 'ui must not know session'],
  ['client/signed-in/logout.ts', "import { App } from '../start/frame/app.tsx';", 'data must not know start'],
  ['server/app.ts', "import { App } from '#client/start/frame/app.tsx';", 'app must not know start'],
  ['server/app.ts', "import { t } from '#tests/support/test-app.ts';", 'app must not know it'],
  ['client/tip/tip.tsx', `import type { AppRouter } from ${ROUTER}`, 'screens must not know procedures'],
  [
    'client/api-client/api.ts',
    `import type { AppRouter, Caller } from ${ROUTER}`,
    'roots must not know procedures',
  ],
  [
    'client/api-client/api.ts',
    `import type { AppRouter } from ${ROUTER}\n`.repeat(2),
    'roots must not know procedures',
  ],
  ['shared/tips.ts', "import { pino } from 'pino';", 'shared knows zod only'],
  ['client/ui/screen.tsx', "import { join } from 'node:path';", 'browsers have no Node.js'],
  ['server/tips/tips.ts', "import { cors } from 'hono/cors';", 'only the edge knows the web framework'],
  ['server/tips/tips.ts', "import type { TRPCError } from '@trpc/server';", 'only the edges know tRPC'],
  [
    'server/api/rest/rest.ts',
    "import { eq } from 'drizzle-orm';",
    'only statements know the builder of queries',
  ],
  ['server/storage/steps/codes.ts', "import type { Client } from 'pg';", 'only the engine knows its driver'],
  ['server/storage/steps/codes.ts', "import '../sqlite/group-commit.ts';", 'steps must not know engines'],
  ['server/api/rest/rest.ts', "import { create } from 'qrcode';", 'one module encodes codes'],
  ['server/tips/tips.ts', "import { encrypt } from 'http_ece';", 'one module encrypts notifications'],
  ['server/print/printer.ts', "import PDFDocument from 'pdfkit';", 'only the thread that prints sets type'],
  ['server/print/printer.ts', "import { drawSheet } from './sheet.ts';", 'printer must not know drawing'],
  ['server/app.ts', 'const { renderer } = await import(path);', 'uses import('],
  ['server/tips/tips.ts', 'const clock = Date.now;', 'uses Date.now'],
  ['shared/calendar.ts', 'const today = new Date();', 'uses Date()'],
  ['client/tip/attempt.ts', 'const id = Math.random();', 'uses Math.random'],
  ['server/tips/tips.ts', "import { randomBytes as r } from 'node:crypto';", 'uses randomBytes'],
])('the checker says that %s with "%s" %s', (path, text, sentence) => {
  expect(violationsOf(new Map([[path, text]])).join('\n')).toContain(sentence);
});
