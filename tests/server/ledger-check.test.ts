/**
 * The ledger check finds every way in which the books could be wrong, names it, and is content with good
 * ones; and `npm run db:check` says the same of a file. Each invariant is broken here by hand, past all
 * guards of the tables.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { databaseAt } from '#server/storage/open.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkIntegrity, checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { writeAdjustments } from '#tests/support/books.ts';
import { runHere } from '#tests/support/commands.ts';
import { dump } from '#tests/support/database-dump.ts';
import { makeEarlierLedger } from '#tests/support/earlier-ledger.ts';
import { CAM, ENTRY_COLUMNS, forgeIn, PAT, SAM } from '#tests/support/forgery.ts';
import { rule, statedRules } from '#tests/support/ledger-rules.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { letWriteToViews } from '#tests/support/ledger-views.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { authoriseTip, payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { START_MS } from '#tests/support/people.ts';
import { runToEnd, temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';

/**
 * Three tips of a customer's for the first of two codes of a provider's: 1,000, 2,000 and 3,000 cents. On
 * request a fourth of 4,000 cents that is reversed, or all of that checked as what is recent; one of 5,000
 * cents that was paid at a payment service; or one of 6,000 cents of a guest, which is reversed.
 */
async function createBooks({
  path,
  isReversed = false,
  isChecked = false,
  isPaid = false,
  isOfGuest = false,
  isAdjusted = false,
  isFailed = false,
  isRefunded = false,
}: {
  readonly path?: string;
  readonly isReversed?: boolean;
  readonly isChecked?: boolean;
  readonly isPaid?: boolean;
  readonly isOfGuest?: boolean;
  readonly isAdjusted?: boolean;
  readonly isFailed?: boolean;
  readonly isRefunded?: boolean;
} = {}) {
  const ledger = await createSqliteLedger(path === undefined ? {} : { path });
  const { provider, customer, tip } = await ledger.setTheScene();
  const other = await ledger.addAccount('sam');
  const amounts = [1_000, 2_000, 3_000, ...(isReversed || isChecked ? [4_000] : [])];
  for (const amountCents of amounts) {
    const given = tip({ amountCents, idempotencyKey: `key-${amountCents}` });
    expect(await ledger.storage.recordTip(given)).toMatchObject({ outcome: 'recorded' });
    if (amountCents === 4_000) {
      expect(await takeBack(ledger.storage, given, START_MS + 1)).toMatchObject({ outcome: 'reversed' });
    }
  }
  if (isPaid) {
    await ledger.storage.payments.savePayoutAccount(payoutAccountOf(provider.id), START_MS);
    await payTip(ledger.storage, tip({ amountCents: 5_000, idempotencyKey: 'key-5000' }));
  }
  if (isAdjusted || isFailed) {
    await ledger.storage.payments.savePayoutAccount(payoutAccountOf(provider.id), START_MS);
    const adjusted = tip({ amountCents: 5_000 });
    await authoriseTip(ledger.storage, adjusted);
    await writeAdjustments(ledger.storage, adjusted.id, { isDisputed: isAdjusted });
  }
  if (isRefunded) {
    const { payments } = ledger.storage;
    await payments.savePayoutAccount(payoutAccountOf(provider.id), START_MS);
    const refunded = tip({ amountCents: 5_000 });
    await payTip(ledger.storage, refunded);
    const request = {
      transactionId: refunded.id,
      userId: customer.id,
      idempotencyKey: 'key',
      giverFromMs: 0,
    };
    await payments.askForRefund({ ...request, createdAtMs: START_MS + 1 }, START_MS);
    const move = { kind: 'refunded', adjustmentCount: 0 } as const;
    expect(await payments.movePayment(refunded.id, move, START_MS + 2, START_MS)).toMatchObject({
      outcome: 'moved',
    });
  }
  if (isOfGuest) {
    const ofGuest = tip({ amountCents: 6_000, giverId: null });
    await ledger.storage.recordTip(ofGuest);
    const request = { transactionId: ofGuest.id, userId: provider.id, idempotencyKey: null, giverFromMs: 0 };
    expect(await ledger.storage.reverseTip({ ...request, createdAtMs: START_MS + 1 })).toMatchObject({
      outcome: 'reversed',
    });
  }
  if (isChecked) {
    expect((await ledger.storage.checkRecent()).problems).toEqual([]);
    expect(await ledger.storage.checkRecent()).toEqual({ problems: [], isDone: true });
  }
  return { ...ledger, provider, customer, other };
}

/** Takes away whatever keeps the tables from being falsified. */
function letFalsify(database: Database): void {
  const triggers = database
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
    .pluck()
    .all();
  for (const trigger of triggers) database.exec(`DROP TRIGGER ${trigger}`);
  database.exec('DROP INDEX tips_idempotency; DROP INDEX reversals_transaction');
  database.exec('DROP INDEX adjustments_source; DROP INDEX adjustments_number');
  database.pragma('foreign_keys = OFF');
  database.pragma('ignore_check_constraints = ON');
  letWriteToViews(database);
  // What buckets tell beside their sums is judged only where a falsification says that it is there.
  database.exec('UPDATE tip_buckets SET detailed_count = -1');
}

const received = (whom: string, by: number) =>
  `UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + ${by} WHERE id = ${whom};`;
const given = (whom: string, by: number) =>
  `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + ${by} WHERE id = ${whom};`;
const lastPosition = (whom: string, by: number) =>
  `UPDATE accounts SET last_position = last_position + ${by} WHERE id = ${whom};`;
const second = (changes: string) => `UPDATE transactions SET ${changes} WHERE sequence = 2;`;
const third = (changes: string) => `UPDATE transactions SET ${changes} WHERE sequence = 3;`;
const entry = (whom: string, position: number, changes: string) =>
  `UPDATE entries SET ${changes} WHERE account_id = ${whom} AND position = ${position};`;
const BUCKET_COLUMNS = '(account_id, start_ms, service_category, count, cents, checked_count, checked_cents)';
const bucket = (changes: string) => `UPDATE tip_buckets SET ${changes};`;

/** Moves the cents of an entry, and whatever is summed from them in its account. */
const moveEntry = (whom: string, position: number, by: number) =>
  entry(whom, position, `cents = cents + ${by}`) +
  `UPDATE entries SET balance_after_cents = balance_after_cents + ${by} WHERE account_id = ${whom} AND position >= ${position};`;
const receiveMore = (position: number, by: number) =>
  moveEntry(PAT, position, by) + received(PAT, by) + bucket(`cents = cents + ${by}`);
const giveMore = (position: number, by: number) => moveEntry(CAM, position, by) + given(CAM, by);

/**
 * Gives the third tip, which is the last of both accounts, another giver, down to the entry and the totals.
 */
const thirdGivenBy = (whom: string, position = 1) =>
  third(`giver_id = ${whom}, giver_position = ${position}`) +
  entry(CAM, 3, `account_id = ${whom}, position = ${position}, balance_after_cents = cents`) +
  given(CAM, -3_000) +
  lastPosition(CAM, -1) +
  given(whom, 3_000) +
  lastPosition(whom, 1);
/** The same with another receiver. */
const thirdReceivedBy = (whom: string) =>
  third(`receiver_id = ${whom}, receiver_position = 1`) +
  entry(PAT, 3, `account_id = ${whom}, position = 1, balance_after_cents = cents`) +
  received(PAT, -2_910) +
  lastPosition(PAT, -1) +
  received(whom, 2_910) +
  lastPosition(whom, 1) +
  bucket('count = 2, cents = 2910') +
  `INSERT INTO tip_buckets ${BUCKET_COLUMNS} SELECT ${whom}, start_ms, service_category, 1, 2910, 0, 0 FROM tip_buckets;`;

/** Takes out the second tip with all that it did, and moves the third into its place in both accounts. */
const withoutSecond = `DELETE FROM transactions WHERE sequence = 2; DELETE FROM entries WHERE position = 2;
  ${third('giver_position = 2, receiver_position = 2')}
  ${entry(CAM, 3, 'position = 2, balance_after_cents = balance_after_cents - 2000')}
  ${entry(PAT, 3, 'position = 2, balance_after_cents = balance_after_cents - 1940')}
  ${given(CAM, -2_000)}${received(PAT, -1_940)}${lastPosition(CAM, -1)}${lastPosition(PAT, -1)}
  ${bucket('count = 2, cents = cents - 1940')}`;
const withoutThird = `DELETE FROM transactions WHERE sequence = 3; DELETE FROM entries WHERE position = 3;
  ${given(CAM, -3_000)}${received(PAT, -2_910)}${lastPosition(CAM, -1)}${lastPosition(PAT, -1)}
  ${bucket('count = 2, cents = cents - 2910')}`;

/**
 * A second reversal of the fourth tip with all that it would do, but for the bucket, which has nothing left
 * to take back.
 */
const reversedAgain = `INSERT INTO reversals (transaction_sequence, created_at_ms, giver_position, receiver_position)
    SELECT transaction_sequence, created_at_ms, 6, 6 FROM reversals;
  INSERT INTO entries ${ENTRY_COLUMNS} SELECT account_id, 6, kind, transaction_sequence, cents, balance_after_cents + cents, created_at_ms
    FROM entries WHERE position = 5;
  ${given(CAM, -4_000)}${received(PAT, -3_880)}${lastPosition(CAM, 1)}${lastPosition(PAT, 1)}`;
/** Takes back what the reversal did, and leaves the reversal, or not. */
const withoutTakingBack = `DELETE FROM entries WHERE position = 5; ${given(CAM, 4_000)}${received(PAT, 3_880)}
  ${lastPosition(CAM, -1)}${lastPosition(PAT, -1)}`;

type Falsification = readonly [what: string, statements: string, violated: readonly string[]];

const FALSIFICATIONS: readonly Falsification[] = [
  ['a net amount that is too high', second('net_amount_cents = 1950') + receiveMore(2, 10), [rule.net]],
  ['a giver fee that is a cent too low', second('giver_fee_cents = 99'), [rule.fees]],
  [
    'a receiver fee that is a cent too low',
    second('receiver_fee_cents = 59, net_amount_cents = 1941') + receiveMore(2, 1),
    [rule.fees],
  ],
  ['a rate that is not the one charged', second('giver_fee_rate = 400'), [rule.fees]],
  ['a receiver rate that is not the one charged', second('receiver_fee_rate = 200'), [rule.fees]],
  ['a negative fee', second('giver_fee_rate = -500, giver_fee_cents = -99'), [rule.signs]],
  [
    'a negative amount',
    third('amount_cents = -2000, giver_fee_cents = -99, receiver_fee_cents = -59, net_amount_cents = -1941') +
      giveMore(3, -5_000) +
      receiveMore(3, -4_851),
    [rule.signs],
  ],
  [
    'a negative total',
    `UPDATE accounts SET total_tips_received_cents = -1 WHERE id = ${SAM};`,
    [rule.signs, rule.received],
  ],
  ['a giver whom nobody knows', thirdGivenBy(`'usr_gone'`), [rule.parties]],
  ['a receiver whom nobody knows', thirdReceivedBy(`'usr_gone'`), [rule.parties, rule.owner]],
  [
    'a receiver who owns the code and whom nobody knows',
    `UPDATE provider_categories SET user_id = 'usr_gone'; UPDATE qr_codes SET user_id = 'usr_gone';
     UPDATE transactions SET receiver_id = 'usr_gone'; UPDATE entries SET account_id = 'usr_gone' WHERE account_id = ${PAT};
     ${bucket(`account_id = 'usr_gone'`)}${received(PAT, -5_820)}${lastPosition(PAT, -3)}`,
    [rule.parties, rule.owner, rule.references],
  ],
  ['a code that nobody knows', second(`qr_code_id = 'GONEGONE00'`), [rule.parties]],
  ['a tip that went to somebody who does not own the code', thirdReceivedBy(SAM), [rule.parties]],
  [
    'a tip for a service that the code is not for',
    `${second(`service_category = 'barber'`)}${bucket('count = 2, cents = cents - 1940')}
     INSERT INTO tip_buckets ${BUCKET_COLUMNS} SELECT account_id, start_ms, 'barber', 1, 1940, 0, 0 FROM tip_buckets`,
    [rule.parties],
  ],
  ['a tip to oneself', thirdGivenBy(PAT, 4), [rule.others]],
  [
    'an unknown service',
    // As a service without a word reads, of which codes do not know either.
    `UPDATE provider_categories SET category = 'number 99' WHERE category = 'bartender';
     UPDATE qr_codes SET category = 'number 99'; UPDATE transactions SET service_category = 'number 99';
     ${bucket(`service_category = 'number 99'`)}`,
    [rule.category],
  ],
  [
    'two tips of one idempotency key',
    `UPDATE transactions SET idempotency_key = 'of an earlier version' WHERE sequence <= 2`,
    [rule.key],
  ],
  ['a tip that is missing in the middle, with all that it did', withoutSecond, [rule.tipGap]],
  ['a tip that is missing at the end, with all that it did', withoutThird, [rule.tipGap]],
  [
    'all tips missing, with all that they did',
    `DELETE FROM transactions; DELETE FROM entries; DELETE FROM tip_buckets;
     ${given(CAM, -6_000)}${received(PAT, -5_820)}${lastPosition(CAM, -3)}${lastPosition(PAT, -3)}`,
    [rule.tipGap],
  ],
  [
    'another table counted in the sequence',
    `INSERT INTO sqlite_sequence VALUES ('accounts', 9)`,
    [rule.numbered],
  ],
  ['a second count of the sequence', `INSERT INTO sqlite_sequence VALUES ('tips', 1)`, [rule.numbered]],
  [
    'a sequence that is no whole number',
    `UPDATE sqlite_sequence SET seq = 3.0 WHERE name = 'tips'`,
    [rule.numbered],
  ],
  ['a total received that is a cent too high', received(PAT, 1), [rule.received]],
  ['a total received by somebody without tips', received(SAM, 1), [rule.received]],
  ['a total given that is a cent too low', given(CAM, -1), [rule.given]],
  ['a total given by somebody without tips', given(SAM, 1), [rule.given]],
  [
    'a session of nobody',
    `INSERT INTO sessions VALUES (zeroblob(32), 'usr_gone', 0, 0, '', 0)`,
    [rule.references],
  ],

  [
    'an entry that is missing in the middle',
    `DELETE FROM entries WHERE account_id = ${PAT} AND position = 2`,
    [rule.left, rule.stands, rule.chain, rule.balance, rule.received],
  ],
  [
    'an entry that is missing at the end, which its account does not say',
    `DELETE FROM entries WHERE account_id = ${PAT} AND position = 3;${received(PAT, -2_910)}${lastPosition(PAT, -1)}`,
    [rule.left, rule.stands],
  ],
  [
    'an entry that is missing at the end, and nothing else changed',
    `DELETE FROM entries WHERE account_id = ${CAM} AND position = 3`,
    [rule.left, rule.stands, rule.chain, rule.given],
  ],
  ['a balance received that is off by a cent', entry(PAT, 2, 'balance_after_cents = 2911'), [rule.balance]],
  ['a balance given that is off by a cent', entry(CAM, 3, 'balance_after_cents = 5999'), [rule.balance]],
  ['a negative balance', entry(CAM, 1, 'balance_after_cents = -1'), [rule.sums, rule.balance]],
  [
    'an entry on the account of somebody else, who says so',
    entry(CAM, 3, `account_id = ${SAM}, position = 1, balance_after_cents = 3000`) +
      given(CAM, -3_000) +
      lastPosition(CAM, -1) +
      given(SAM, 3_000) +
      lastPosition(SAM, 1),
    [rule.left],
  ],
  [
    'an entry of another kind',
    entry(PAT, 3, `kind = 'given', balance_after_cents = 2910`) + received(PAT, -2_910) + given(PAT, 2_910),
    [rule.left],
  ],
  ['an entry of another time', entry(CAM, 2, 'created_at_ms = created_at_ms + 1'), [rule.left]],
  ['an entry of another tip', entry(CAM, 2, 'transaction_sequence = 1'), [rule.left]],
  ['an entry of another amount, with the sums of it', moveEntry(CAM, 2, 1) + given(CAM, 1), [rule.left]],
  [
    'an entry without its tip',
    `INSERT INTO entries ${ENTRY_COLUMNS} SELECT ${SAM}, 1, kind, transaction_sequence, cents, cents, created_at_ms
       FROM entries WHERE account_id = ${PAT} AND position = 2; ${received(SAM, 1_940)}${lastPosition(SAM, 1)}`,
    [rule.stands],
  ],
  [
    'entries that are numbered from 2',
    `UPDATE entries SET position = position + 10 WHERE account_id = ${PAT};
     UPDATE entries SET position = position - 9 WHERE account_id = ${PAT};
     UPDATE transactions SET receiver_position = receiver_position + 1;${lastPosition(PAT, 1)}`,
    [rule.chain],
  ],
  ['an account that says more entries than it has', lastPosition(PAT, 1), [rule.chain]],
  ['an account that says fewer entries than it has', lastPosition(CAM, -1), [rule.chain]],
  ['an account that says an entry and has none', lastPosition(SAM, 1), [rule.chain]],
  ['a bucket that counts a tip too many', bucket('count = count + 1'), [rule.bucket]],
  ['a bucket that sums up a cent too few', bucket('cents = cents - 1'), [rule.bucket]],
  ['a bucket of another quarter of an hour', bucket('start_ms = start_ms + 900000'), [rule.bucket]],
  ['a bucket of another service', bucket(`service_category = 'barber'`), [rule.bucket]],
  ['a bucket of another account', bucket(`account_id = ${SAM}`), [rule.bucket]],
  ['a bucket that is missing', 'DELETE FROM tip_buckets', [rule.bucket]],
  [
    'gross amounts that are a cent too high',
    bucket('detailed_count = count, gross_cents = gross_cents + 1'),
    [rule.details],
  ],
  ['a largest tip that nobody gave', bucket('detailed_count = count, largest_cents = 2911'), [rule.details]],
  [
    'a negative bucket',
    `INSERT INTO tip_buckets ${BUCKET_COLUMNS} SELECT ${SAM}, start_ms, service_category, -1, 0, 0, 0 FROM tip_buckets`,
    [rule.sums, rule.bucket],
  ],
  [
    'an empty bucket of an account that nobody knows',
    `INSERT INTO tip_buckets ${BUCKET_COLUMNS} SELECT 'usr_gone', start_ms, service_category, 0, 0, 0, 0 FROM tip_buckets`,
    [rule.owner],
  ],
];

/** In books with a fourth tip, which was reversed. */
const FALSE_REVERSALS: readonly Falsification[] = [
  [
    'a reversal of no tip',
    'UPDATE reversals SET transaction_sequence = 99',
    [rule.tookBack, rule.bucket, rule.references],
  ],
  [
    'a reversal of another tip',
    'UPDATE reversals SET transaction_sequence = 1',
    [rule.tookBack, rule.bucket],
  ],
  ['a tip reversed twice, with all that it did', reversedAgain, [rule.once]],
  ['a reversal that took nothing back', withoutTakingBack, [rule.tookBack, rule.stands]],
  [
    'a reversal that has not left any entry',
    `INSERT INTO reversals (transaction_sequence, created_at_ms, giver_position, receiver_position) VALUES (1, 0, 6, 6);`,
    [rule.tookBack, rule.stands, rule.bucket],
  ],
  ['a reversal that took back a cent too little', giveMore(5, 1), [rule.tookBack]],
  ['a reversal at another time than its entries', entry(PAT, 5, 'created_at_ms = 0'), [rule.tookBack]],
  [
    'a reversal that is missing, with all that it did',
    `${withoutTakingBack} DELETE FROM reversals; ${bucket('count = 4, cents = cents + 3880')}`,
    [rule.reversalGap],
  ],
  [
    'a bucket from which a reversed tip was not taken back',
    bucket('count = 4, cents = cents + 3880'),
    [rule.bucket],
  ],
];

/** In books that were checked as what is recent. */
const FALSE_MEMORIES: readonly Falsification[] = [
  ['a checkpoint beyond the last tip', 'UPDATE checkpoints SET transaction_sequence = 5', [rule.remembered]],
  [
    'a checkpoint beyond the last reversal',
    'UPDATE checkpoints SET reversal_sequence = 2',
    [rule.remembered],
  ],
  [
    'a checkpoint beyond the last adjustment',
    'UPDATE checkpoints SET adjustment_sequence = 1',
    [rule.remembered],
  ],
  ['a ledger without a checkpoint', 'DELETE FROM checkpoints', [rule.remembered]],
  [
    'an account that is checked beyond its last entry',
    `UPDATE checked_accounts SET position = 6 WHERE account_id = ${PAT}`,
    [rule.remembered],
  ],
  [
    'an account that was checked to another total received',
    `UPDATE checked_accounts SET received_cents = 5821 WHERE account_id = ${PAT}`,
    [rule.remembered],
  ],
  [
    'an account that was checked to another total given',
    `UPDATE checked_accounts SET given_cents = 5999 WHERE account_id = ${CAM}`,
    [rule.remembered],
  ],
  ['a bucket that was checked with another count', bucket('checked_count = 2'), [rule.remembered]],
  ['a bucket that was checked with another sum', bucket('checked_cents = 1'), [rule.remembered]],
  [
    'a checked bucket of an account that was not checked',
    `INSERT INTO tip_buckets ${BUCKET_COLUMNS} SELECT ${SAM}, start_ms, service_category, 0, 0, 1, 0 FROM tip_buckets`,
    [rule.remembered],
  ],
  [
    'a checked account of nobody',
    `INSERT INTO checked_accounts VALUES ('usr_gone', 0, 0, 0, NULL)`,
    [rule.remembered, rule.references],
  ],
];

test('finds nothing in good books', async () => {
  for (const options of [
    {},
    { isReversed: true },
    { isChecked: true },
    { isPaid: true },
    { isOfGuest: true },
    { isPaid: true, isOfGuest: true, isChecked: true },
    { isAdjusted: true, isChecked: true },
    { isFailed: true, isRefunded: true, isChecked: true },
  ]) {
    const { database } = await createBooks(options);
    expect(checkLedger(database)).toEqual([]);
    expect(checkIntegrity(database, 'quick')).toEqual([]);
    expect(checkIntegrity(database, 'full')).toEqual([]);
  }
});

/** Falsifications of a ledger with a tip that was paid. */
const FALSE_PAYMENTS: readonly (readonly [what: string, statements: string, violated: readonly string[]])[] =
  [
    [
      'a payment of another sum',
      'UPDATE payments SET amount_cents = 5001, net_amount_cents = 4851;',
      [rule.paid],
    ],
    [
      'a tip under terms that never were',
      'UPDATE transactions SET terms_version = 9;',
      [rule.paid, rule.rates],
    ],
    ['a payment of somebody else', `UPDATE payments SET giver_id = ${SAM};`, [rule.paid]],
    [
      'a paid tip that is said to be simulated',
      `UPDATE transactions SET payment_mode = 'simulated';`,
      [rule.paid],
    ],
    ['a tip whose payment failed', `UPDATE payments SET state = 'failed', charge_id = NULL;`, [rule.payment]],
    ['a tip without its payment', 'DELETE FROM payments;', [rule.payment]],
    [
      'a payment that is refunded without its tip',
      `UPDATE payments SET state = 'refunded';`,
      [rule.refunded],
    ],
  ];

/** Falsifications of a ledger with a tip of a guest, which was reversed. */
const FALSE_GUESTS: readonly Falsification[] = [
  [
    'a guest who is said to be somebody',
    `UPDATE transactions SET giver_id = ${SAM}, giver_position = 1 WHERE giver_id IS NULL;`,
    [rule.left, rule.tookBack, rule.stands],
  ],
  ['somebody who is said to be a guest', third('giver_id = NULL, giver_position = NULL'), [rule.stands]],
  [
    'a reversal of a guest who has an entry',
    'UPDATE reversals SET giver_position = 1;',
    [rule.tookBack, rule.stands],
  ],
  [
    'an idempotency key of a guest',
    `UPDATE transactions SET idempotency_key = 'key' WHERE giver_id IS NULL;`,
    [rule.key],
  ],
];

/** Falsifications of a ledger with a tip that was captured, refunded in part and disputed. */
const FALSE_ADJUSTMENTS: readonly Falsification[] = [
  [
    'a capture without its entry',
    `DELETE FROM entries WHERE kind = 'given_captured'`,
    [rule.stands, rule.chain, rule.adjusted],
  ],
  [
    'an adjustment of another sum',
    `UPDATE adjustments SET net_amount_cents = net_amount_cents - 1, receiver_fee_cents = receiver_fee_cents + 1
     WHERE kind = 'refund'`,
    [rule.bucket, rule.adjusted],
  ],
  ['an adjustment that loses a cent', 'UPDATE adjustments SET receiver_fee_cents = 1', [rule.closed]],
  [
    'a capture that moves a cent of a fee',
    `UPDATE adjustments SET giver_fee_cents = -1 WHERE kind = 'capture'`,
    [rule.closed],
  ],
  ['adjustments with one number', 'UPDATE adjustments SET number = 1', [rule.changes]],
  [
    'a refund that is entered twice',
    `UPDATE adjustments SET kind = 'refund', source = 're_1' WHERE kind = 'dispute'`,
    [rule.ends, rule.changes],
  ],
  [
    'fees that went back beyond what was paid',
    `UPDATE adjustments SET giver_fee_cents = -9000 WHERE kind = 'refund'`,
    [rule.feesBack, rule.rest],
  ],
  [
    'a cent less of the fee that went back with a dispute, and came again with it',
    `UPDATE adjustments SET giver_fee_cents = giver_fee_cents + CASE kind WHEN 'dispute' THEN 1 ELSE -1 END
     WHERE kind LIKE 'dispute%'`,
    [rule.feesBack],
  ],
  [
    'a dispute that was lost, with which money moved',
    `UPDATE adjustments SET kind = 'dispute_lost' WHERE kind = 'dispute_won'`,
    [rule.closed],
  ],
  [
    'a capture of another charge',
    `UPDATE adjustments SET source = 'pi_2' WHERE kind = 'capture'`,
    [rule.adjusted],
  ],
  [
    'a dispute that was won and never was',
    `UPDATE adjustments SET source = 'dp_2' WHERE kind = 'dispute_won'`,
    [rule.ends],
  ],
  [
    'a refund that failed and never was',
    `UPDATE adjustments SET source = 're_2' WHERE kind = 'refund_failed'`,
    [rule.ends],
  ],
  [
    'an adjustment that is missing',
    `DELETE FROM adjustments WHERE kind = 'dispute_won'`,
    [rule.stands, rule.bucket, rule.changes, rule.adjustmentGap],
  ],
];

/** Falsifications of a ledger with a paid tip that its giver took back. */
const FALSE_REFUNDS: readonly Falsification[] = [
  ['a refund under another key', `UPDATE reversals SET idempotency_key = 'other'`, [rule.asked]],
  ['a refund that was asked for under another key', 'UPDATE payments SET refund_key = NULL', [rule.asked]],
  ['a refund by somebody else', `UPDATE reversals SET reversed_by = 'receiver'`, [rule.asked]],
];

test.each([
  ...FALSE_REFUNDS.map((falsification) => [...falsification, { isRefunded: true }] as const),
  ...FALSE_ADJUSTMENTS.map((falsification) => [...falsification, { isAdjusted: true }] as const),
  ...FALSIFICATIONS.map((falsification) => [...falsification, {}] as const),
  ...FALSE_REVERSALS.map((falsification) => [...falsification, { isReversed: true }] as const),
  ...FALSE_MEMORIES.map((falsification) => [...falsification, { isChecked: true }] as const),
  ...FALSE_PAYMENTS.map((falsification) => [...falsification, { isPaid: true }] as const),
  ...FALSE_GUESTS.map((falsification) => [...falsification, { isOfGuest: true }] as const),
])('finds %s, and nothing else', async (_what, statements, violated, options) => {
  const { database } = await createBooks(options);
  letFalsify(database);
  expect(checkLedger(database)).toEqual([]);
  database.exec(statements);
  expect(checkLedger(database).map(({ invariant }) => invariant)).toEqual(violated);
});

test('has a falsification for every invariant', () => {
  const all = [
    ...FALSIFICATIONS,
    ...FALSE_REVERSALS,
    ...FALSE_MEMORIES,
    ...FALSE_PAYMENTS,
    ...FALSE_ADJUSTMENTS,
    ...FALSE_REFUNDS,
  ].flatMap(([, , violated]) => violated);
  expect(statedRules.filter((sentence) => !all.includes(sentence))).toEqual([]);
});

test('names the rows that are wrong', async () => {
  const { database, customer, provider } = await createBooks({ isReversed: true });
  letFalsify(database);
  database.exec(
    second('giver_fee_cents = 99') +
      given(CAM, 7) +
      entry(PAT, 3, 'balance_after_cents = 1') +
      entry(CAM, 5, 'created_at_ms = 1') +
      bucket('count = 9'),
  );
  const id = database.prepare<[], string>('SELECT id FROM transactions WHERE sequence = 2').pluck().get();
  expect(checkLedger(database)).toEqual([
    { invariant: rule.fees, offenders: [id] },
    { invariant: rule.tookBack, offenders: ['reversal 1'] },
    { invariant: rule.balance, offenders: [`${provider.id} at 3`] },
    { invariant: rule.given, offenders: [customer.id] },
    { invariant: rule.bucket, offenders: [`${provider.id} ${START_MS} bartender`] },
  ]);
});

test('names at most ten rows', async () => {
  const { database, addAccount } = await createBooks();
  for (let index = 0; index < 12; index += 1) await addAccount(`guest-${index}`);
  database.exec('UPDATE accounts SET total_tips_given_cents = 1');
  expect(checkLedger(database)).toMatchObject([{ invariant: rule.given, offenders: { length: 10 } }]);
});

describe('in a file of the time before entries', () => {
  const EARLIER: readonly Falsification[] = [
    ['a fee that is not that of its rate', second('giver_fee_cents = giver_fee_cents + 1'), [rule.fees]],
    [
      'a total received that is a cent too high',
      `UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + 1 WHERE id = 'usr_0000';`,
      [rule.received],
    ],
    [
      'a total given that is a cent too low',
      `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents - 1 WHERE id = 'usr_0000';`,
      [rule.given],
    ],
    [
      'a tip that is missing at the end',
      'DELETE FROM transactions WHERE sequence = 100',
      [rule.received, rule.given, rule.tipGap],
    ],
    [
      'another table counted in the sequence',
      `INSERT INTO sqlite_sequence VALUES ('accounts', 9)`,
      [rule.numbered],
    ],
    [
      'a session of nobody',
      `INSERT INTO sessions VALUES (zeroblob(32), 'usr_gone', 0, 0, '')`,
      [rule.references],
    ],
  ];

  test.each(EARLIER)('finds %s, and nothing is migrated', (_what, statements, violated) => {
    const database = openDatabase(IN_MEMORY);
    makeEarlierLedger(database, 100);
    expect(checkLedger(database)).toEqual([]);
    forgeIn(database, statements);
    expect(checkLedger(database).map(({ invariant }) => invariant)).toEqual(violated);
    const before = dump(database);
    expect(() => migrate(database, readMigrations('sqlite'))).toThrow(
      new RegExp(`is damaged \\(${violated[0]}: .+\\)\\. Nothing was done to it.+db:check.+restore a backup`),
    );
    expect(dump(database)).toEqual(before);
    database.close();
  });
});

describe('npm run db:check', () => {
  async function createFile(falsify: (database: Database) => void = () => {}) {
    const path = join(temporaryFolder(), 'tipwell.db');
    const { database, storage } = await createBooks({ path });
    falsify(database);
    await storage.close();
    return path;
  }

  const check = (path: string) => runHere('db-check', { DATABASE_URL: path });

  test('says of a good file that it is whole, and ends well', async () => {
    const path = await createFile();
    expect(await runToEnd('db-check', { DATABASE_URL: path })).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(
        /^\S+ is whole, and its ledger of 3 tips adds up\.\nIts past, to note elsewhere: 3:[0-9a-f]{32}\n$/,
      ),
      stderr: '',
    });
  });

  test('names every violation of a bad one, and fails', async () => {
    const path = await createFile((database) => {
      forgeIn(database, second('giver_fee_cents = 99') + received(PAT, 1));
    });
    const { code, stdout } = await check(path);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`^Violated: ${rule.fees} \\(txn_\\w+\\)\nViolated: ${rule.received} \\(usr_\\w+\\)\n$`),
    );
  });

  test('names what is damaged in the pages of a file, and fails', async () => {
    const path = await createFile((database) => {
      // An index that has missed a change: its definition was away meanwhile. It has as many entries as its
      // table.
      database.exec(`INSERT INTO sessions SELECT zeroblob(32), id, 0, 0, '', 0 FROM accounts LIMIT 1`);
      database.unsafeMode(true);
      database.pragma('writable_schema = ON');
      database.exec(`
        CREATE TEMP TABLE away AS SELECT * FROM sqlite_schema WHERE name = 'sessions_expiry';
        DELETE FROM sqlite_schema WHERE name = 'sessions_expiry'`);
      database.pragma('writable_schema = RESET');
      database.exec('UPDATE sessions SET expires_at_ms = 1');
      database.pragma('writable_schema = ON');
      database.exec('INSERT INTO sqlite_schema SELECT * FROM temp.away');
      database.pragma('writable_schema = RESET');
    });
    const { code, stdout } = await check(path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Damaged: .*sessions_expiry/m);
  });

  test('says of a missing file that it is missing, makes none, and fails', async () => {
    const path = join(temporaryFolder(), 'nowhere.db');
    const { code, stdout, stderr } = await check(path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`There is no database ${path} yet. Start Tipwell once, then try again.\n`);
    expect(existsSync(path)).toBe(false);
  });

  test('says of a file that is no database what to do about it, and fails', async () => {
    const path = join(temporaryFolder(), 'list.db');
    writeFileSync(path, 'bread, butter, and so on; '.repeat(100));
    const { code, stderr } = await check(path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot open the database .*list\.db: .*db:restore.*\n$/);
  });

  test('says of a database that is not Tipwell’s that it is not, in one line, and fails', async () => {
    const path = join(temporaryFolder(), 'other.db');
    const other = openDatabase(path);
    other.exec('CREATE TABLE recipes (name TEXT)');
    other.close();
    const { code, stdout, stderr } = await check(path);
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`.trim().split('\n')).toHaveLength(1);
    expect(`${stdout}${stderr}`).toContain(path);
  });

  test('works while a server holds the file', async () => {
    const path = createMigratedFile();
    const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
    const { code, stdout } = await check(path);
    expect(code).toBe(0);
    expect(stdout).toContain(`${path} is whole, and its ledger of 0 tips adds up.\n`);
    await storage.proveWritable();
    await storage.close();
  });
});
