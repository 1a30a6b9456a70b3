/** What reconciliation says of one tip and its charge, which are put beside each other by sums. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type ComparedCharge,
  type ComparedPayment,
  compareCharge,
} from '#server/payments/charge-comparison.ts';
import type { Adjustment } from '#server/storage/port/ledger.ts';
import { newQrCodeId, newTransactionId, newUserId } from '#shared/ids.ts';
import { cents, SPECIFIED_TERMS } from '#shared/money.ts';

const NOW = Date.UTC(2026, 4, 31);
const DAY_MS = 86_400_000;
const LONG_AGO = NOW - 3 * DAY_MS;

/** A tip of $20.00: the giver pays $21.00, the receiver gets $19.40. */
const PAYMENT: ComparedPayment = {
  id: newTransactionId(randomBytes),
  giverId: null,
  receiverId: newUserId(randomBytes),
  qrCodeId: newQrCodeId(randomBytes),
  serviceCategory: 'bartender',
  amountCents: cents(2_000),
  giverFeeCents: cents(100),
  receiverFeeCents: cents(60),
  netAmountCents: cents(1_940),
  giverFeeRate: SPECIFIED_TERMS.giverFeeRate,
  receiverFeeRate: SPECIFIED_TERMS.receiverFeeRate,
  idempotencyKey: null,
  createdAtMs: LONG_AGO,
  termsVersion: 0,
  paymentMode: 'test',
  platform: 'acct_operator',
  destination: 'acct_pat',
  state: 'succeeded',
  changedAtMs: LONG_AGO,
  expiresAtMs: LONG_AGO,
  checkout: { id: 'cs_1', url: 'https://pay.example.com/1' },
  chargeId: 'pi_1',
  refund: null,
  lookCount: 0,
  owedByReceiverCents: cents(0),
  owedToGiverCents: cents(0),
  owedToReceiverCents: cents(0),
  settledByReceiverCents: cents(0),
  settledToGiverCents: cents(0),
  settledToReceiverCents: cents(0),
  refusedTakeBacks: 0,
  refusedGiveBacks: 0,
  adjustments: [],
  capturesAtMs: null,
  receiverName: 'Pat',
  receiverUsername: 'pat',
  displayName: null,
  defaultThankYou: null,
  reversedAtMs: null,
};

const CHARGE: ComparedCharge = {
  chargeId: 'pi_1',
  transactionId: PAYMENT.id,
  state: 'captured',
  chargedCents: 2_100,
  refunds: [],
  disputes: [],
  transfer: { cents: 2_100, reversedCents: 0 },
  receivedCents: 1_940,
};

const refundOf = (amount: number, createdAtMs = LONG_AGO, hasFailed = false) => ({
  id: 're_1',
  cents: amount,
  hasFailed,
  createdAtMs,
});
const disputeOf = (state: 'open' | 'won' | 'lost', openedAtMs = LONG_AGO) => ({
  id: 'dp_1',
  cents: 2_100,
  state,
  openedAtMs,
  answerByMs: null,
  givenBackCents: 0,
});

function adjustmentOf(
  kind: Adjustment['kind'],
  paid: readonly [amount: number, fee: number, net: number],
): Adjustment {
  const [amount, giverFee, net] = paid;
  return {
    kind,
    source: 'x_1',
    amountCents: cents(amount),
    giverFeeCents: cents(giverFee),
    receiverFeeCents: cents(amount - net),
    netAmountCents: cents(net),
    createdAtMs: LONG_AGO,
  };
}

const HALF = adjustmentOf('refund', [-1_000, -50, -970]);
const DISPUTED = adjustmentOf('dispute', [-2_000, -100, -1_940]);
const WON = adjustmentOf('dispute_won', [2_000, 100, 1_940]);
const TAKEN_BACK = { transfer: { cents: 2_100, reversedCents: 2_100 }, receivedCents: 0 };
const HALF_TAKEN_BACK = { transfer: { cents: 2_100, reversedCents: 1_050 }, receivedCents: 970 };

type Case = readonly [
  what: string,
  payment: Partial<ComparedPayment>,
  charge: Partial<ComparedCharge>,
  found: readonly (readonly [kind: string, elsewhereCents: number, hereCents: number])[],
];

const CASES: readonly Case[] = [
  ['a tip that was paid', {}, {}, []],
  [
    'a tip that was refunded',
    { state: 'refunded', reversedAtMs: NOW },
    { refunds: [refundOf(2_100)], ...TAKEN_BACK },
    [],
  ],
  ['a refund of a half', { adjustments: [HALF] }, { refunds: [refundOf(1_050)], ...HALF_TAKEN_BACK }, []],
  [
    'a half, and then the rest',
    { adjustments: [HALF], state: 'refunded', reversedAtMs: NOW },
    { refunds: [refundOf(1_050), refundOf(1_050)], ...TAKEN_BACK },
    [],
  ],
  ['a dispute', { adjustments: [DISPUTED] }, { disputes: [disputeOf('open')], ...TAKEN_BACK }, []],
  [
    'a dispute that was won, with what was given back',
    { adjustments: [DISPUTED, WON] },
    { disputes: [disputeOf('won')] },
    [],
  ],
  [
    'a cent less than was given back, as the ledger is rounded in another way',
    { adjustments: [DISPUTED, WON] },
    { disputes: [disputeOf('won')], receivedCents: 1_939 },
    [['rounded', 1_939, 1_940]],
  ],
  [
    'a refund that failed',
    {
      state: 'refunded',
      reversedAtMs: LONG_AGO - 1,
      adjustments: [adjustmentOf('refund_failed', [2_000, 100, 0])].map((one) => ({
        ...one,
        receiverFeeCents: cents(2_000),
      })),
      owedToGiverCents: cents(2_100),
    },
    { refunds: [refundOf(2_100, LONG_AGO, true)], ...TAKEN_BACK },
    [],
  ],
  ['a tip that is held', { state: 'authorised' }, { state: 'authorised' }, [['on_its_way', 2_100, 2_100]]],
  ['a tip that was never charged', { state: 'cancelled', reversedAtMs: NOW }, { state: 'cancelled' }, []],
  ['a charge that was given up', {}, { state: 'cancelled' }, [['not_charged', 0, 2_100]]],
  ['a charge that is held only', {}, { state: 'authorised' }, [['not_charged', 0, 2_100]]],
  ['another sum', {}, { chargedCents: 2_200 }, [['other_sum', 2_200, 2_100]]],
  ['a refund that the ledger lacks', {}, { refunds: [refundOf(1_050)] }, [['refund', 1_050, 0]]],
  [
    'a refund of a moment ago',
    {},
    { refunds: [refundOf(1_050, NOW - 1_000)], ...HALF_TAKEN_BACK },
    [
      ['on_its_way', 1_050, 0],
      ['on_its_way', 970, 1_940],
    ],
  ],
  [
    'a refund that the ledger alone has',
    { adjustments: [HALF] },
    {},
    [
      ['refund', 0, 1_050],
      ['receiver', 1_940, 970],
    ],
  ],
  ['a dispute that the ledger lacks', {}, { disputes: [disputeOf('lost')] }, [['dispute', 2_100, 0]]],
  [
    'a dispute that the ledger alone has',
    { adjustments: [DISPUTED] },
    { disputes: [disputeOf('won')] },
    [
      ['dispute', 0, 2_100],
      ['receiver', 1_940, 0],
    ],
  ],
  [
    'money that was taken from the receiver by hand',
    {},
    { transfer: { cents: 2_100, reversedCents: 1_050 }, receivedCents: 970 },
    [['receiver', 970, 1_940]],
  ],
  [
    'what the receiver still has, as the ledger knows',
    { state: 'refunded', reversedAtMs: NOW, owedByReceiverCents: cents(2_100) },
    { refunds: [refundOf(2_100)] },
    [['owed', 1_940, 0]],
  ],
  [
    'what an operator has written off',
    { state: 'refunded', reversedAtMs: NOW, settledByReceiverCents: cents(2_100) },
    { refunds: [refundOf(2_100)] },
    [['written_off', 1_940, 0]],
  ],
  [
    'what an operator has paid to the receiver in another way',
    { settledToReceiverCents: cents(2_100) },
    { transfer: { cents: 2_100, reversedCents: 2_100 }, receivedCents: 0 },
    [['paid_otherwise', 0, 1_940]],
  ],
  [
    'what the receiver still has, and nobody knows',
    { state: 'refunded', reversedAtMs: NOW },
    { refunds: [refundOf(2_100)] },
    [['receiver', 1_940, 0]],
  ],
  [
    'a cent of fees that Stripe rounds in another way',
    { adjustments: [HALF] },
    { refunds: [refundOf(1_050)], ...HALF_TAKEN_BACK, receivedCents: 969 },
    [['rounded', 969, 970]],
  ],
  [
    'two cents, which are no rounding',
    { adjustments: [HALF] },
    { refunds: [refundOf(1_050)], ...HALF_TAKEN_BACK, receivedCents: 968 },
    [['receiver', 968, 970]],
  ],
];

test.each(CASES)('of %s', (_, payment, charge, found) => {
  const { findings, sides } = compareCharge({ ...PAYMENT, ...payment }, { ...CHARGE, ...charge }, NOW);
  expect(findings.map(({ kind, elsewhereCents, hereCents }) => [kind, elsewhereCents, hereCents])).toEqual(
    found,
  );
  if (found.length === 0)
    for (const { elsewhere, here } of [sides.paid, sides.back, sides.received]) expect(elsewhere).toBe(here);
});
