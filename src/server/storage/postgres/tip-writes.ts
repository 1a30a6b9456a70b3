/**
 * Writes tips and their reversals, each with its entries, the totals of its two people and the bucket of its receiver, in one
 * statement. The accounts have to be locked, always in the order of their ids, so that no two transactions wait for each other;
 * under these locks nobody else moves their totals, or adds to their entries.
 */
import type { UserId } from '#shared/ids.ts';
import { takenFromBucket } from '../bucket-details.ts';
import type { Reversal, TransactionRecord } from '../ledger.ts';
import { bucketStartMs } from '../rules.ts';
import type { Session } from './atomic-steps.ts';
import { CHANNEL, entriesPayload } from './notifications.ts';

/** An account as it is once what is written under its lock is committed. */
export interface LockedAccount {
  readonly id: UserId;
  readonly username: string;
  readonly fullName: string;
  readonly isClosing: boolean;
  position: number;
  receivedCents: number;
  givenCents: number;
}

const LOCK_ACCOUNTS = `
  SELECT id, username, full_name AS "fullName", closes_at_ms IS NOT NULL AS "isClosing", last_position AS position,
    total_tips_received_cents AS "receivedCents", total_tips_given_cents AS "givenCents"
  FROM accounts
  WHERE id IN (
    SELECT unnest($1::text[]) UNION SELECT user_id FROM qr_codes WHERE qr_codes.id = ANY ($2::text[])
  )
  ORDER BY id FOR NO KEY UPDATE OF accounts`;

/** Moves accounts to what they come to, and tells the processes that listen. */
const MOVE_ACCOUNTS = `
  moved AS (
    UPDATE accounts
    SET last_position = position, total_tips_received_cents = received, total_tips_given_cents = given
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS account (account_id, position, received, given)
    WHERE id = account_id
  )
  SELECT pg_notify('${CHANNEL}', $5)`;

const RECORD = `
  WITH tip AS (
    SELECT * FROM unnest(
      $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
      $15::integer[], $16::integer[], $17::text[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[],
      $30::text[]
    ) WITH ORDINALITY AS tip (
      id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents, receiver_fee_cents,
      net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms, giver_position, receiver_position,
      given_after_cents, received_after_cents, payment_mode, place
    )
  ), inserted AS (
    INSERT INTO transactions (
      id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents, receiver_fee_cents,
      net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms, giver_position, receiver_position,
      payment_mode
    )
    SELECT id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents, receiver_fee_cents,
      net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms, giver_position, receiver_position,
      payment_mode
    FROM tip ORDER BY place
    RETURNING sequence, id
  ), entered AS (
    INSERT INTO entries (
      account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms
    )
    SELECT giver_id, giver_position, 'given', sequence, amount_cents, given_after_cents, created_at_ms
    FROM tip JOIN inserted USING (id) WHERE giver_id IS NOT NULL
    UNION ALL
    SELECT receiver_id, receiver_position, 'received', sequence, net_amount_cents, received_after_cents, created_at_ms
    FROM tip JOIN inserted USING (id)
  ), counted AS (
    INSERT INTO tip_buckets AS bucket (
      account_id, start_ms, service_category, count, cents, gross_cents, largest_cents, detailed_count
    )
    SELECT *, count FROM unnest(
      $23::text[], $24::bigint[], $25::text[], $26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[]
    ) AS bucket (account_id, start_ms, service_category, count, cents, gross_cents, largest_cents)
    ON CONFLICT (account_id, start_ms, service_category)
    DO UPDATE SET count = bucket.count + excluded.count, cents = bucket.cents + excluded.cents,
      gross_cents = bucket.gross_cents + excluded.gross_cents,
      largest_cents = greatest(bucket.largest_cents, excluded.largest_cents),
      detailed_count = bucket.detailed_count + excluded.detailed_count
  ), ${MOVE_ACCOUNTS}`;

const REVERSE = `
  WITH reversal AS (
    INSERT INTO reversals (
      transaction_sequence, created_at_ms, giver_position, receiver_position, reversed_by, idempotency_key
    ) VALUES ($6, $7, $8, $9, $18, $19)
  ), entered AS (
    INSERT INTO entries (
      account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms
    )
    SELECT $10::text, $8::bigint, 'given_reversed', $6::bigint, -$11::bigint, $12::bigint, $7::bigint WHERE $10 IS NOT NULL
    UNION ALL SELECT $13::text, $9::bigint, 'received_reversed', $6::bigint, -$14::bigint, $15::bigint, $7::bigint
  ), counted AS (
    UPDATE tip_buckets SET ${takenFromBucket('$14::bigint', '$11::bigint')}
    WHERE account_id = $13 AND start_ms = $16 AND service_category = $17
  ), ${MOVE_ACCOUNTS}`;

/** A tip that is due, with where its entries stand and what they come to. */
export interface DueTip extends TransactionRecord {
  /** Null for a guest, who has no account. */
  readonly giverPosition: number | null;
  readonly receiverPosition: number;
  readonly givenAfterCents: number | null;
  readonly receivedAfterCents: number;
}

type Row = Record<string, unknown>;

/** Locks accounts by their ids, and the owners of codes. */
export async function lockAccounts(session: Session, ids: readonly UserId[], codeIds: readonly string[]) {
  const rows = await session.ask<LockedAccount & Row>({
    name: 'lock_accounts',
    text: LOCK_ACCOUNTS,
    values: [ids, codeIds],
  });
  return new Map(rows.map((account): [UserId, LockedAccount] => [account.id, account]));
}

/** Writes tips that are due. @param touched the accounts that they move, as they are then. */
export async function writeTips(
  session: Session,
  due: readonly DueTip[],
  touched: readonly LockedAccount[],
): Promise<void> {
  const buckets = bucketsOf(due);
  const list = <Value>(value: (tip: DueTip) => Value) => due.map(value);
  await session.ask({
    name: 'record',
    text: RECORD,
    values: [
      ...movesOf(touched),
      list(({ id }) => id),
      list(({ giverId }) => giverId),
      list(({ receiverId }) => receiverId),
      list(({ qrCodeId }) => qrCodeId),
      list(({ serviceCategory }) => serviceCategory),
      list(({ amountCents }) => amountCents),
      list(({ giverFeeCents }) => giverFeeCents),
      list(({ receiverFeeCents }) => receiverFeeCents),
      list(({ netAmountCents }) => netAmountCents),
      list(({ giverFeeRate }) => giverFeeRate),
      list(({ receiverFeeRate }) => receiverFeeRate),
      list(({ idempotencyKey }) => idempotencyKey),
      list(({ createdAtMs }) => createdAtMs),
      list(({ giverPosition }) => giverPosition),
      list(({ receiverPosition }) => receiverPosition),
      list(({ givenAfterCents }) => givenAfterCents),
      list(({ receivedAfterCents }) => receivedAfterCents),
      buckets.map(({ accountId }) => accountId),
      buckets.map(({ startMs }) => startMs),
      buckets.map(({ serviceCategory }) => serviceCategory),
      buckets.map(({ count }) => count),
      buckets.map(({ netCents }) => netCents),
      buckets.map(({ grossCents }) => grossCents),
      buckets.map(({ largestCents }) => largestCents),
      list(({ paymentMode }) => paymentMode),
    ],
  });
}

/** Adds a tip to what its two accounts come to. @param giver null for a guest, who has none. */
export function dueTip(
  transaction: TransactionRecord,
  giver: LockedAccount | null,
  receiver: LockedAccount,
): DueTip {
  if (giver) {
    giver.position += 1;
    giver.givenCents += transaction.amountCents;
  }
  receiver.position += 1;
  receiver.receivedCents += transaction.netAmountCents;
  return {
    ...transaction,
    giverPosition: giver?.position ?? null,
    receiverPosition: receiver.position,
    givenAfterCents: giver?.givenCents ?? null,
    receivedAfterCents: receiver.receivedCents,
  };
}

/** Writes the reversal of a tip. */
export async function writeReversal(
  session: Session,
  {
    found,
    giver,
    receiver,
    reversal: { createdAtMs, reversedBy },
    idempotencyKey,
  }: {
    readonly found: TransactionRecord & { readonly sequence: number };
    /** Null for a guest. */
    readonly giver: LockedAccount | null;
    readonly receiver: LockedAccount;
    readonly reversal: Reversal;
    readonly idempotencyKey: string | null;
  },
): Promise<void> {
  if (giver) {
    giver.position += 1;
    giver.givenCents -= found.amountCents;
  }
  receiver.position += 1;
  receiver.receivedCents -= found.netAmountCents;
  await session.ask({
    name: 'reverse',
    text: REVERSE,
    values: [
      ...movesOf(giver ? [giver, receiver] : [receiver]),
      found.sequence,
      createdAtMs,
      giver?.position ?? null,
      receiver.position,
      giver?.id ?? null,
      found.amountCents,
      giver?.givenCents ?? null,
      receiver.id,
      found.netAmountCents,
      receiver.receivedCents,
      bucketStartMs(found),
      found.serviceCategory,
      reversedBy,
      idempotencyKey,
    ],
  });
}

function movesOf(accounts: readonly LockedAccount[]) {
  return [
    accounts.map(({ id }) => id),
    accounts.map(({ position }) => position),
    accounts.map(({ receivedCents }) => receivedCents),
    accounts.map(({ givenCents }) => givenCents),
    entriesPayload(accounts.map(({ id }) => id)),
  ];
}

/** What the tips add to each bucket: a statement cannot add to one twice. */
function bucketsOf(tips: readonly TransactionRecord[]) {
  const buckets = new Map<
    string,
    {
      accountId: UserId;
      startMs: number;
      serviceCategory: string;
      count: number;
      netCents: number;
      grossCents: number;
      largestCents: number;
    }
  >();
  for (const tip of tips) {
    const { receiverId: accountId, serviceCategory } = tip;
    const startMs = bucketStartMs(tip);
    const name = `${accountId} ${startMs} ${serviceCategory}`;
    const bucket = buckets.get(name) ?? {
      accountId,
      startMs,
      serviceCategory,
      count: 0,
      netCents: 0,
      grossCents: 0,
      largestCents: 0,
    };
    bucket.count += 1;
    bucket.netCents += tip.netAmountCents;
    bucket.grossCents += tip.amountCents;
    bucket.largestCents = Math.max(bucket.largestCents, tip.netAmountCents);
    buckets.set(name, bucket);
  }
  return [...buckets.values()];
}
