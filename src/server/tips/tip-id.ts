/**
 * The id of a tip with an idempotency key is made of its giver and the key, so that the same request names the same
 * tip and the key need not be stored.
 */
import { createHash } from 'node:crypto';
import { type TransactionId, transactionIdFrom, type UserId } from '#shared/ids.ts';

/**
 * The digest needs no secret: only the giver knows the key, without which nobody can foresee the id. A secret
 * that an operator renews would let a tip be given twice.
 */
export function idOfKeyedTip(giverId: UserId, idempotencyKey: string): TransactionId {
  return transactionIdFrom(createHash('sha256').update(`tip ${giverId} ${idempotencyKey}`).digest());
}
