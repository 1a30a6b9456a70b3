/** The invariants of payments, and of what became of their money: each is a query for offending rows. */
import { TIP_COLUMNS } from '../schema/payments.ts';
import { transactions } from '../schema/views.ts';
import { differs, entryOf, type Has, type Invariant, quoted } from './ledger-columns.ts';

/** States of payments whose tip is in the ledger, and those whose tip is reversed. */
const IN_THE_LEDGER = quoted(['authorised', 'succeeded', 'refunded', 'cancelled']);
const REVERSED = quoted(['refunded', 'cancelled']);

/** What went back of a tip by the adjustment `a` and all before it. */
const backBy = (cents: string) =>
  `(CASE WHEN v.receiver_position < a.receiver_position THEN t.${cents} ELSE 0 END - sum(a.${cents}) OVER chain)`;

const changeOf = ({ names: { kindOf } }: Has, side: 'given' | 'received') =>
  `CASE a.kind WHEN 'capture' THEN ${kindOf(`${side}_captured`)} ELSE ${kindOf(`${side}_adjusted`)} END`;

/** A payment and its tip agree in these columns. The key and the time of the request are their own. */
const SAME = [...TIP_COLUMNS, 'paymentMode' as const]
  .filter((name) => name !== 'idempotencyKey' && name !== 'createdAtMs')
  .map((name) => transactions[name].name);

const asItWasPaid = (columns: readonly string[]): Invariant => [
  'a payment that was authorised or succeeded is a tip as it was paid',
  `SELECT p.id FROM payments p LEFT JOIN transactions t ON t.id = p.id
   WHERE p.state IN (${IN_THE_LEDGER}) AND (t.id IS NULL
     OR ${columns.map((column) => `t.${column} IS DISTINCT FROM p.${column}`).join(' OR ')})`,
];

const TERMS_INVARIANTS: readonly Invariant[] = [
  asItWasPaid(SAME),
  [
    'a tip has the rates of its terms',
    `SELECT t.id FROM transactions t LEFT JOIN terms m ON m.version = t.terms_version
     WHERE t.terms_version <> 0 AND (m.version IS NULL
       OR m.giver_fee_rate <> t.giver_fee_rate OR m.receiver_fee_rate <> t.receiver_fee_rate)`,
  ],
];

/** Cross joins keep SQLite from beginning with all payments. */
const PAYMENT_INVARIANTS: readonly Invariant[] = [
  [
    'a tip that was paid has a payment that was authorised or succeeded',
    `SELECT t.id FROM transactions t LEFT JOIN payments p ON p.id = t.id AND p.state IN (${IN_THE_LEDGER})
     WHERE t.payment_mode <> 'simulated' AND p.id IS NULL`,
  ],
  [
    'a payment is refunded or cancelled when its tip is reversed, and only then',
    `SELECT p.id FROM payments p JOIN transactions t ON t.id = p.id LEFT JOIN reversals v ON v.transaction_sequence = t.sequence
     WHERE (p.state IN (${REVERSED})) <> (v.sequence IS NOT NULL)`,
  ],
  [
    'a tip that was paid is reversed by whoever asked for its refund, under the key of that',
    `SELECT p.id FROM reversals v CROSS JOIN transactions t CROSS JOIN payments p
     WHERE t.sequence = v.transaction_sequence AND p.id = t.id
       AND (v.reversed_by IS DISTINCT FROM p.refund_asked_by OR v.idempotency_key IS DISTINCT FROM p.refund_key)`,
  ],
];

/**
 * What went back by an adjustment and all before it is a part of the whole, of which the amount has its share, rounded
 * half up to a cent. A reversal gave all back that was left.
 */
const feesOfAdjustments: Invariant = [
  'an adjustment moves as much of the giver’s fee as it moves of the amount',
  `SELECT 'adjustment ' || sequence FROM (
     SELECT a.sequence, t.amount_cents + t.giver_fee_cents AS whole,
       ${backBy('amount_cents')} * t.giver_fee_cents - ${backBy('giver_fee_cents')} * t.amount_cents AS off
     FROM adjustments a JOIN transactions t ON t.sequence = a.transaction_sequence
       LEFT JOIN reversals v ON v.transaction_sequence = a.transaction_sequence
     WHERE a.kind <> 'capture'
     WINDOW chain AS (
       PARTITION BY a.transaction_sequence, v.receiver_position < a.receiver_position
       ORDER BY a.sequence ROWS UNBOUNDED PRECEDING
     )
   ) c WHERE 2 * off > whole OR 2 * off <= -whole`,
];

const adjustmentInvariants = (has: Has): readonly Invariant[] => [
  [
    'an adjustment is of a tip that was paid, names its charge, and did what it says to its two people',
    `SELECT 'adjustment ' || a.sequence FROM adjustments a LEFT JOIN transactions t ON t.sequence = a.transaction_sequence
       LEFT JOIN payments p ON p.id = t.id ${entryOf(has, 'g', 'giver', 'a')} ${entryOf(has, 'r', 'receiver', 'a')}
     WHERE t.sequence IS NULL OR p.id IS NULL OR p.state NOT IN ('succeeded', 'refunded')
       OR (a.kind = 'capture' AND a.source IS DISTINCT FROM p.charge_id)
       OR (a.kind = 'debit' AND substr(a.source, 1, length(p.charge_id) + 1) IS DISTINCT FROM p.charge_id || ' ')
       OR (t.giver_id IS NULL) <> (a.giver_position IS NULL)
       OR (t.giver_id IS NOT NULL AND (${differs(has, 'g', changeOf(has, 'given'), 'a.amount_cents', 'a')}))
       OR ${differs(has, 'r', changeOf(has, 'received'), 'a.net_amount_cents', 'a')}`,
  ],
  [
    'a capture moves no cents, and an adjustment neither makes nor loses any',
    `SELECT 'adjustment ' || sequence FROM adjustments WHERE net_amount_cents + receiver_fee_cents <> amount_cents
       OR (kind IN ('capture', 'dispute_lost', 'debit') AND (amount_cents <> 0 OR giver_fee_cents <> 0))
       OR (kind IN ('capture', 'dispute_lost') AND net_amount_cents <> 0)`,
  ],
  [
    'what ends a refund or a dispute names one that was entered before',
    `SELECT 'adjustment ' || a.sequence FROM adjustments a
       LEFT JOIN reversals v ON v.transaction_sequence = a.transaction_sequence AND v.receiver_position < a.receiver_position
     WHERE a.kind <> 'capture' AND (a.kind IN ('dispute_won', 'dispute_lost') OR (a.kind = 'refund_failed' AND v.sequence IS NULL))
       AND NOT EXISTS (
         SELECT 1 FROM adjustments b WHERE b.transaction_sequence = a.transaction_sequence AND b.source = a.source
           AND b.kind = CASE a.kind WHEN 'refund_failed' THEN 'refund' ELSE 'dispute' END AND b.sequence < a.sequence
       )`,
  ],
  feesOfAdjustments,
  [
    'the adjustments of a tip are numbered from 1, and each is entered once',
    `SELECT 'tip ' || transaction_sequence FROM adjustments GROUP BY transaction_sequence
       HAVING min(number) <> 1 OR max(number) <> count(*) OR count(DISTINCT number) <> count(*)
         OR count(DISTINCT kind || ' ' || source) <> count(*)`,
  ],
  [
    'adjustments leave of a tip neither less than nothing nor more than it was',
    `SELECT t.id FROM adjustments a JOIN transactions t ON t.sequence = a.transaction_sequence
       LEFT JOIN reversals v ON v.transaction_sequence = t.sequence WHERE v.sequence IS NULL
     GROUP BY t.id, t.amount_cents, t.giver_fee_cents, t.net_amount_cents
     HAVING sum(a.amount_cents) NOT BETWEEN -t.amount_cents AND 0
       OR sum(a.net_amount_cents) NOT BETWEEN -t.net_amount_cents AND 0
       OR sum(a.amount_cents + a.giver_fee_cents) NOT BETWEEN -(t.amount_cents + t.giver_fee_cents) AND 0`,
  ],
];

const paidBeforeTerms = asItWasPaid(SAME.filter((column) => column !== transactions.termsVersion.name));

export const paymentInvariants = (has: Has): readonly Invariant[] => [
  ...(has.payments ? PAYMENT_INVARIANTS : []),
  ...(has.adjustments ? adjustmentInvariants(has) : []),
  ...(has.terms ? TERMS_INVARIANTS : has.payments ? [paidBeforeTerms] : []),
];
