/** The steps of a tip: every event in every state, and what an address brings along. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '#client/tip/attempt.ts';
import {
  beginFlow,
  figuresOf,
  flowQuery,
  type OpenPayment,
  type Receipt,
  readChoice,
  type TipEvent,
  type TipFlow,
  tipFlow,
  withoutAmount,
} from '#client/tip/tip-flow.ts';
import { cents, putInForce, SPECIFIED_TERMS } from '#shared/money.ts';

const TWENTY = cents(2_000);
const FIFTY = cents(5_000);

const attempt: Attempt = { key: 'a key', userId: 'somebody', amountCents: FIFTY, wasSent: true };
const receipt: Receipt = {
  amountCents: FIFTY,
  giverFeeCents: cents(250),
  paidAt: '2026-05-15T12:00:00.000Z',
  transactionId: null,
  paymentMode: 'simulated',
  thankYou: null,
  undoUntil: null,
  capturesAt: null,
};
const reworded: Attempt = {
  ...attempt,
  words: { message: 'Great drinks', withName: true, complaints: [] },
};
const open: OpenPayment = { transactionId: 'txn_older', amountCents: FIFTY, paymentUrl: null };

const EVENTS = {
  'quick-chosen': { type: 'quick-chosen', amountCents: FIFTY },
  'custom-typed': { type: 'custom-typed', text: '12,34' },
  restored: { type: 'restored', figures: '$50.00' },
  kept: { type: 'kept', figures: '$50.00' },
  checked: { type: 'checked' },
  proceeded: { type: 'proceeded', attempt },
  resumed: { type: 'resumed', attempt },
  revised: { type: 'revised', attempt: reworded },
  'amount-changed': { type: 'amount-changed' },
  paying: { type: 'paying' },
  failed: { type: 'failed', interruption: 'no-answer' },
  paid: { type: 'paid', receipt },
  recall: { type: 'recall', transactionId: 'txn_older' },
  recalled: { type: 'recalled', receipt: { ...receipt, transactionId: 'txn_older' } },
  'recall-failed': { type: 'recall-failed' },
  waiting: { type: 'waiting', payment: open },
  another: { type: 'another' },
} as const satisfies { readonly [Type in TipEvent['type']]: TipEvent & { readonly type: Type } };

const NOTHING = { quickAmountCents: null, customText: '' };
const selecting = {
  step: 'select-amount',
  choice: { quickAmountCents: TWENTY, customText: '' },
  isChecked: true,
  interruption: 'not-sent',
  sent: null,
} as const satisfies TipFlow;
const payment = {
  step: 'payment',
  choice: { quickAmountCents: null, customText: '33' },
  attempt: { ...attempt, amountCents: cents(3_300) },
  isPaying: false,
} as const satisfies TipFlow;
const paying = { ...payment, isPaying: true } as const satisfies TipFlow;
const success = { step: 'success', receipt } as const satisfies TipFlow;
const recalling = {
  step: 'recall',
  transactionId: 'txn_older',
  hasFailed: false,
} as const satisfies TipFlow;
const waiting = { step: 'waiting', ...open } as const satisfies TipFlow;
const recalled = { step: 'success', receipt: EVENTS.recalled.receipt } as const satisfies TipFlow;
/** Where a step through the history or a reload leads from anywhere but a payment under way. */
const TO_RECEIPTS = { recall: recalling, recalled };

const fresh = (choice: { quickAmountCents: typeof TWENTY | null; customText: string }) =>
  ({ step: 'select-amount', choice, isChecked: false, interruption: null, sent: null }) as const;

/** What comes of an event; an event that is not named changes nothing. */
type Outcomes = Partial<Record<TipEvent['type'], TipFlow>>;

const TABLE: readonly (readonly [string, TipFlow, Outcomes])[] = [
  [
    'while an amount is chosen',
    selecting,
    {
      'quick-chosen': { ...selecting, choice: { quickAmountCents: FIFTY, customText: '' } },
      'custom-typed': { ...selecting, choice: { quickAmountCents: null, customText: '12,34' } },
      restored: { ...selecting, choice: { quickAmountCents: FIFTY, customText: '' } },
      checked: { ...selecting, isChecked: true },
      failed: { ...selecting, interruption: 'no-answer' },
      proceeded: { step: 'payment', choice: selecting.choice, attempt, isPaying: false },
      resumed: {
        step: 'payment',
        choice: { quickAmountCents: FIFTY, customText: '' },
        attempt,
        isPaying: false,
      },
      paid: success,
      ...TO_RECEIPTS,
    },
  ],
  [
    'before the payment is confirmed',
    payment,
    {
      revised: { ...payment, attempt: reworded },
      'amount-changed': fresh(payment.choice),
      paying,
      failed: { ...fresh(payment.choice), interruption: 'no-answer' },
      paid: success,
      ...TO_RECEIPTS,
    },
  ],
  [
    'while the payment is under way, so that neither its amount can be changed nor another receipt hides its outcome',
    paying,
    {
      revised: { ...payment, attempt: reworded },
      failed: { ...fresh(payment.choice), interruption: 'no-answer' },
      paid: success,
    },
  ],
  [
    'after the payment, so that nothing pays a second time',
    success,
    { another: { ...fresh(NOTHING), sent: receipt }, ...TO_RECEIPTS },
  ],
  [
    'while a receipt is asked for again',
    recalling,
    {
      another: fresh(NOTHING),
      'recall-failed': { ...recalling, hasFailed: true },
      waiting,
      restored: fresh({ quickAmountCents: FIFTY, customText: '' }),
      paid: success,
      ...TO_RECEIPTS,
    },
  ],
  [
    'while a payment at a payment service is waited for',
    waiting,
    {
      another: fresh(NOTHING),
      'recall-failed': { ...recalling, hasFailed: true },
      restored: fresh({ quickAmountCents: FIFTY, customText: '' }),
      paid: success,
      ...TO_RECEIPTS,
    },
  ],
  // The address of a success changes after its receipt is shown.
  [
    'while this receipt is shown',
    recalled,
    { another: { ...fresh(NOTHING), sent: recalled.receipt }, paid: success },
  ],
];

describe.each(TABLE)('%s', (_, flow, outcomes) => {
  it.each(Object.values(EVENTS))('the event $type leads where it should', (event) => {
    expect(tipFlow(flow, event)).toEqual(outcomes[event.type] ?? flow);
  });
});

describe('a choice', () => {
  it('is either a quick amount or a typed one, whichever came last', () => {
    const typed = tipFlow(selecting, { type: 'custom-typed', text: '77' });
    expect(typed).toMatchObject({ choice: { quickAmountCents: null, customText: '77' } });
    expect(tipFlow(typed, { type: 'quick-chosen', amountCents: TWENTY })).toMatchObject({
      choice: { quickAmountCents: TWENTY, customText: '' },
    });
  });

  it.each(['abc', '9.99', '10000.01', ''])('is no amount when %j is typed over a quick amount', (text) => {
    const flow = tipFlow(selecting, { type: 'custom-typed', text });
    if (flow.step !== 'select-amount') throw new Error('the step has changed');
    expect(readChoice(flow.choice).amountCents).toBeNull();
  });

  it('is the one that the page had before it was loaded anew, unless another was made meanwhile', () => {
    expect(tipFlow(fresh(NOTHING), EVENTS.kept)).toEqual(fresh({ quickAmountCents: FIFTY, customText: '' }));
    const typed = fresh({ quickAmountCents: null, customText: 'abc' });
    expect(tipFlow(typed, EVENTS.kept)).toEqual(typed);
  });

  it('stays the same when it is written in figures and restored', () => {
    const choices = fc.oneof(
      fc
        .constantFrom(...SPECIFIED_TERMS.quickAmountsCents)
        .map((quickAmountCents) => ({ quickAmountCents, customText: '' })),
      fc
        .integer({ min: 1_000, max: 1_000_000 })
        .filter((amount) => !SPECIFIED_TERMS.quickAmountsCents.includes(cents(amount)))
        .map((amount) => ({ quickAmountCents: null, customText: (amount / 100).toFixed(2) })),
    );
    fc.assert(
      fc.property(choices, (choice) => {
        const restored = tipFlow(fresh(NOTHING), { type: 'restored', figures: figuresOf(choice) });
        expect(restored).toEqual(fresh(choice));
      }),
    );
  });
});

describe('the amount in an address', () => {
  it.each([
    ['', NOTHING],
    ['?amount=50', { quickAmountCents: FIFTY, customText: '' }],
    ['?amount=51', { quickAmountCents: null, customText: '51' }],
    ['?other=12%2C34', { quickAmountCents: null, customText: '12,34' }],
    ['?amount=20&other=50.00', { quickAmountCents: FIFTY, customText: '' }],
    ['?amount=20&other=', { quickAmountCents: TWENTY, customText: '' }],
    ['?other=lots', { quickAmountCents: null, customText: 'lots' }],
    [`?other=${'1'.repeat(100)}`, { quickAmountCents: null, customText: '1'.repeat(20) }],
  ])('of %j is chosen at the beginning', (search, choice) => {
    expect(beginFlow(search)).toEqual(fresh(choice));
  });

  it('of dinars is the number that a program has written, and in doubt where somebody has typed it', () => {
    const dinars = {
      currency: 'KWD',
      exponent: 3,
      minTipCents: cents(1_000),
      maxTipCents: cents(20_000_000),
    };
    putInForce({ ...SPECIFIED_TERMS, version: 1, ...dinars });
    const read = (search: string) => {
      const flow = beginFlow(search);
      return flow.step === 'select-amount' ? readChoice(flow.choice).amountCents : null;
    };
    expect(['?amount=1.255', '?amount=12.5', '?amount=1200.5'].map(read)).toEqual([1_255, 12_500, 1_200_500]);
    expect(String(flowQuery('?amount=1.255'))).toBe('other=KWD+1.255');
    expect(read('?other=KWD+1.255')).toBe(1_255);
    expect(read('?other=1.255')).toBeNull();
    putInForce(SPECIFIED_TERMS);
  });

  it.each([
    ['?amount=20&other=50.00&x=y', 'amount=50'],
    ['?other=12,34', 'other=12%2C34'],
    ['?x=y', ''],
  ])('of %j is written as %j at its shortest, which means the same', (search, shortest) => {
    expect(String(flowQuery(search))).toBe(shortest);
    expect(beginFlow(`?${shortest}`)).toEqual(beginFlow(search));
  });

  it('does not count where the address names a transaction, whose receipt is asked for', () => {
    const search = '?amount=20&paid=txn_older';
    expect(beginFlow(search)).toEqual(recalling);
    // Which transaction it is does not show before it is known.
    expect(String(flowQuery(search))).toBe('paid=1');
    expect(beginFlow('?paid=').step).toBe('select-amount');
  });

  it.each([
    ['?userId=sam&service=dj&amount=20', '?userId=sam&service=dj'],
    ['?other=20', ''],
    ['?a=%2F&b', '?a=%2F&b'],
  ])('is taken out of %j, and the rest stays', (search, rest) => {
    expect(withoutAmount(search)).toBe(rest);
  });
});
