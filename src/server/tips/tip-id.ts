/** The id of a tip with an idempotency key is made of its giver and the key, so that the key need not be stored. */
import { createHash } from 'node:crypto';
import { type TransactionId, transactionIdFrom, type UserId } from '#shared/ids.ts';

/**
 * Only the giver knows the key, which docs/api.md wants to be random, so that no secret is needed. A renewed secret would
 * let a tip be given twice.
 */
export function idOfKeyedTip(giverId: UserId, idempotencyKey: string): TransactionId {
  return transactionIdFrom(createHash('sha256').update(`tip ${giverId} ${idempotencyKey}`).digest());
}
