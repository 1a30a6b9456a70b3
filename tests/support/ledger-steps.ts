/** Steps of the ledger in the form that most tests want: a tip that is reversed, and a listing as a whole. */
import { ALL_TIPS, type GivenTip, type TipFilter } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { UserId } from '#shared/ids.ts';

/** Reverses a tip for its giver, who here may take it back however old it is. */
export function takeBack(
  storage: Storage,
  { id, giverId }: Pick<GivenTip, 'id' | 'giverId'>,
  createdAtMs: number,
) {
  if (giverId === null) throw new Error('a guest has no account');
  return storage.reverseTip({
    transactionId: id,
    userId: giverId,
    idempotencyKey: null,
    createdAtMs,
    giverFromMs: 0,
  });
}

/** All tips of a user that a filter means, newest first, read in steps of at most `limit`. */
export async function listTips(
  storage: Storage,
  userId: UserId,
  filter: Partial<TipFilter> = {},
  limit = 50,
) {
  const listed = [];
  let step = null;
  do {
    const before: Parameters<Storage['listTransactions']>[1]['before'] = step?.next ?? null;
    step = await storage.listTransactions(userId, { filter: { ...ALL_TIPS, ...filter }, before, limit });
    listed.push(...step.transactions);
  } while (step.next !== null);
  return listed;
}
