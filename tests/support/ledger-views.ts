/**
 * Lets tests write to the views of the ledger as if they were tables, in ids and words, as somebody would who forges
 * the ledger. What has no number gets one that nothing has.
 */
import type { ClientBase } from 'pg';
import { CATEGORY_NUMBERS, KIND_NUMBERS, MODE_NUMBERS } from '#server/storage/schema/numbers.ts';
import type { Database } from '#server/storage/sqlite/connection.ts';

const UNKNOWN = 30_000;

interface View {
  readonly view: string;
  readonly table: string;
  readonly key: readonly string[];
  /** Columns of the table, each with what it becomes of the columns of the view. */
  readonly columns: Readonly<Record<string, string>>;
}

const unlessNumbered = (found: string, text: string) =>
  `coalesce(${found}, CASE WHEN ${text} LIKE 'number %' THEN CAST(substr(${text}, 8) AS integer) END, ${UNKNOWN})`;
const account = (text: string) => unlessNumbered(`(SELECT number FROM accounts WHERE id = ${text})`, text);
const code = (text: string) => unlessNumbered(`(SELECT sequence FROM qr_codes WHERE id = ${text})`, text);
const word = (text: string, numbers: Readonly<Record<string, number>>) =>
  unlessNumbered(
    `CASE ${text} ${Object.entries(numbers)
      .map(([name, number]) => `WHEN '${name}' THEN ${number}`)
      .join(' ')} END`,
    text,
  );
const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `NEW.${name}`]));

const VIEWS: readonly View[] = [
  {
    view: 'transactions',
    table: 'tips',
    key: ['sequence'],
    columns: {
      ...same('sequence', 'id', 'amount_cents', 'giver_fee_cents', 'receiver_fee_cents', 'net_amount_cents'),
      ...same('giver_fee_rate', 'receiver_fee_rate', 'created_at_ms'),
      idempotency_key: `coalesce(NEW.idempotency_key, '')`,
      ...same('giver_position', 'receiver_position'),
      terms_version: 'coalesce(NEW.terms_version, 0)',
      giver: `CASE WHEN NEW.giver_id IS NOT NULL THEN ${account('NEW.giver_id')} END`,
      receiver: account('NEW.receiver_id'),
      code: code('NEW.qr_code_id'),
      category: word('NEW.service_category', CATEGORY_NUMBERS),
      mode: word(`coalesce(NEW.payment_mode, 'simulated')`, MODE_NUMBERS),
    },
  },
  {
    view: 'entries',
    table: 'tip_entries',
    key: ['account', 'position'],
    columns: {
      ...same('position', 'transaction_sequence', 'cents', 'balance_after_cents', 'created_at_ms'),
      account: account('NEW.account_id'),
      kind: word('NEW.kind', KIND_NUMBERS),
    },
  },
  {
    view: 'tip_buckets',
    table: 'tip_quarters',
    key: ['account', 'quarter', 'category'],
    columns: {
      ...same('count', 'cents'),
      checked_count: 'coalesce(NEW.checked_count, 0)',
      checked_cents: 'coalesce(NEW.checked_cents, 0)',
      detailed_count: 'coalesce(NEW.detailed_count, 0)',
      gross_cents: 'coalesce(NEW.gross_cents, 0)',
      largest_cents: 'coalesce(NEW.largest_cents, 0)',
      account: account('NEW.account_id'),
      quarter: 'NEW.start_ms / 900000',
      category: word('NEW.service_category', CATEGORY_NUMBERS),
    },
  },
];

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;

function actionOf({ table, key, columns }: View, event: (typeof EVENTS)[number], home: string): string {
  const of = (row: 'OLD' | 'NEW', name: string) =>
    columns[name]?.replaceAll('NEW.', `${row}.`) ?? `${row}.${name}`;
  const isRow = key.map((name) => `${name} = ${of('OLD', name)}`).join(' AND ');
  switch (event) {
    case 'INSERT':
      return `INSERT INTO ${home}${table} (${Object.keys(columns).join(', ')}) ${home ? 'OVERRIDING SYSTEM VALUE ' : ''}VALUES (${Object.values(columns).join(', ')});`;
    case 'UPDATE':
      return `UPDATE ${home}${table} SET ${Object.entries(columns)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', ')} WHERE ${isRow};`;
    case 'DELETE':
      return `DELETE FROM ${home}${table} WHERE ${isRow};`;
  }
}

/** For a connection: the triggers are temporary, so that the file stays as it was. */
export function letWriteToViews(database: Database): void {
  const views = new Set(
    database.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'view'`).pluck().all(),
  );
  for (const view of VIEWS.filter((one) => views.has(one.view)))
    for (const event of EVENTS)
      database.exec(`CREATE TEMP TRIGGER IF NOT EXISTS write_${view.view}_${event.toLowerCase()}
        INSTEAD OF ${event} ON main.${view.view} BEGIN ${actionOf(view, event, '')} END`);
}

/**
 * The same on PostgreSQL, where triggers of views are part of the schema: they stand while `use` runs.
 * @param client may alter the tables.
 */
export async function writingToViews<Result>(
  client: ClientBase,
  use: () => Promise<Result>,
): Promise<Result> {
  for (const view of VIEWS)
    for (const event of EVENTS) {
      const name = `write_${view.view}_${event.toLowerCase()}`;
      const body = actionOf(view, event, 'tipwell.')
        .replaceAll(/\b(FROM|UPDATE|INTO) (accounts|qr_codes)\b/g, '$1 tipwell.$2')
        // PostgreSQL updates an identity only to its default.
        .replace('SET sequence = NEW.sequence, ', 'SET ');
      await client.query(`CREATE FUNCTION tipwell.${name}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${body} RETURN ${event === 'DELETE' ? 'OLD' : 'NEW'}; END $$`);
      await client.query(
        `CREATE TRIGGER ${name} INSTEAD OF ${event} ON tipwell.${view.view} FOR EACH ROW EXECUTE FUNCTION tipwell.${name}()`,
      );
    }
  try {
    return await use();
  } finally {
    for (const view of VIEWS)
      for (const event of EVENTS)
        await client.query(`DROP FUNCTION tipwell.write_${view.view}_${event.toLowerCase()} CASCADE`);
  }
}
