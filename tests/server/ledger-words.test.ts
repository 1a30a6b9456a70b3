/**
 * What the ledger stores as numbers reads as the words that they stand for: the views of both engines say what
 * `storage/schema/numbers.ts` says, and the tables take every number of a word and no other.
 */
import { expect, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { ENTRY_KINDS } from '#server/storage/port/ledger.ts';
import { CATEGORY_NUMBERS, KIND_NUMBERS, MODE_NUMBERS } from '#server/storage/schema/numbers.ts';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { PAYMENT_MODES } from '#shared/payments.ts';
import { migratedContents } from '#tests/support/migrated-contents.ts';

type Numbers = Readonly<Record<string, number>>;

/** The columns of numbers, and where they read as words. */
const COLUMNS: readonly {
  readonly table: string;
  readonly column: string;
  readonly view: string;
  readonly word: string;
  readonly words: readonly string[];
  readonly numbers: Numbers;
}[] = [
  {
    table: 'tips',
    column: 'category',
    view: 'transactions',
    word: 'service_category',
    words: SERVICE_CATEGORIES,
    numbers: CATEGORY_NUMBERS,
  },
  {
    table: 'tips',
    column: 'mode',
    view: 'transactions',
    word: 'payment_mode',
    words: PAYMENT_MODES,
    numbers: MODE_NUMBERS,
  },
  {
    table: 'tip_entries',
    column: 'kind',
    view: 'entries',
    word: 'kind',
    words: ENTRY_KINDS,
    numbers: KIND_NUMBERS,
  },
  {
    table: 'tip_quarters',
    column: 'category',
    view: 'tip_buckets',
    word: 'service_category',
    words: SERVICE_CATEGORIES,
    numbers: CATEGORY_NUMBERS,
  },
];

/** A row of each table that is as it should be but for one column. */
const ROWS: Readonly<Record<string, Readonly<Record<string, number | string>>>> = {
  tips: {
    idempotency_key: '',
    created_at_ms: 0,
    amount_cents: 1,
    giver_fee_cents: 0,
    receiver_fee_cents: 0,
    net_amount_cents: 1,
    receiver: 1,
    code: 1,
    receiver_position: 1,
    terms_version: 0,
    giver_fee_rate: 0,
    receiver_fee_rate: 0,
    category: 1,
    mode: 0,
    id: 'txn_1',
  },
  tip_entries: {
    transaction_sequence: 1,
    cents: 0,
    balance_after_cents: 0,
    created_at_ms: 0,
    account: 1,
    position: 1,
  },
  tip_quarters: { cents: 0, account: 1, quarter: 0, count: 0 },
};

/** The last statement of an engine's migrations that has a text in it. */
function lastWith(engine: 'sqlite' | 'postgres', text: RegExp): string {
  const statements = readMigrations(engine).flatMap((migration) => migration.statements);
  return statements.findLast((statement) => text.test(statement)) ?? '';
}

test.each(COLUMNS)('every word of $view.$word has a number of its own', ({ words, numbers }) => {
  expect(Object.keys(numbers).sort()).toEqual([...words].sort());
  expect(new Set(Object.values(numbers)).size).toBe(words.length);
});

test.each(COLUMNS)('SQLite takes every number of $table.$column, and reads it as its word', (place) => {
  const { table, column, view, word, numbers } = place;
  const database = openDatabase(IN_MEMORY, { contents: migratedContents() });
  // A paid tip needs its payment, of which nothing is said here.
  database.exec('DROP TRIGGER tips_are_paid');
  const read = (number: number) => {
    const row = { ...ROWS[table], [column]: number };
    const names = Object.keys(row);
    database.exec('SAVEPOINT before');
    try {
      database
        .prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`)
        .run(row);
      return database.prepare(`SELECT ${word} FROM ${view}`).pluck().all();
    } finally {
      database.exec('ROLLBACK TO before; RELEASE before');
    }
  };
  for (const [name, number] of Object.entries(numbers)) expect(read(number)).toEqual([name]);
  const others = [Math.min(...Object.values(numbers)) - 1, Math.max(...Object.values(numbers)) + 1];
  for (const other of others) expect(() => read(other)).toThrow('CHECK');
  database.close();
});

test.each(COLUMNS)('PostgreSQL reads $table.$column as the same words', ({
  table,
  column,
  view,
  numbers,
}) => {
  const definition = lastWith('postgres', new RegExp(`CREATE (?:OR REPLACE )?VIEW "tipwell"."${view}"`));
  const cases = new RegExp(`CASE "${table}"\\."${column}"((?: WHEN \\d+ THEN '\\w+')+) ELSE 'number '`);
  const words = [...(cases.exec(definition)?.[1] ?? '').matchAll(/WHEN (\d+) THEN '(\w+)'/g)];
  expect(Object.fromEntries(words.map(([, number, name]) => [name, Number(number)]))).toEqual(numbers);
});

test.each(COLUMNS)('PostgreSQL’s table refuses the same numbers in $table.$column as that of SQLite', ({
  table,
  column,
}) => {
  const conditionOf = (engine: 'sqlite' | 'postgres') => {
    const name = new RegExp(`CONSTRAINT "${table}_${column}" CHECK ?\\((.+)\\)`);
    return name.exec(lastWith(engine, name))?.[1]?.replaceAll('"tipwell".', '');
  };
  expect(conditionOf('postgres')).toMatch(/between|in/);
  expect(conditionOf('postgres')).toBe(conditionOf('sqlite'));
});
