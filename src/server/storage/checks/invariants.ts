/**
 * The invariants of the whole ledger, each with a query for offending rows in SQL that both engines accept.
 * `recent-check.ts` applies the same rules to what was written since the last check.
 */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { ENTRY_KINDS } from '../port/ledger.ts';
import {
  differs,
  entryOf,
  type Has,
  type Invariant,
  type Names,
  NUMBERS,
  quoted,
  TEXTS,
} from './ledger-columns.ts';
import { paymentInvariants } from './payment-invariants.ts';

/** Rounds half up to a cent in integer arithmetic, like feesFor(). */
const share = (rate: string) => `(amount_cents * ${rate} + 5000) / 10000`;

const receivedIn = ({ kind, kindOf }: Names) =>
  `${kind} IN (${ENTRY_KINDS.filter((one) => one.startsWith('received'))
    .map(kindOf)
    .join(', ')})`;

const adjustedIn = (has: Has) =>
  has.adjustments
    ? `(SELECT transaction_sequence, sum(amount_cents) AS amount, sum(net_amount_cents) AS net,
         sum(CASE kind WHEN 'refund_failed' THEN 0 ELSE amount_cents END) AS kept
       FROM adjustments GROUP BY transaction_sequence)`
    : '(SELECT 0 AS transaction_sequence, 0 AS amount, 0 AS net, 0 AS kept)';

/** The sum of the adjustments before the reversal `v`. */
const adjustedBefore = (has: Has, cents: string) =>
  has.adjustments
    ? `(SELECT coalesce(sum(a.${cents}), 0) FROM adjustments a
         WHERE a.transaction_sequence = v.transaction_sequence AND a.receiver_position < v.receiver_position)`
    : '0';

/**
 * A refund that failed is nothing of the receiver's. Databases of before count it all the same, each bucket whole, and
 * a start checks them before it has their buckets made anew.
 */
const detailsOfBuckets = (has: Has): Invariant => [
  'what a bucket tells of its amounts is so of its tips',
  `SELECT ${has.names.idOf('account_id')} || ' ' || start_ms || ' ' || service_category FROM (
     SELECT t.${has.names.receiver} AS account_id, t.created_at_ms - t.created_at_ms % 900000 AS start_ms, t.service_category,
       CASE WHEN t.amount_cents + coalesce(a.kept, 0) > 0 THEN t.amount_cents + coalesce(a.kept, 0) ELSE 0 END AS gross,
       t.amount_cents + coalesce(a.amount, 0) AS gross_before, t.net_amount_cents + coalesce(a.net, 0) AS net,
       0 AS largest, 0 AS detailed
     FROM transactions t LEFT JOIN reversals v ON v.transaction_sequence = t.sequence
       LEFT JOIN ${adjustedIn(has)} a ON a.transaction_sequence = t.sequence WHERE v.sequence IS NULL
     UNION ALL
     SELECT ${has.names.account}, start_ms, service_category, -gross_cents, -gross_cents, 0, largest_cents,
       CASE WHEN detailed_count = count THEN 1 ELSE 0 END FROM tip_buckets
   ) b GROUP BY account_id, start_ms, service_category
   HAVING max(detailed) = 1 AND ((sum(gross) <> 0 AND sum(gross_before) <> 0) OR max(net) <> max(largest))`,
];

const tipInvariants = ({ giver, receiver, code, ofAccount, ofCode }: Names): readonly Invariant[] => [
  [
    'net amount and receiver fee make up the amount',
    'SELECT id FROM transactions WHERE net_amount_cents + receiver_fee_cents <> amount_cents',
  ],
  [
    'fees are those of the rates stored with the tip',
    `SELECT id FROM transactions WHERE giver_fee_cents <> ${share('giver_fee_rate')}
       OR receiver_fee_cents <> ${share('receiver_fee_rate')}`,
  ],
  [
    'nothing is negative',
    `SELECT id FROM transactions WHERE amount_cents < 0 OR giver_fee_cents < 0 OR receiver_fee_cents < 0
       OR net_amount_cents < 0 OR giver_fee_rate < 0 OR receiver_fee_rate < 0
     UNION ALL SELECT id FROM accounts WHERE total_tips_received_cents < 0 OR total_tips_given_cents < 0`,
  ],
  [
    'a tip has a known giver, receiver and QR code, and goes to the owner of the code, for the service of the code',
    `SELECT t.id FROM transactions t LEFT JOIN accounts g ON g.${ofAccount} = t.${giver}
       LEFT JOIN qr_codes q ON q.${ofCode} = t.${code} LEFT JOIN accounts r ON r.${ofAccount} = t.${receiver}
     WHERE (t.${giver} IS NOT NULL AND g.id IS NULL) OR r.id IS NULL OR q.user_id IS DISTINCT FROM r.id
       OR q.category IS DISTINCT FROM t.service_category`,
  ],
  ['nobody tips themselves', `SELECT id FROM transactions WHERE ${giver} = ${receiver}`],
  [
    'the category is known',
    `SELECT id FROM transactions WHERE service_category NOT IN (${quoted(SERVICE_CATEGORIES)})`,
  ],
  [
    'an idempotency key left one tip of its giver, who has an account',
    `SELECT min(id) FROM transactions WHERE idempotency_key IS NOT NULL GROUP BY ${giver}, idempotency_key HAVING count(*) > 1 OR ${giver} IS NULL`,
  ],
];

/** The invariants of tips alone, which also hold of a ledger from before entries existed. */
export const TIP_INVARIANTS = tipInvariants(TEXTS);

export function invariantsWith(
  found: Omit<Has, 'names'> & { readonly numbers: boolean },
): readonly Invariant[] {
  const has: Has = { ...found, names: found.numbers ? NUMBERS : TEXTS };
  return [
    ...ledgerInvariants(has),
    ...(has.details ? [detailsOfBuckets(has)] : []),
    ...paymentInvariants(has),
  ];
}

function ledgerInvariants(has: Has): readonly Invariant[] {
  const { account, giver, receiver, ofAccount, kind, kindOf, idOf } = has.names;
  const isReceived = receivedIn(has.names);
  return [
    ...tipInvariants(has.names),
    [
      'no balance and no bucket is negative',
      `SELECT account_id FROM entries WHERE balance_after_cents < 0
     UNION ALL SELECT account_id FROM tip_buckets WHERE count < 0 OR cents < 0`,
    ],
    [
      'each bucket is of a known account',
      `SELECT account_id FROM tip_buckets WHERE ${account} NOT IN (SELECT ${ofAccount} FROM accounts)`,
    ],
    [
      'a tip left an entry with each of its two people who has an account',
      `SELECT t.id FROM transactions t ${entryOf(has, 'g', 'giver', 't')} ${entryOf(has, 'r', 'receiver', 't')}
     WHERE (t.${giver} IS NOT NULL AND (${differs(has, 'g', kindOf('given'), 't.amount_cents', 't')}))
       OR ${differs(has, 'r', kindOf('received'), 't.net_amount_cents', 't')}`,
    ],
    [
      'a reversal is of a known tip, and took back what was left of what it did to its two people',
      `SELECT 'reversal ' || v.sequence FROM reversals v LEFT JOIN transactions t ON t.sequence = v.transaction_sequence
       ${entryOf(has, 'g', 'giver', 'v')} ${entryOf(has, 'r', 'receiver', 'v')}
     WHERE t.sequence IS NULL OR (t.${giver} IS NULL) <> (v.giver_position IS NULL)
       OR (t.${giver} IS NOT NULL AND (${differs(has, 'g', kindOf('given_reversed'), `-t.amount_cents - ${adjustedBefore(has, 'amount_cents')}`, 'v')}))
       OR ${differs(has, 'r', kindOf('received_reversed'), `-t.net_amount_cents - ${adjustedBefore(has, 'net_amount_cents')}`, 'v')}`,
    ],
    [
      'a tip is reversed once',
      `SELECT 'tip ' || transaction_sequence FROM reversals GROUP BY transaction_sequence HAVING count(*) > 1`,
    ],
    [
      'no entry stands without its tip, reversal or adjustment',
      `SELECT 'entries ' || kept FROM (SELECT count(*) AS kept FROM entries) e
     WHERE kept <> (SELECT count(*) + count(${giver}) FROM transactions)
       + (SELECT count(*) + count(giver_position) FROM reversals)
       + ${has.adjustments ? '(SELECT count(*) + count(giver_position) FROM adjustments)' : '0'}`,
    ],
    [
      'the entries of an account are numbered from 1 without a gap',
      `SELECT a.id FROM accounts a LEFT JOIN (
       SELECT ${account}, count(*) AS entries, min(position) AS lowest, max(position) AS highest FROM entries GROUP BY ${account}
     ) e ON e.${account} = a.${ofAccount}
     WHERE coalesce(e.entries, 0) <> a.last_position OR coalesce(e.highest, 0) <> a.last_position OR coalesce(e.lowest, 1) <> 1`,
    ],
    [
      'each balance is the sum of the entries up to it',
      `SELECT ${idOf(account)} || ' at ' || position FROM (
       SELECT ${account}, position, balance_after_cents,
         CASE WHEN ${isReceived} THEN sum(CASE WHEN ${isReceived} THEN cents ELSE 0 END) OVER chain
           ELSE sum(CASE WHEN ${isReceived} THEN 0 ELSE cents END) OVER chain END AS sum_of_entries
       FROM entries WINDOW chain AS (PARTITION BY ${account} ORDER BY position ROWS UNBOUNDED PRECEDING)
     ) c WHERE balance_after_cents <> sum_of_entries`,
    ],
    [
      'the total received is the sum of the net amounts',
      `SELECT a.id FROM accounts a LEFT JOIN (
       SELECT ${account}, sum(cents) AS total FROM entries WHERE ${isReceived} GROUP BY ${account}
     ) e ON e.${account} = a.${ofAccount} WHERE a.total_tips_received_cents <> coalesce(e.total, 0)`,
    ],
    [
      'the total given is the sum of the amounts',
      `SELECT a.id FROM accounts a LEFT JOIN (
       SELECT ${account}, sum(cents) AS total FROM entries WHERE NOT ${isReceived} GROUP BY ${account}
     ) e ON e.${account} = a.${ofAccount} WHERE a.total_tips_given_cents <> coalesce(e.total, 0)`,
    ],
    [
      'each bucket is the sum of what was received in its quarter of an hour',
      `SELECT ${idOf('account_id')} || ' ' || start_ms || ' ' || service_category FROM (
       SELECT t.${receiver} AS account_id, t.created_at_ms - t.created_at_ms % 900000 AS start_ms, t.service_category,
         1 AS tips, t.net_amount_cents + coalesce(a.net, 0) AS cents
       FROM transactions t LEFT JOIN reversals v ON v.transaction_sequence = t.sequence
         LEFT JOIN ${adjustedIn(has)} a ON a.transaction_sequence = t.sequence WHERE v.sequence IS NULL
       UNION ALL
       SELECT ${account}, start_ms, service_category, -count, -cents FROM tip_buckets
     ) b GROUP BY account_id, start_ms, service_category HAVING sum(tips) <> 0 OR sum(cents) <> 0`,
    ],
    [
      'nothing was remembered as checked that is not there',
      `SELECT 'the checkpoint' FROM (
       SELECT count(*) AS kept, max(transaction_sequence) AS tips, max(reversal_sequence) AS reversals,
         ${has.adjustments ? 'max(adjustment_sequence)' : '0'} AS adjustments FROM checkpoints
     ) p WHERE kept <> 1 OR tips > (SELECT coalesce(max(sequence), 0) FROM transactions)
       OR reversals > (SELECT coalesce(max(sequence), 0) FROM reversals)
       OR adjustments > ${has.adjustments ? '(SELECT coalesce(max(sequence), 0) FROM adjustments)' : '0'}
     UNION ALL
     SELECT c.account_id FROM checked_accounts c LEFT JOIN accounts a ON a.id = c.account_id
       LEFT JOIN (
         SELECT k.account_id, sum(CASE WHEN ${isReceived} THEN cents ELSE 0 END) AS received,
           sum(CASE WHEN ${isReceived} THEN 0 ELSE cents END) AS given,
           sum(CASE ${kind} WHEN ${kindOf('received')} THEN 1 WHEN ${kindOf('received_reversed')} THEN -1 ELSE 0 END) AS tips
         FROM checked_accounts k JOIN accounts i ON i.id = k.account_id
           JOIN entries e ON e.${account} = i.${ofAccount} AND e.position <= k.position GROUP BY k.account_id
       ) e ON e.account_id = c.account_id
       LEFT JOIN (
         SELECT ${account}, sum(checked_count) AS tips, sum(checked_cents) AS cents FROM tip_buckets GROUP BY ${account}
       ) b ON b.${account} = a.${ofAccount}
     WHERE a.id IS NULL OR c.position > a.last_position OR c.received_cents <> coalesce(e.received, 0)
       OR c.given_cents <> coalesce(e.given, 0) OR coalesce(b.cents, 0) <> c.received_cents
       OR coalesce(b.tips, 0) <> coalesce(e.tips, 0)
     UNION ALL
     SELECT account_id FROM tip_buckets b WHERE (checked_count <> 0 OR checked_cents <> 0)
       AND NOT EXISTS (
         SELECT 1 FROM checked_accounts c JOIN accounts i ON i.id = c.account_id WHERE i.${ofAccount} = b.${account}
       )`,
    ],
  ];
}
