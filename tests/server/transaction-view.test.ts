/** What the two people of a tip see of its money: held, charged, gone in part, taken by a bank, back again. */
import { expect, test } from 'vitest';
import type { Adjustment, TransactionRecord } from '#server/storage/port/ledger.ts';
import { createTransactionView } from '#server/tips/transaction-view.ts';
import { newQrCodeId, newTransactionId, newUserId } from '#shared/ids.ts';
import { type BasisPoints, cents } from '#shared/money.ts';

const NOW_MS = Date.parse('2026-05-15T12:00:00.000Z');
const UNDO_MS = 600_000;
const filled = (byte: number) => (size: number) => Buffer.alloc(size, byte);
const GIVER = newUserId(filled(1));
const RECEIVER = newUserId(filled(2));

const view = createTransactionView({
  key: Buffer.alloc(32),
  undoMs: UNDO_MS,
  clock: () => NOW_MS,
  publicUrl: 'https://tips.example.com',
  receipts: {
    tokenOf: () => {
      throw new Error('nobody here is a guest');
    },
    read: () => null,
    idFor: () => newTransactionId(filled(3)),
  },
  messages: { findMessages: async () => [] },
  learnTerms: async () => {},
  isOfKeys: () => true,
});

const TIP: TransactionRecord = {
  id: newTransactionId(filled(3)),
  giverId: GIVER,
  receiverId: RECEIVER,
  receiverName: 'Pat Doe',
  receiverUsername: 'pat',
  displayName: null,
  defaultThankYou: 'See you soon!',
  qrCodeId: newQrCodeId(filled(4)),
  serviceCategory: 'bartender',
  amountCents: cents(1_000),
  giverFeeCents: cents(50),
  receiverFeeCents: cents(30),
  netAmountCents: cents(970),
  giverFeeRate: 500 as BasisPoints,
  receiverFeeRate: 300 as BasisPoints,
  createdAtMs: NOW_MS,
  paymentMode: 'live',
  termsVersion: 0,
  reversal: null,
  adjustments: [],
  capturesAtMs: null,
  refundAskedAtMs: null,
  owedToGiverCents: cents(0),
};
const CAPTURES_AT = new Date(NOW_MS + UNDO_MS).toISOString();

/** @param part of the whole tip, negative where it goes back. */
function moved(kind: Adjustment['kind'], source: string, part: number): Adjustment {
  return {
    kind,
    source,
    amountCents: cents(1_000 * part),
    giverFeeCents: cents(50 * part),
    receiverFeeCents: cents(30 * part),
    netAmountCents: cents(970 * part),
    createdAtMs: NOW_MS,
  };
}

const seenBy = (viewer: typeof GIVER, changed: Partial<TransactionRecord>) =>
  view.fresh({ ...TIP, ...changed }, viewer);
const statusAfter = (...adjustments: Adjustment[]) => seenBy(RECEIVER, { adjustments }).status;

test('a tip is pending, can be taken back and is thanked for while its money is held', () => {
  const arriving = { capturesAtMs: NOW_MS + UNDO_MS };
  expect(seenBy(GIVER, arriving)).toMatchObject({
    status: 'pending',
    capturesAt: CAPTURES_AT,
    undoUntil: CAPTURES_AT,
    thankYou: 'See you soon!',
    paymentUrl: null,
  });
  expect(seenBy(RECEIVER, arriving)).toMatchObject({ status: 'pending', undoUntil: null });
  expect(seenBy(GIVER, {})).toMatchObject({ status: 'completed', capturesAt: null, changes: [] });
});

test('a tip that was taken back before its capture keeps the time of it, and cannot be taken back again', () => {
  const reversal = { createdAtMs: NOW_MS, reversedBy: 'giver' } as const;
  expect(seenBy(GIVER, { reversal, capturesAtMs: NOW_MS + UNDO_MS })).toMatchObject({
    status: 'refunded',
    refundedBy: 'giver',
    capturesAt: CAPTURES_AT,
    undoUntil: null,
    thankYou: null,
  });
});

test('a tip is disputed while nothing is left of it because of a bank, and completed otherwise', () => {
  expect(statusAfter(moved('refund', 're_1', -0.5))).toBe('completed');
  expect(statusAfter(moved('dispute', 'dp_1', -0.5))).toBe('completed');
  expect(statusAfter(moved('dispute', 'dp_1', -1))).toBe('disputed');
  expect(statusAfter(moved('refund', 're_1', -0.5), moved('dispute', 'dp_1', -0.5))).toBe('disputed');
  expect(statusAfter(moved('dispute', 'dp_1', -1), moved('dispute_lost', 'dp_1', 0))).toBe('disputed');
  expect(statusAfter(moved('dispute', 'dp_1', -1), moved('dispute_won', 'dp_1', 1))).toBe('completed');
  expect(
    statusAfter(moved('dispute', 'dp_1', -1), moved('dispute_won', 'dp_1', 1), moved('dispute', 'dp_2', -1)),
  ).toBe('disputed');
});

test('each of the two people sees what moved of their own money, and nothing that is not theirs', () => {
  const at = new Date(NOW_MS).toISOString();
  const adjustments = [
    moved('refund', 're_1', -0.5),
    { ...moved('refund_failed', 're_1', 0.5), receiverFeeCents: cents(500), netAmountCents: cents(0) },
    { ...moved('debit', 'trr_1', 0), receiverFeeCents: cents(100), netAmountCents: cents(-100) },
  ];
  const owedToGiverCents = cents(525);
  expect(seenBy(GIVER, { adjustments, owedToGiverCents }).changes).toEqual([
    { kind: 'refund', at, amountCents: -525, isOver: false },
    { kind: 'refund_failed', at, amountCents: 525, isOver: false },
  ]);
  expect(seenBy(RECEIVER, { adjustments, owedToGiverCents }).changes).toEqual([
    { kind: 'refund', at, amountCents: -485, isOver: false },
    { kind: 'debit', at, amountCents: -100, isOver: false },
  ]);
  // Once nobody owes it any more, it was refunded again or paid in another way.
  expect(seenBy(GIVER, { adjustments }).changes.map(({ isOver }) => isOver)).toEqual([false, true]);
});

test('of two disputes the one that has ended is over, and a lost one is told though nothing moves', () => {
  const adjustments = [
    moved('dispute', 'dp_1', -0.2),
    moved('dispute', 'dp_2', -0.3),
    moved('dispute_lost', 'dp_2', 0),
  ];
  for (const viewer of [GIVER, RECEIVER])
    expect(seenBy(viewer, { adjustments }).changes).toMatchObject([
      { kind: 'dispute', isOver: false },
      { kind: 'dispute', isOver: true },
      { kind: 'dispute_lost', amountCents: 0 },
    ]);
});
