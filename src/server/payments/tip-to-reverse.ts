/** The tip of a reversal, as far as whoever asks for it knows the tip; else null. An operator knows all. */
import type { NewReversal, OperatorReversal, TransactionRecord } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';

export async function findToReverse(
  storage: Pick<Storage, 'findTransaction' | 'operations'>,
  reversal: NewReversal | OperatorReversal,
): Promise<TransactionRecord | null> {
  const { transactionId: id } = reversal;
  if (!('act' in reversal)) return storage.findTransaction(reversal.userId, id);
  return (await storage.operations.findTip({ id }))?.tip ?? null;
}
