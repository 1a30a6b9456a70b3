/** A tip as its two people see it; each one is another tip. */
import { newQrCodeId, newTransactionId, newUserId } from '#shared/ids.ts';
import { cents, feesFor } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';

export const GIVER = newUserId((size) => Buffer.alloc(size, 1));

let idCount = 0;

export function transaction(dollars: number, changed: Partial<Transaction> = {}): Transaction {
  idCount += 1;
  const amountCents = cents(dollars * 100);
  const { giverFeeCents, netAmountCents, receiverFeeCents } = feesFor(amountCents);
  return {
    id: newTransactionId((size) => Buffer.alloc(size, idCount)),
    giverId: GIVER,
    receiverId: newUserId((size) => Buffer.alloc(size, 2)),
    receiverName: 'Pat',
    receiverUsername: 'pat',
    qrCodeId: newQrCodeId((size) => Buffer.alloc(size, 3)),
    amountCents,
    giverFeeCents,
    netAmountCents,
    serviceCategory: 'bartender',
    status: 'completed',
    paymentMode: 'simulated',
    paymentUrl: null,
    receiptUrl: null,
    createdAt: '2026-05-15T12:00:00.000Z',
    refundedAt: null,
    refundedBy: null,
    undoUntil: null,
    message: null,
    giverName: null,
    wordsHidden: false,
    reportedAt: null,
    thankYou: null,
    thankedAt: null,
    currency: 'USD',
    termsVersion: 0,
    receiverFeeCents,
    changes: [],
    capturesAt: null,
    refundAskedAt: null,
    ...changed,
  };
}
