/**
 * Writing to the ledger, row by row: the transaction, an entry in each of the two accounts with their totals, the receiver's bucket and
 * the words. PostgreSQL records the tips that wait together in sets (`../postgres/tip-groups.ts`); all else it does as it is here.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import type {
  EntryKind,
  GivenTip,
  Ledger,
  NewReversal,
  NewTransaction,
  RecordOutcome,
  Reversal,
  ReverseOutcome,
  TransactionRecord,
} from '../port/ledger.ts';
import type { QrCodeWithProvider } from '../port/storage.ts';
import { isKeptOut, newMessagesRow } from '../rules/messages.ts';
import {
  bucketStartMs,
  decideReversal,
  decideTip,
  type EarlierTip,
  transactionOf,
  withReceiverNames,
} from '../rules/tips.ts';
import type { Statements } from '../statements/all.ts';
import { type Committed, type Engine, tellingEntries, transacting } from './engine.ts';
import { entriesPayload } from './listeners.ts';
import { type Step, together } from './step.ts';

export const createTips = (engine: Engine): Pick<Ledger, 'recordTip' | 'reverseTip'> => ({
  recordTip: (tip) => tellingEntries(engine, transacting(engine)(recordTip)(tip)),
  reverseTip: (request) => tellingEntries(engine, transacting(engine)(reverseTip)(request)),
});

type Parties = Pick<TransactionRecord, 'giverId' | 'receiverId'>;

/** The accounts of the two people of a tip; a guest has none. */
export const accountsOf = ({ giverId, receiverId }: Parties): readonly UserId[] =>
  giverId === null ? [receiverId] : [giverId, receiverId];

/** Records a tip by itself. It is not for a step that may be repeated: a tip without a key has no trace of its first run. */
function* recordTip(statements: Statements, _: boolean, tip: GivenTip): Step<Committed<RecordOutcome>> {
  const code = yield* statements.codeWithProvider.one({ id: tip.qrCodeId });
  const isGiverBlocked = yield* isBlocked(statements, tip.giverId, code);
  const decision = decideTip(tip, yield* findEarlierTip(statements, tip), code, isGiverBlocked);
  if (decision.outcome !== 'due') return { outcome: decision, accounts: [] };
  const transaction = yield* enterTip(statements, tip, decision.code);
  return { outcome: { outcome: 'recorded', transaction }, accounts: accountsOf(transaction) };
}

/** @param isRepeated whether this reversal may have been committed before: one of the same person and millisecond is then taken for it. */
function* reverseTip(
  statements: Statements,
  isRepeated: boolean,
  request: NewReversal,
): Step<Committed<ReverseOutcome>> {
  const { transactionId: id, userId, createdAtMs, idempotencyKey } = request;
  const known = yield* statements.transactionById.one({ id });
  if (known) yield* lockAccounts(statements, known);
  const found = known && (yield* statements.transactionById.one({ id }));
  const decision = decideReversal(request, found);
  if (decision.outcome !== 'due') {
    const party = found?.giverId === userId ? 'giver' : 'receiver';
    const isOwn = found?.reversal?.createdAtMs === createdAtMs && found.reversal.reversedBy === party;
    return isRepeated && isOwn
      ? { outcome: { outcome: 'reversed', transaction: transactionOf(found) }, accounts: accountsOf(found) }
      : { outcome: decision, accounts: [] };
  }
  const reversal = { createdAtMs, reversedBy: decision.reversedBy };
  yield* takeBack(statements, decision.found, reversal, idempotencyKey);
  const transaction = transactionOf({ ...decision.found, reversal });
  return { outcome: { outcome: 'reversed', transaction }, accounts: accountsOf(transaction) };
}

/**
 * Locks the accounts of the two people of a tip, so that nobody else moves their totals or adds to their entries, always in the order of
 * their ids, so that no two transactions wait for each other.
 */
export function* lockAccounts({ lockTipAccounts }: Statements, parties: Parties): Step<void> {
  yield* lockTipAccounts.all({ ids: accountsOf(parties), codeIds: [] });
}

/** The tip that a new one may be a repetition of. */
export function* findEarlierTip(
  statements: Statements,
  { id, giverId, idempotencyKey }: NewTransaction,
): Step<EarlierTip | undefined> {
  if (giverId !== null && idempotencyKey === null) return undefined;
  const found =
    giverId === null
      ? yield* statements.transactionById.one({ id })
      : yield* statements.transactionByKey.one({ giverId, idempotencyKey });
  return found && { ...found, giverMessage: yield* statements.messagesById.one({ id: found.id }) };
}

/** Whether the owner of a code takes no tips by it from a giver. */
export function* isBlocked(
  { blocksOfGiver }: Statements,
  giverId: UserId | null,
  code: QrCodeWithProvider | undefined,
): Step<boolean> {
  if (giverId === null || !code) return false;
  return isKeptOut(code, yield* blocksOfGiver.all({ giverId, receiverId: code.userId }));
}

/** Writes a tip for which `code` stands, whose owner receives it. */
function* enterTip(
  statements: Statements,
  { giverMessage, ...tip }: GivenTip,
  code: QrCodeWithProvider,
): Step<TransactionRecord> {
  const { giverId, createdAtMs } = tip;
  const receiverId = code.userId;
  const given = giverId && (yield* moveAccount(statements, giverId, 'given', tip.amountCents, createdAtMs));
  const received = yield* moveAccount(statements, receiverId, 'received', tip.netAmountCents, createdAtMs);
  const positions = { giverPosition: given?.position ?? null, receiverPosition: received.position };
  const inserted = yield* statements.insertTransaction.one({ ...tip, receiverId, ...positions });
  if (!inserted) throw new Error('a tip that was inserted has no number');
  const transactionSequence = inserted.sequence;
  yield* together(
    ...(given ? [statements.insertEntry.change({ ...given, transactionSequence })] : []),
    statements.insertEntry.change({ ...received, transactionSequence }),
    statements.addToBucket.change({
      accountId: receiverId,
      startMs: bucketStartMs(tip),
      serviceCategory: tip.serviceCategory,
      netCents: tip.netAmountCents,
      grossCents: tip.amountCents,
    }),
    ...(giverMessage
      ? [statements.insertMessages.change(newMessagesRow({ ...tip, receiverId }, giverMessage))]
      : []),
  );
  return withReceiverNames({ ...tip, receiverId, reversal: null }, code);
}

/** Takes back what a tip did, and tells other processes. */
function* takeBack(
  statements: Statements,
  found: TransactionRecord & { readonly sequence: number },
  { createdAtMs, reversedBy }: Reversal,
  idempotencyKey: string | null,
): Step<void> {
  const { giverId, receiverId, amountCents, netAmountCents, serviceCategory } = found;
  const transactionSequence = found.sequence;
  const given =
    giverId && (yield* moveAccount(statements, giverId, 'given_reversed', cents(-amountCents), createdAtMs));
  const taken = cents(-netAmountCents);
  const received = yield* moveAccount(statements, receiverId, 'received_reversed', taken, createdAtMs);
  const positions = { giverPosition: given?.position ?? null, receiverPosition: received.position };
  yield* together(
    statements.insertReversal.change({
      transactionSequence,
      createdAtMs,
      ...positions,
      reversedBy,
      idempotencyKey,
    }),
    ...(given ? [statements.insertEntry.change({ ...given, transactionSequence })] : []),
    statements.insertEntry.change({ ...received, transactionSequence }),
    statements.takeFromBucket.change({
      accountId: receiverId,
      startMs: bucketStartMs(found),
      serviceCategory,
      netCents: netAmountCents,
      grossCents: amountCents,
    }),
    tellOthers(statements, found),
  );
}

/** Tells other processes, once it is committed, that the accounts of a tip have new entries. */
function* tellOthers({ tellOthers }: Statements, parties: Parties): Step<void> {
  yield* tellOthers.all({ payload: entriesPayload(accountsOf(parties)) });
}

/** Moves a total of an account. @returns the entry that says so, but for the transaction. */
function* moveAccount(
  { addToReceived, addToGiven }: Statements,
  accountId: UserId,
  kind: EntryKind,
  moved: Cents,
  createdAtMs: number,
) {
  const isReceived = kind === 'received' || kind === 'received_reversed';
  const state = yield* (isReceived ? addToReceived : addToGiven).one({ id: accountId, cents: moved });
  if (!state) throw new Error('an account of a tip has gone');
  return { accountId, kind, cents: moved, createdAtMs, ...state };
}

/** Reverses a tip whose payment is refunded. The accounts have to be locked. */
export function* reversePaidTip(
  statements: Statements,
  id: TransactionId,
  reversal: Reversal,
  idempotencyKey: string | null,
): Step<void> {
  const found = yield* statements.transactionById.one({ id });
  if (!found) throw new Error('the tip of a payment has gone');
  yield* takeBack(statements, found, reversal, idempotencyKey);
}

/** Records a tip that was paid, whatever has become of its code since, and tells other processes. The accounts have to be locked. */
export function* recordPaidTip(statements: Statements, tip: NewTransaction): Step<void> {
  const code = yield* statements.codeWithProvider.one({ id: tip.qrCodeId });
  if (!code) throw new Error('the code of a payment has gone');
  const entered = yield* enterTip(statements, tip, code);
  yield* tellOthers(statements, entered);
  // Somebody who was blocked since the payment began has paid, and is not heard.
  if (yield* isBlocked(statements, tip.giverId, code)) yield* statements.hideMessages.change({ id: tip.id });
}
