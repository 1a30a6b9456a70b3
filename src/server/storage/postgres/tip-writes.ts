/** Writes tips in one statement. The accounts must be locked, so that nobody else changes their totals or entries. */
import { getTableColumns } from 'drizzle-orm';
import type { UserId } from '#shared/ids.ts';
import type { NewTransaction } from '../port/ledger.ts';
import { quarterOf } from '../rules/tips.ts';
import { listedType } from '../schema/columns.ts';
import { tips } from '../schema/ledger.ts';
import {
  type AccountNumber,
  CATEGORY_NUMBERS,
  type CodeNumber,
  KIND_NUMBERS,
  MODE_NUMBERS,
} from '../schema/numbers.ts';
import type { WholeRow } from '../statements/builder.ts';
import { CHANNEL } from '../statements/tips.ts';
import { entriesPayload } from '../steps/listeners.ts';
import type { StepConnection } from './atomic-steps.ts';

/** An account as it will be once the transaction commits. */
export interface LockedAccount {
  readonly id: UserId;
  readonly number: AccountNumber;
  readonly username: string;
  readonly fullName: string;
  readonly isSuspended: boolean;
  /** Whether the account is neither closing nor suspended. */
  readonly takesTips: boolean;
  position: number;
  receivedCents: number;
  givenCents: number;
}

const MOVE_ACCOUNTS = `
  moved AS (
    UPDATE accounts
    SET last_position = position, total_tips_received_cents = received, total_tips_given_cents = given
    FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[]) AS account (account, position, received, given)
    WHERE number = account
  )
  SELECT pg_notify('${CHANNEL}', $5)`;

const COLUMNS = Object.entries(getTableColumns(tips)).filter(
  ([, column]) => column.generatedIdentity === undefined,
);
const NAMES = COLUMNS.map(([, column]) => column.name).join(', ');

const lists = (first: number, types: readonly string[]) =>
  types.map((type, index) => `$${first + index}::${type}[]`).join(', ');

const TIP_TYPES = [...COLUMNS.map(([, column]) => listedType(column)), 'bigint', 'bigint'];
const BUCKET_TYPES = ['integer', 'integer', 'smallint', 'integer', 'bigint', 'bigint', 'bigint'];
const FIRST_OF_TIPS = 6;

const RECORD = `
  WITH tip AS (
    SELECT * FROM unnest(${lists(FIRST_OF_TIPS, TIP_TYPES)})
    WITH ORDINALITY AS tip (${NAMES}, given_after_cents, received_after_cents, place)
  ), inserted AS (
    INSERT INTO tips (${NAMES}) SELECT ${NAMES} FROM tip ORDER BY place RETURNING sequence, id
  ), entered AS (
    INSERT INTO tip_entries (
      account, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms
    )
    SELECT giver, giver_position, ${KIND_NUMBERS.given}, sequence, amount_cents, given_after_cents, created_at_ms
    FROM tip JOIN inserted USING (id) WHERE giver IS NOT NULL
    UNION ALL
    SELECT receiver, receiver_position, ${KIND_NUMBERS.received}, sequence, net_amount_cents, received_after_cents, created_at_ms
    FROM tip JOIN inserted USING (id)
  ), counted AS (
    INSERT INTO tip_quarters AS bucket (
      account, quarter, category, count, cents, gross_cents, largest_cents, detailed_count
    )
    SELECT *, count FROM unnest(${lists(FIRST_OF_TIPS + TIP_TYPES.length, BUCKET_TYPES)})
      AS bucket (account, quarter, category, count, cents, gross_cents, largest_cents)
    ON CONFLICT (account, quarter, category)
    DO UPDATE SET count = bucket.count + excluded.count, cents = bucket.cents + excluded.cents,
      gross_cents = bucket.gross_cents + excluded.gross_cents,
      largest_cents = greatest(bucket.largest_cents, excluded.largest_cents),
      detailed_count = bucket.detailed_count + excluded.detailed_count
  ), ${MOVE_ACCOUNTS}`;

type TipRow = WholeRow<typeof tips>;

export interface DueTip {
  readonly row: TipRow;
  readonly givenAfterCents: number | null;
  readonly receivedAfterCents: number;
}

export async function writeTips(
  connection: StepConnection,
  due: readonly DueTip[],
  touched: readonly LockedAccount[],
): Promise<void> {
  const buckets = bucketsOf(due.map(({ row }) => row));
  await connection.ask({
    name: 'record',
    text: RECORD,
    values: [
      ...movesOf(touched),
      ...COLUMNS.map(([name]) => due.map(({ row }) => valueIn(row, name))),
      due.map(({ givenAfterCents }) => givenAfterCents),
      due.map(({ receivedAfterCents }) => receivedAfterCents),
      buckets.map(({ account }) => account),
      buckets.map(({ quarter }) => quarter),
      buckets.map(({ category }) => category),
      buckets.map(({ count }) => count),
      buckets.map(({ netCents }) => netCents),
      buckets.map(({ grossCents }) => grossCents),
      buckets.map(({ largestCents }) => largestCents),
    ],
  });
}

/** @throws Error for a missing column, which the database would store as NULL. */
function valueIn(row: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = row[name];
  if (value === undefined) throw new Error(`a tip has no ${name}`);
  return value;
}

export function dueTip(
  { tip, code }: { readonly tip: NewTransaction; readonly code: CodeNumber },
  giver: LockedAccount | null,
  receiver: LockedAccount,
): DueTip {
  if (giver) {
    giver.position += 1;
    giver.givenCents += tip.amountCents;
  }
  receiver.position += 1;
  receiver.receivedCents += tip.netAmountCents;
  return {
    row: {
      ...tip,
      giver: giver?.number ?? null,
      receiver: receiver.number,
      code,
      category: CATEGORY_NUMBERS[tip.serviceCategory],
      mode: MODE_NUMBERS[tip.paymentMode],
      idempotencyKey: '',
      giverPosition: giver?.position ?? null,
      receiverPosition: receiver.position,
    },
    givenAfterCents: giver?.givenCents ?? null,
    receivedAfterCents: receiver.receivedCents,
  };
}

function movesOf(accounts: readonly LockedAccount[]) {
  return [
    accounts.map(({ number }) => number),
    accounts.map(({ position }) => position),
    accounts.map(({ receivedCents }) => receivedCents),
    accounts.map(({ givenCents }) => givenCents),
    entriesPayload(accounts.map(({ id }) => id)),
  ];
}

interface Bucket {
  readonly account: AccountNumber;
  readonly quarter: number;
  readonly category: number;
  readonly count: number;
  readonly netCents: number;
  readonly grossCents: number;
  readonly largestCents: number;
}

/**
 * Sums tips by bucket, because one statement can update a row only once; in the order of keys, in which the check of
 * the ledger locks them.
 */
function bucketsOf(tips: readonly TipRow[]): readonly Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const tip of tips) {
    const { receiver: account, category, netAmountCents, amountCents } = tip;
    const quarter = quarterOf(tip);
    const name = `${account} ${quarter} ${category}`;
    const { count = 0, netCents = 0, grossCents = 0, largestCents = 0 } = buckets.get(name) ?? {};
    buckets.set(name, {
      account,
      quarter,
      category,
      count: count + 1,
      netCents: netCents + netAmountCents,
      grossCents: grossCents + amountCents,
      largestCents: Math.max(largestCents, netAmountCents),
    });
  }
  return [...buckets.values()].sort(
    (a, b) => a.account - b.account || a.quarter - b.quarter || a.category - b.category,
  );
}
