/**
 * Records tips and reverses them, set by set: a group of tips takes two round trips to the server, however many they are. The
 * accounts of all givers and receivers are locked first; under these locks nobody else uses an idempotency key of the givers'.
 */
import type { UserId } from '#shared/ids.ts';
import { statusForGivers } from '../closed-accounts.ts';
import type {
  GivenTip,
  NewReversal,
  NewTransaction,
  RecordOutcome,
  Reversal,
  ReverseOutcome,
  TransactionRecord,
} from '../ledger.ts';
import {
  decideReversal,
  decideTip,
  type EarlierTip,
  type StoredTransaction,
  transactionOf,
  withReceiverNames,
} from '../rules.ts';
import type { QrCodeRecord } from '../storage.ts';
import { isKeptOut, type KeptWords, newWordsRow, type PresentBlock, type WordsRow } from '../word-rules.ts';
import type { Session } from './atomic-steps.ts';
import {
  type DueTip,
  dueTip,
  type LockedAccount,
  lockAccounts,
  writeReversal,
  writeTips,
} from './tip-writes.ts';

/** Each with the blocks that its owner has of the givers; pages of other services are read only where there are blocks. */
const CODES = `
  SELECT id, user_id AS "userId", category AS "serviceCategory", status, display_name AS "displayName", greeting,
    thank_you AS "thankYou", photo_name AS "photoName", takes_words AS "takesWords", ARRAY(
      SELECT json_build_object('giverId', giver_id, 'serviceCategory', service_category,
        'pageId', page.id, 'displayName', page.display_name)
      FROM blocked_givers LEFT JOIN LATERAL (
        SELECT id, display_name FROM qr_codes AS own
        WHERE own.user_id = receiver_id AND own.category = service_category AND own.status IN ('active', 'paused') LIMIT 1
      ) AS page ON true
      WHERE receiver_id = qr_codes.user_id AND giver_id = ANY ($2::text[])
    ) AS blocks
  FROM qr_codes WHERE id = ANY ($1::text[])`;

/**
 * The limits of one row keep the planner from joining: as long as its statistics know of no keys, it would read the whole index of the
 * keys for each group (measured: 1.6 ms for each tip after some thousand).
 */
const EARLIER = `
  SELECT id, transactions.giver_id AS "giverId", transactions.receiver_id AS "receiverId", qr_code_id AS "qrCodeId",
    service_category AS "serviceCategory", amount_cents AS "amountCents", giver_fee_cents AS "giverFeeCents",
    receiver_fee_cents AS "receiverFeeCents", net_amount_cents AS "netAmountCents", giver_fee_rate AS "giverFeeRate",
    receiver_fee_rate AS "receiverFeeRate", transactions.idempotency_key AS "idempotencyKey",
    transactions.created_at_ms AS "createdAtMs", payment_mode AS "paymentMode", CASE WHEN reversals.sequence IS NOT NULL
      THEN json_build_object('createdAtMs', reversals.created_at_ms, 'reversedBy', reversals.reversed_by) END AS reversal,
    CASE WHEN tip_words.transaction_id IS NOT NULL THEN json_build_object(
      'message', tip_words.message, 'giverName', tip_words.giver_name, 'isErased', tip_words.is_erased) END AS words
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
  LEFT JOIN reversals ON reversals.transaction_sequence = transactions.sequence
  LEFT JOIN tip_words ON tip_words.transaction_id = transactions.id`;

interface CodeWithBlocks extends QrCodeRecord {
  readonly blocks: readonly (PresentBlock & { readonly giverId: UserId })[];
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
  tips: readonly GivenTip[],
  isRepeated: boolean,
): Promise<Committed<readonly RecordOutcome[]>> {
  const codeIds = [...new Set(tips.map(({ qrCodeId }) => qrCodeId))];
  const keyed = tips.filter(({ giverId, idempotencyKey }) => giverId !== null && idempotencyKey !== null);
  const giverIds = [...new Set(tips.flatMap(({ giverId }) => giverId ?? []))];
  const [accounts, codes, earlier] = await Promise.all([
    lockAccounts(session, giverIds, codeIds),
    session.ask<CodeWithBlocks & Row>({
      name: 'codes',
      text: CODES,
      values: [codeIds, giverIds],
    }),
    session.ask<StoredTransaction & Row & { readonly words: KeptWords | null }>({
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
  const known = earlier.map((tip): EarlierTip => ({ ...tip, words: tip.words ?? undefined }));
  const byId = new Map<string, EarlierTip>(known.map((tip) => [tip.id, tip]));
  const byKey = new Map<string, EarlierTip>(known.map((tip) => [keyOf(tip), tip]));
  const findByKey = (tip: NewTransaction) =>
    tip.giverId === null || tip.idempotencyKey === null ? undefined : byKey.get(keyOf(tip));

  const due: DueTip[] = [];
  const touched = new Set<LockedAccount>();
  const said: WordsRow[] = [];
  const outcomes = tips.map((given): RecordOutcome => {
    const { words, ...tip } = given;
    const code = codeOf.get(tip.qrCodeId);
    const receiver = code && accounts.get(code.userId);
    const giver = tip.giverId === null ? null : accounts.get(tip.giverId);
    const before = byId.get(tip.id);
    const page = code &&
      receiver && {
        ...code,
        status: statusForGivers(code.status, receiver.isClosing),
        username: receiver.username,
        fullName: receiver.fullName,
      };
    const blocks = page?.blocks.filter(({ giverId }) => giverId === tip.giverId) ?? [];
    const isBlocked = page !== undefined && isKeptOut(page, blocks);
    const decision = decideTip(given, before ?? findByKey(tip), page, isBlocked);
    if (decision.outcome === 'repeated' && isRepeated && before && giver !== undefined && receiver) {
      for (const account of [giver, receiver]) if (account) touched.add(account);
      return { ...decision, outcome: 'recorded' };
    }
    if (decision.outcome !== 'due') return decision;
    if (giver === undefined || !receiver) throw new Error('an account that is logged in has gone');
    const transaction = withReceiverNames({ ...tip, receiverId: receiver.id, reversal: null }, decision.code);
    const row = words && newWordsRow(transaction, words);
    if (row) said.push(row);
    byKey.set(keyOf(tip), { ...transaction, words: row });
    byId.set(tip.id, { ...transaction, words: row });
    for (const account of [giver, receiver]) if (account) touched.add(account);
    due.push(dueTip(transaction, giver, receiver));
    return { outcome: 'recorded', transaction };
  });

  if (touched.size === 0) {
    await session.commit();
    return { outcome: outcomes, accounts: [] };
  }
  // Also when all of it was there before: the commit of this transaction then proves that the one before it is durable.
  await session.commit(
    writeTips(session, due, [...touched]),
    ...said.map((row) => session.statements.insertWords.run(row)),
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
  const reversal = { createdAtMs, reversedBy };
  await writeReversal(session, { found, giver, receiver, reversal, idempotencyKey });
  await session.commit();
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
