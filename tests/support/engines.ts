/**
 * Which server tests run on both engines. Those do whose statements an engine could break: what is stored and
 * in which order, what happens at once, over several processes or after a restart, and limits and sessions,
 * which are counted in the database. What a request may hold, who may do what and what is answered is decided
 * above the port of the storage, and is told on SQLite alone; what it asks of the storage (texts, orders,
 * bounds, names that are taken) is promised in `storage-contract/`, on both engines. Of payments, what Stripe is
 * asked and what is made of its answers and events (`stripe-adapter`, `payments-webhook-events`) or of their order
 * (`payments-order`) is told on SQLite alone; what is stored of a tip's money then is told on both. So is what a
 * statement holds (`records-agree`), and how one is written (`csv`) on SQLite alone.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export const ON_BOTH_ENGINES: readonly string[] = [
  'audit-log',
  'changed-codes',
  'clock',
  'console-people',
  'code-life',
  'console-upkeep',
  'console-codes',
  'console-installation',
  'console-reports',
  'console-fees',
  'console-transactions',
  'console-attacks',
  'console-audit',
  'factors',
  'idempotency',
  'ledger-model',
  'limits',
  'mail-processes',
  'maintenance',
  'notifications-processes',
  'operators',
  'payments',
  'payments-disputes',
  'payments-failures',
  'payments-faults',
  'payments-holding',
  'payments-keys',
  'payments-model',
  'payments-money-back',
  'payments-parts',
  'payments-processes',
  'payments-restore',
  'payments-tables',
  'payouts',
  'probes',
  'reconciliation',
  'records-agree',
  'secrets',
  'sessions',
  'storage-contract',
  'terms',
  'tip-feed',
  'webhooks-processes',
  'who-may-join',
];

/**
 * The names of the other tests that take their data from the engine of the project. A new test stands in one
 * of these lists.
 */
export const ON_SQLITE_ALONE: readonly string[] = [
  'access-matrix',
  'account-care',
  'accounts',
  'announcements',
  'api-keys',
  'brand',
  'brand-logo',
  'client-address',
  'console-access',
  'closed-accounts',
  'closed-payments',
  'csv',
  'events',
  'export',
  'filters',
  'full-disk',
  'generated-clients',
  'giver-pseudonym',
  'guest-pages',
  'guests',
  'headers',
  'hostile-bodies',
  'hostile-calls',
  'hostile-fuzz',
  'hostile-sizes',
  'hostile-strings',
  'insights',
  'lock-outs',
  'mail',
  'mail-relay',
  'messages',
  'metrics',
  'migrations',
  'notification-thanks',
  'notifications',
  'openapi',
  'openapi-strictness',
  'operator-pages',
  'paging',
  'password-again',
  'passwords',
  'operator-contact',
  'payment-mode',
  'payments-order',
  'payments-webhook-events',
  'photos',
  'print',
  'profile',
  'qr-codes',
  'qr-pictures',
  'quota',
  'receipts',
  'refunds',
  'second-factors',
  'refusals',
  'rendered-pages',
  'rendered-pages-kept',
  'security-events',
  'storage-durability',
  'stripe-adapter',
  'summary',
  'till',
  'tip-feed-places',
  'tip-pages',
  'tip-pages-rendered',
  'tip-streams',
  'typed-codes',
  'unknown-names',
  'version',
  'wrong-fields',
  'webhooks',
];

/** Whoever reaches this module by its imports gets its data from the engine of the project. */
const DATA = 'tests/support/test-data.ts';
const IMPORT = /from '((?:#tests|\.{1,2})\/[^']+\.ts)'/g;

export function testFilesOf(names: readonly string[]): string[] {
  return names.map((name) => `tests/server/${name}.test.ts`);
}

/**
 * The names of the server tests that take their data from the engine of the project. @param root the folder
 * of the project.
 */
export function findTestsWithData(root: string): string[] {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string) => {
    const found =
      imports.get(file) ??
      [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, path = '']) =>
        path.startsWith('#') ? path.slice(1) : posix.join(posix.dirname(file), path),
      );
    imports.set(file, found);
    return found;
  };
  const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const imported of importsOf(file)) {
      if (!imported.startsWith('tests/') || seen.has(imported)) continue;
      seen.add(imported);
      reached(imported, seen);
    }
    return seen;
  };
  return globSync('tests/server/*.test.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => reached(file).has(DATA))
    .map((file) => posix.basename(file, '.test.ts'))
    .sort();
}
