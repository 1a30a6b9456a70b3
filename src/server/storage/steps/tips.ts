/** Writes to the ledger row by row. PostgreSQL records waiting tips set-wise instead (`../postgres/tip-groups.ts`). */
import type { TransactionId, UserId } from '#shared/ids.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { QrCodeWithProvider } from '../port/codes.ts';
import type {
  EntryKind,
  GivenTip,
  Ledger,
  NewReversal,
  NewTransaction,
  OperatorReversal,
  RecordOutcome,
  Reversal,
  ReverseOutcome,
  TransactionRecord,
} from '../port/ledger.ts';
import { isKeptOut, newMessagesRow } from '../rules/messages.ts';
import {
  decideReversal,
  decideTip,
  type EarlierTip,
  type GiverStanding,
  keyOf,
  leftOf,
  NOTHING_FOLLOWED,
  quarterOf,
  reverserOf,
  transactionOf,
  withReceiverNames,
} from '../rules/tips.ts';
import {
  type AccountNumber,
  CATEGORY_NUMBERS,
  type CodeNumber,
  KIND_NUMBERS,
  MODE_NUMBERS,
} from '../schema/numbers.ts';
import type { Statements } from '../statements/all.ts';
import { type Change, findTip, readWhatFollowed, withWhatFollowed } from './adjustments.ts';
import { noteAct } from './audit.ts';
import { type Committed, type Engine, tellingEntries, transacting } from './engine.ts';
import { entriesPayload } from './listeners.ts';
import { type Step, together } from './step.ts';
import { orTermsChanged } from './terms.ts';

export const createTips = (engine: Engine): Pick<Ledger, 'recordTip' | 'reverseTip'> => ({
  recordTip: (tip) => orTermsChanged(tellingEntries(engine, transacting(engine)(recordTip)(tip))),
  reverseTip: (request) => tellingEntries(engine, transacting(engine)(reverseTip)(request)),
});

type Parties = Pick<TransactionRecord, 'giverId' | 'receiverId'>;

export const accountsOf = ({ giverId, receiverId }: Parties): readonly UserId[] =>
  giverId === null ? [receiverId] : [giverId, receiverId];

/** Records one tip. Not repeatable: a tip without a key leaves no trace of a first run. */
function* recordTip(statements: Statements, _: boolean, tip: GivenTip): Step<Committed<RecordOutcome>> {
  const code = yield* statements.codeForGiver.one({ id: tip.qrCodeId, giverId: tip.giverId });
  const giver = yield* standingOf(statements, tip.giverId, code);
  const decision = decideTip(tip, yield* findEarlierTip(statements, tip), code, giver);
  if (decision.outcome !== 'due') return { outcome: decision, accounts: [] };
  const { termsRefusal: _refusal, idempotencyKey: _key, ...due } = tip;
  const transaction = yield* enterTip(statements, due, decision.code);
  return { outcome: { outcome: 'recorded', transaction }, accounts: accountsOf(transaction) };
}

/** When the commit of a first run is unknown, a reversal by the same person in the same millisecond is taken for it. */
function* reverseTip(
  statements: Statements,
  isRepeated: boolean,
  request: NewReversal | OperatorReversal,
): Step<Committed<ReverseOutcome>> {
  const { transactionId: id, createdAtMs } = request;
  const known = yield* statements.transactionById.one({ id });
  if (known) yield* lockAccounts(statements, known);
  const found = known && (yield* findTip(statements, id));
  const decision = decideReversal(request, found);
  if (decision.outcome !== 'due') {
    const isOwn =
      found?.reversal?.createdAtMs === createdAtMs &&
      found.reversal.reversedBy === reverserOf(request, found);
    return isRepeated && isOwn
      ? { outcome: { outcome: 'reversed', transaction: transactionOf(found) }, accounts: accountsOf(found) }
      : { outcome: decision, accounts: [] };
  }
  const reversal = { createdAtMs, reversedBy: decision.reversedBy };
  yield* takeBack(statements, decision.found, reversal, keyOf(request));
  if ('act' in request) yield* noteAct(statements, isRepeated, request.act);
  const transaction = transactionOf({ ...decision.found, reversal });
  return { outcome: { outcome: 'reversed', transaction }, accounts: accountsOf(transaction) };
}

/** Locks in the order of ids, so that nobody else changes totals or entries and transactions cannot deadlock. */
export function* lockAccounts({ lockTipAccounts }: Statements, parties: Parties): Step<void> {
  yield* lockTipAccounts.all({ ids: accountsOf(parties), codeIds: [] });
}

export function* findEarlierTip(
  statements: Statements,
  { id, giverId, idempotencyKey }: GivenTip,
): Step<EarlierTip | undefined> {
  if (giverId !== null && idempotencyKey === null) return undefined;
  const found = yield* statements.earlierTip.one({ id, giverId, idempotencyKey });
  if (!found) return undefined;
  const giverMessage = yield* statements.messagesById.one({ id: found.id });
  const [earlier] = yield* withWhatFollowed(statements, [{ ...found, giverMessage }]);
  return earlier;
}

/** @param code with whether its giver is suspended. */
export function* standingOf(
  statements: Statements,
  giverId: UserId | null,
  code: (QrCodeWithProvider & { readonly isGiverSuspended: boolean }) | undefined,
): Step<GiverStanding> {
  const isSuspended = code?.isGiverSuspended ?? false;
  return { isSuspended, isBlocked: yield* isBlocked(statements, giverId, code) };
}

export function* isBlocked(
  { blocksOfGiver }: Statements,
  giverId: UserId | null,
  code: QrCodeWithProvider | undefined,
): Step<boolean> {
  if (giverId === null || !code) return false;
  return isKeptOut(code, yield* blocksOfGiver.all({ giverId, receiverId: code.userId }));
}

function* enterTip(
  statements: Statements,
  { giverMessage, ...tip }: NewTransaction & Pick<GivenTip, 'giverMessage'>,
  code: QrCodeWithProvider & Numbers & { readonly number: CodeNumber },
): Step<TransactionRecord> {
  const { createdAtMs, amountCents, netAmountCents } = tip;
  const receiverId = code.userId;
  const { giver, receiver } = code;
  if ((giver === null) !== (tip.giverId === null)) throw new Error('the giver of a tip has gone');
  const given = yield* moveGiver(statements, giver, 'given', amountCents, createdAtMs);
  const received = yield* moveAccount(statements, receiver, 'received', netAmountCents, createdAtMs);
  const category = CATEGORY_NUMBERS[tip.serviceCategory];
  const inserted = yield* statements.insertTip.one({
    ...tip,
    giver,
    receiver,
    code: code.number,
    category,
    mode: MODE_NUMBERS[tip.paymentMode],
    ...positionsOf(given, received),
    idempotencyKey: '',
  });
  if (!inserted) throw new Error('a tip that was inserted has no number');
  yield* together(
    ...enterBoth(statements, inserted.sequence, given, received),
    statements.addToBucket.change({
      account: receiver,
      quarter: quarterOf(tip),
      category,
      netCents: netAmountCents,
      grossCents: amountCents,
    }),
    ...(giverMessage
      ? [statements.insertMessages.change(newMessagesRow({ ...tip, receiverId }, giverMessage))]
      : []),
  );
  return withReceiverNames({ ...tip, receiverId, reversal: null, ...NOTHING_FOLLOWED }, code);
}

function* takeBack(
  statements: Statements,
  found: TransactionRecord & Numbers & { readonly sequence: number },
  { createdAtMs, reversedBy }: Reversal,
  idempotencyKey: string | null,
): Step<void> {
  const { giver, receiver, sequence: transactionSequence } = found;
  const { amountCents, grossCents, netAmountCents } = leftOf(found);
  const [takenFromGiver, taken] = [cents(-amountCents), cents(-netAmountCents)];
  const given = yield* moveGiver(statements, giver, 'given_reversed', takenFromGiver, createdAtMs);
  const received = yield* moveAccount(statements, receiver, 'received_reversed', taken, createdAtMs);
  yield* together(
    statements.insertReversal.change({
      transactionSequence,
      createdAtMs,
      ...positionsOf(given, received),
      reversedBy,
      idempotencyKey,
    }),
    ...enterBoth(statements, transactionSequence, given, received),
    statements.takeFromBucket.change({
      account: receiver,
      quarter: quarterOf(found),
      category: CATEGORY_NUMBERS[found.serviceCategory],
      netCents: netAmountCents,
      grossCents,
    }),
    tellOthers(statements, found),
  );
}

/** Tells other processes, on commit, of new entries in a tip's accounts. */
function* tellOthers({ tellOthers }: Statements, parties: Parties): Step<void> {
  yield* tellOthers.all({ payload: entriesPayload(accountsOf(parties)) });
}

interface Numbers {
  readonly giver: AccountNumber | null;
  readonly receiver: AccountNumber;
}

type Moved = Pick<
  Parameters<Statements['insertEntry']['change']>[0],
  'account' | 'kind' | 'cents' | 'createdAtMs' | 'position' | 'balanceAfterCents'
>;

/** Changes an account's total. @returns the entry without its transaction. */
function* moveAccount(
  { addToReceived, addToGiven }: Statements,
  account: AccountNumber,
  kind: EntryKind,
  moved: Cents,
  createdAtMs: number,
): Step<Moved> {
  const isReceived = kind.startsWith('received');
  const state = yield* (isReceived ? addToReceived : addToGiven).one({ account, cents: moved });
  if (!state) throw new Error('an account of a tip has gone');
  return { account, kind: KIND_NUMBERS[kind], cents: moved, createdAtMs, ...state };
}

function* moveGiver(
  statements: Statements,
  giver: AccountNumber | null,
  kind: EntryKind,
  moved: Cents,
  createdAtMs: number,
): Step<Moved | null> {
  return giver === null ? null : yield* moveAccount(statements, giver, kind, moved, createdAtMs);
}

function positionsOf(given: Moved | null, received: Moved) {
  return { giverPosition: given?.position ?? null, receiverPosition: received.position };
}

function enterBoth(
  { insertEntry }: Statements,
  transactionSequence: number,
  given: Moved | null,
  received: Moved,
): readonly Step<number>[] {
  const entered = given ? [given, received] : [received];
  return entered.map((entry) => insertEntry.change({ ...entry, transactionSequence }));
}

/** Reverses a tip whose payment was refunded. Requires the accounts' locks. */
export function* reversePaidTip(
  statements: Statements,
  id: TransactionId,
  reversal: Reversal,
  idempotencyKey: string | null,
): Step<void> {
  yield* takeBack(statements, yield* paidTip(statements, id), reversal, idempotencyKey);
}

function* paidTip(statements: Statements, id: TransactionId) {
  const found = yield* findTip(statements, id);
  if (!found) throw new Error('the tip of a payment has gone');
  return found;
}

/** Enters adjustments in both accounts, and tells other processes. Requires the accounts' locks. */
export function* adjustPaidTip(
  statements: Statements,
  id: TransactionId,
  adjustments: readonly Omit<Change, 'number' | 'giverPosition' | 'receiverPosition'>[],
): Step<void> {
  const found = yield* paidTip(statements, id);
  const { giver, receiver, sequence: transactionSequence } = found;
  let number = (yield* readWhatFollowed(statements, [id])).get(id)?.changes.length ?? 0;
  for (const adjustment of adjustments) {
    number += 1;
    const { kind, amountCents, netAmountCents, createdAtMs } = adjustment;
    const change = kind === 'capture' ? 'captured' : 'adjusted';
    const given = yield* moveGiver(statements, giver, `given_${change}`, amountCents, createdAtMs);
    const received = yield* moveAccount(
      statements,
      receiver,
      `received_${change}`,
      netAmountCents,
      createdAtMs,
    );
    const positions = positionsOf(given, received);
    yield* together(
      statements.insertAdjustment.change({ ...adjustment, transactionSequence, number, ...positions }),
      ...enterBoth(statements, transactionSequence, given, received),
    );
    if (kind !== 'capture')
      yield* statements.adjustBucket.change({
        account: receiver,
        quarter: quarterOf(found),
        category: CATEGORY_NUMBERS[found.serviceCategory],
        netCents: netAmountCents,
      });
  }
  yield* tellOthers(statements, found);
}

/** Records a paid tip, even of an ended code, and tells other processes. Requires the accounts' locks. */
export function* recordPaidTip(statements: Statements, tip: NewTransaction): Step<void> {
  const code = yield* statements.codeForGiver.one({ id: tip.qrCodeId, giverId: tip.giverId });
  if (!code) throw new Error('the code of a payment has gone');
  const entered = yield* enterTip(statements, tip, code);
  yield* tellOthers(statements, entered);
  // A giver who was blocked after the payment began has paid, but is not heard.
  if (yield* isBlocked(statements, tip.giverId, code)) yield* statements.hideMessages.change({ id: tip.id });
}
