import type { UserId } from '#shared/ids.ts';
import type { GivenTip, RecordOutcome } from '../port/ledger.ts';
import { statusForGivers } from '../rules/accounts.ts';
import { isKeptOut, type MessagesRow, newMessagesRow } from '../rules/messages.ts';
import { decideTip, type EarlierTip, NOTHING_FOLLOWED, withReceiverNames } from '../rules/tips.ts';
import { withWhatFollowed } from '../steps/adjustments.ts';
import type { Committed } from '../steps/engine.ts';
import { runToEnd } from '../steps/step.ts';
import type { StepConnection } from './atomic-steps.ts';
import { type DueTip, dueTip, type LockedAccount, writeTips } from './tip-writes.ts';

/** @param isRepeated whether the group may have been committed before: tips are then also found by their ids. */
export async function recordTips(
  connection: StepConnection,
  tips: readonly GivenTip[],
  isRepeated: boolean,
): Promise<Committed<readonly RecordOutcome[]>> {
  const codeIds = [...new Set(tips.map(({ qrCodeId }) => qrCodeId))];
  const keyed = tips.filter(({ giverId, idempotencyKey }) => giverId !== null && idempotencyKey !== null);
  const giverIds = [...new Set(tips.flatMap(({ giverId }) => giverId ?? []))];
  const { lockTipAccounts, codesWithBlocks, earlierTips, insertMessages } = connection.statements;
  const [locked, codes, earlier] = await Promise.all([
    runToEnd(lockTipAccounts.all({ ids: giverIds, codeIds })),
    runToEnd(codesWithBlocks.all({ codeIds, giverIds })),
    runToEnd(
      earlierTips.all({
        ids: tips.flatMap(({ id, giverId, idempotencyKey }) =>
          isRepeated || giverId === null || idempotencyKey !== null ? id : [],
        ),
        giverIds: keyed.map(({ giverId }) => giverId),
        keys: keyed.map(({ idempotencyKey }) => idempotencyKey),
      }),
    ),
    connection.begun,
  ]);
  const accounts = new Map(locked.map((account): [UserId, LockedAccount] => [account.id, account]));
  const codeOf = new Map(codes.map((code) => [code.id, code]));
  const byId = new Map<string, EarlierTip>();
  /** Tips of earlier versions; a tip without a key has no name here. */
  const byKey = new Map<string | null, EarlierTip>();
  for (const { idempotencyKey, giverMessage, ...tip } of await runToEnd(
    withWhatFollowed(connection.statements, earlier),
  )) {
    const known = { ...tip, giverMessage: giverMessage ?? undefined };
    byId.set(tip.id, known);
    const name = keyOf({ ...tip, idempotencyKey });
    if (name !== null) byKey.set(name, known);
  }

  const due: DueTip[] = [];
  const touched = new Set<LockedAccount>();
  const said: MessagesRow[] = [];
  const outcomes = tips.map((given): RecordOutcome => {
    const { giverMessage, termsRefusal: _refusal, idempotencyKey: _key, ...tip } = given;
    const code = codeOf.get(tip.qrCodeId);
    const receiver = code && accounts.get(code.userId);
    const giver = tip.giverId === null ? null : accounts.get(tip.giverId);
    const before = byId.get(tip.id);
    const page = code &&
      receiver && {
        ...code,
        status: statusForGivers(code.status, receiver.takesTips),
        username: receiver.username,
        fullName: receiver.fullName,
      };
    const blocks = page?.blocks.filter(({ giverId }) => giverId === tip.giverId) ?? [];
    const isBlocked = page !== undefined && isKeptOut(page, blocks);
    const decision = decideTip(given, before ?? byKey.get(keyOf(given)), page, {
      isBlocked,
      isSuspended: giver?.isSuspended ?? false,
    });
    // As for a reversal: a tip of the same millisecond is taken for that of the first run.
    const isOwn = isRepeated && before?.createdAtMs === tip.createdAtMs;
    if (decision.outcome === 'repeated' && isOwn && giver !== undefined && receiver) {
      for (const account of [giver, receiver]) if (account) touched.add(account);
      return { ...decision, outcome: 'recorded' };
    }
    if (decision.outcome !== 'due') return decision;
    if (giver === undefined || !receiver) throw new Error('an account that is logged in has gone');
    const stored = { ...tip, receiverId: receiver.id, reversal: null, ...NOTHING_FOLLOWED };
    const transaction = withReceiverNames(stored, decision.code);
    const row = giverMessage && newMessagesRow(transaction, giverMessage);
    if (row) said.push(row);
    byId.set(tip.id, { ...transaction, giverMessage: row });
    for (const account of [giver, receiver]) if (account) touched.add(account);
    due.push(dueTip({ tip, code: decision.code.number }, giver, receiver));
    return { outcome: 'recorded', transaction };
  });

  if (touched.size === 0) {
    await connection.commit();
    return { outcome: outcomes, accounts: [] };
  }
  // The commit is needed even when nothing is written: it proves that the earlier one is durable.
  await connection.commit(
    writeTips(connection, due, [...touched]),
    ...said.map((row) => runToEnd(insertMessages.change(row))),
  );
  return { outcome: outcomes, accounts: [...touched].map(({ id }) => id) };
}

/** Ids contain no space. */
const keyOf = ({ giverId, idempotencyKey }: Pick<GivenTip, 'giverId' | 'idempotencyKey'>) =>
  idempotencyKey === null ? null : `${giverId} ${idempotencyKey}`;
