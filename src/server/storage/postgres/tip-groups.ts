/**
 * Records tips and reverses them, set by set: a group of tips takes two round trips to the server, however many they are. The
 * accounts of all givers and receivers are locked first, always in the order of their ids, so that no two transactions wait for
 * each other; under these locks nobody else moves their totals, adds to their entries, or uses an idempotency key of the givers'.
 */
import type { UserId } from '#shared/ids.ts';
import { takenFromBucket } from '../bucket-details.ts';
import { statusForGivers } from '../closed-accounts.ts';
import type {
  NewReversal,
  NewTransaction,
  RecordOutcome,
  Reversal,
  ReverseOutcome,
  TransactionRecord,
} from '../ledger.ts';
import {
  bucketStartMs,
  decideReversal,
  decideTip,
  type StoredTransaction,
  transactionOf,
  withReceiverNames,
} from '../rules.ts';
import type { QrCodeRecord } from '../storage.ts';
import type { Session } from './atomic-steps.ts';
import { CHANNEL, entriesPayload } from './notifications.ts';

/** An account as it is once the group is committed. */
interface LockedAccount {
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

const CODES = `
  SELECT id, user_id AS "userId", category AS "serviceCategory", status, display_name AS "displayName", greeting,
    photo_name AS "photoName"
  FROM qr_codes WHERE id = ANY ($1::text[])`;

/**
 * The limits of one row keep the planner from joining: as long as its statistics know of no keys, it would read the whole index of the
 * keys for each group (measured: 1.6 ms for each tip after some thousand).
 */
const EARLIER = `
  SELECT id, giver_id AS "giverId", receiver_id AS "receiverId", qr_code_id AS "qrCodeId",
    service_category AS "serviceCategory", amount_cents AS "amountCents", giver_fee_cents AS "giverFeeCents",
    receiver_fee_cents AS "receiverFeeCents", net_amount_cents AS "netAmountCents", giver_fee_rate AS "giverFeeRate",
    receiver_fee_rate AS "receiverFeeRate", transactions.idempotency_key AS "idempotencyKey",
    transactions.created_at_ms AS "createdAtMs", payment_mode AS "paymentMode", CASE WHEN reversals.sequence IS NOT NULL
      THEN json_build_object('createdAtMs', reversals.created_at_ms, 'reversedBy', reversals.reversed_by) END AS reversal
  FROM (
    SELECT sequence FROM unnest($1::text[]) AS own (tip_id)
    CROSS JOIN LATERAL (SELECT sequence FROM transactions WHERE id = tip_id LIMIT 1) AS tip
    UNION
    SELECT sequence FROM unnest($2::text[], $3::text[]) AS key (giver, word)
    CROSS JOIN LATERAL (
      SELECT sequence FROM transactions
      WHERE giver_id = giver AND idempotency_key = word AND idempotency_key IS NOT NULL LIMIT 1
    ) AS tip
  ) AS found
  JOIN transactions USING (sequence)
  LEFT JOIN reversals ON reversals.transaction_sequence = transactions.sequence`;

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
    SELECT $10, $8, 'given_reversed', $6, -$11::bigint, $12, $7 WHERE $10 IS NOT NULL
    UNION ALL SELECT $13, $9, 'received_reversed', $6, -$14::bigint, $15, $7
  ), counted AS (
    UPDATE tip_buckets SET ${takenFromBucket('$14::bigint', '$11::bigint')}
    WHERE account_id = $13 AND start_ms = $16 AND service_category = $17
  ), ${MOVE_ACCOUNTS}`;

/** A tip that is due, with where its entries stand and what they come to. */
interface DueTip extends TransactionRecord {
  /** Null for a guest, who has no account. */
  readonly giverPosition: number | null;
  readonly receiverPosition: number;
  readonly givenAfterCents: number | null;
  readonly receivedAfterCents: number;
}

/** What was committed, and for which accounts there are entries that others may not have seen. */
interface Committed<Outcome> {
  readonly outcome: Outcome;
  readonly accounts: readonly UserId[];
}

/**
 * Records a group of tips in one transaction, and commits it.
 * @param isRepeated whether this group may have been committed before: the tips are then looked for by their own ids.
 * @returns an outcome for each tip, in their order.
 */
export async function recordTips(
  session: Session,
  tips: readonly NewTransaction[],
  isRepeated: boolean,
): Promise<Committed<readonly RecordOutcome[]>> {
  const codeIds = [...new Set(tips.map(({ qrCodeId }) => qrCodeId))];
  const keyed = tips.filter(({ giverId, idempotencyKey }) => giverId !== null && idempotencyKey !== null);
  const [accounts, codes, earlier] = await Promise.all([
    lockAccounts(session, [...new Set(tips.flatMap(({ giverId }) => giverId ?? []))], codeIds),
    session.ask<QrCodeRecord & Row>({ name: 'codes', text: CODES, values: [codeIds] }),
    session.ask<StoredTransaction & Row>({
      name: 'earlier',
      text: EARLIER,
      values: [
        tips.flatMap(({ id, giverId }) => (isRepeated || giverId === null ? id : [])),
        keyed.map(({ giverId }) => giverId),
        keyed.map(({ idempotencyKey }) => idempotencyKey),
      ],
    }),
    session.begun,
  ]);
  const codeOf = new Map(codes.map((code) => [code.id, code]));
  const byId = new Map<string, StoredTransaction>(earlier.map((tip) => [tip.id, tip]));
  const byKey = new Map<string, StoredTransaction>(earlier.map((tip) => [keyOf(tip), tip]));
  const findByKey = (tip: NewTransaction) =>
    tip.giverId === null || tip.idempotencyKey === null ? undefined : byKey.get(keyOf(tip));

  const due: DueTip[] = [];
  const touched = new Set<LockedAccount>();
  const outcomes = tips.map((tip): RecordOutcome => {
    const code = codeOf.get(tip.qrCodeId);
    const receiver = code && accounts.get(code.userId);
    const giver = tip.giverId === null ? null : accounts.get(tip.giverId);
    const before = byId.get(tip.id);
    const decision = decideTip(
      tip,
      before ?? findByKey(tip),
      code &&
        receiver && {
          ...code,
          status: statusForGivers(code.status, receiver.isClosing),
          username: receiver.username,
          fullName: receiver.fullName,
        },
    );
    if (decision.outcome === 'repeated' && isRepeated && before && giver !== undefined && receiver) {
      for (const account of [giver, receiver]) if (account) touched.add(account);
      return { ...decision, outcome: 'recorded' };
    }
    if (decision.outcome !== 'due') return decision;
    if (giver === undefined || !receiver) throw new Error('an account that is logged in has gone');
    const transaction = withReceiverNames({ ...tip, receiverId: receiver.id, reversal: null }, decision.code);
    byKey.set(keyOf(tip), transaction);
    byId.set(tip.id, transaction);
    if (giver) {
      touched.add(giver);
      giver.position += 1;
      giver.givenCents += decision.givenCents;
    }
    touched.add(receiver);
    receiver.position += 1;
    receiver.receivedCents += decision.receivedCents;
    due.push({
      ...transaction,
      giverPosition: giver?.position ?? null,
      receiverPosition: receiver.position,
      givenAfterCents: giver?.givenCents ?? null,
      receivedAfterCents: receiver.receivedCents,
    });
    return { outcome: 'recorded', transaction };
  });

  if (touched.size === 0) {
    await session.commit();
    return { outcome: outcomes, accounts: [] };
  }
  // Also when all of it was there before: the commit of this transaction then proves that the one before it is durable.
  const buckets = bucketsOf(due);
  const list = <Value>(value: (tip: DueTip) => Value) => due.map(value);
  await session.commit(
    session.ask({
      name: 'record',
      text: RECORD,
      values: [
        ...movesOf([...touched]),
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
    }),
  );
  return { outcome: outcomes, accounts: [...touched].map(({ id }) => id) };
}

/**
 * Reverses a tip in one transaction, and commits it.
 * @param isRepeated whether this reversal may have been committed before: one of the same person and millisecond is then taken for it.
 */
export async function reverseTip(
  session: Session,
  request: NewReversal,
  isRepeated: boolean,
): Promise<Committed<ReverseOutcome>> {
  await session.begun;
  const { transactionById } = session.statements;
  const { transactionId: id, createdAtMs, idempotencyKey } = request;
  const [known] = await transactionById.execute({ id });
  const accounts =
    known && (await lockAccounts(session, [...(known.giverId ? [known.giverId] : []), known.receiverId], []));
  const [locked] = known ? await transactionById.execute({ id }) : [];
  const decision = decideReversal(request, locked);
  const touched = [...(accounts?.values() ?? [])];
  if (decision.outcome !== 'due') {
    const isOwn = isRepeated && locked && isOfRequest(locked.reversal, request, locked);
    const outcome = isOwn ? ({ outcome: 'reversed', transaction: transactionOf(locked) } as const) : decision;
    return { outcome, accounts: isOwn ? touched.map((account) => account.id) : [] };
  }
  const { found, reversedBy } = decision;
  const giver = found.giverId === null ? null : accounts?.get(found.giverId);
  const receiver = accounts?.get(found.receiverId);
  if (giver === undefined || !receiver) throw new Error('an account of a tip has gone');
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
  await session.commit();
  const reversal = { createdAtMs, reversedBy };
  return {
    outcome: { outcome: 'reversed', transaction: transactionOf({ ...found, reversal }) },
    accounts: touched.map((account) => account.id),
  };
}

/** Whether a reversal is the one that was asked for. */
function isOfRequest(
  reversal: Reversal | null,
  { userId, createdAtMs }: NewReversal,
  { giverId }: TransactionRecord,
): boolean {
  const party = giverId === userId ? 'giver' : 'receiver';
  return reversal?.createdAtMs === createdAtMs && reversal.reversedBy === party;
}

type Row = Record<string, unknown>;

/** No account's id has a space in it. */
const keyOf = ({ giverId, idempotencyKey }: NewTransaction) => `${giverId} ${idempotencyKey}`;

async function lockAccounts(session: Session, ids: readonly UserId[], codeIds: readonly string[]) {
  const rows = await session.ask<LockedAccount & Row>({
    name: 'lock_accounts',
    text: LOCK_ACCOUNTS,
    values: [ids, codeIds],
  });
  return new Map(rows.map((account): [UserId, LockedAccount] => [account.id, account]));
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
