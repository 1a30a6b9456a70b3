/**
 * What was written to the ledger since the last check is checked, once, and in windows: whatever is falsified
 * in it is named and then not remembered as checked; what was checked before is left to the check of the
 * whole ledger.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Database } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { createChance } from '#tests/support/chance.ts';
import { dump } from '#tests/support/database-dump.ts';
import { CAM, ENTRY_COLUMNS, forgeIn, PAT, SAM } from '#tests/support/forgery.ts';
import { rule } from '#tests/support/ledger-rules.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { OPENING } from '#tests/support/opening.ts';
import { START_MS } from '#tests/support/people.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';

const QUARTER_MS = 900_000;

/** Checks window by window, to the end. @returns what is wrong, in sentences. */
async function checkToTheEnd(storage: Storage): Promise<readonly string[]> {
  for (;;) {
    const { problems, isDone } = await storage.checkRecent();
    if (isDone || problems.length > 0) return problems;
  }
}

/**
 * Five tips of a customer's for the code of a provider's, of 1,000 to 5,000 cents, a quarter of an hour
 * apart, and a reversal of the fourth. The first two are checked already.
 */
async function createBooks(path?: string) {
  const ledger = await createSqliteLedger(path === undefined ? {} : { path });
  const { tip } = await ledger.setTheScene();
  await ledger.addAccount('sam', ['dj']);
  let reverse: () => Promise<unknown> = async () => null;
  for (const place of [1, 2, 3, 4, 5]) {
    const given = tip({ amountCents: place * 1_000, createdAtMs: START_MS + place * QUARTER_MS });
    await ledger.storage.recordTip(given);
    if (place === 2) expect(await checkToTheEnd(ledger.storage)).toEqual([]);
    if (place === 4) reverse = () => takeBack(ledger.storage, given, START_MS + 9 * QUARTER_MS);
  }
  expect(await reverse()).toMatchObject({ outcome: 'reversed' });
  return { ...ledger, tip };
}

/** What is remembered of the check. */
function memoryOf(database: Database): unknown {
  const { checkpoints, checked_accounts, tip_buckets = [] } = dump(database);
  const buckets = tip_buckets.map((row) => [Object(row).checked_count, Object(row).checked_cents]);
  return { checkpoints, checked_accounts, buckets };
}

const third = (changes: string) => `UPDATE transactions SET ${changes} WHERE sequence = 3;`;
const entry = (whom: string, position: number, changes: string) =>
  `UPDATE entries SET ${changes} WHERE account_id = ${whom} AND position = ${position};`;
const account = (whom: string, changes: string) => `UPDATE accounts SET ${changes} WHERE id = ${whom};`;
const bucket = (place: number, changes: string) =>
  `UPDATE tip_buckets SET ${changes} WHERE start_ms = ${START_MS + place * QUARTER_MS};`;

const notSo = (invariant: string) => new RegExp(`^${invariant}: not so in txn_`);

const FALSIFICATIONS: readonly (readonly [what: string, statements: string, sentence: RegExp])[] = [
  ['a net amount that is too high', third('net_amount_cents = net_amount_cents + 1'), notSo(rule.net)],
  ['a fee that is not that of its rate', third('giver_fee_cents = giver_fee_cents - 1'), notSo(rule.fees)],
  [
    'a receiver fee that is not that of its rate',
    third('receiver_fee_cents = receiver_fee_cents - 1, net_amount_cents = net_amount_cents + 1'),
    notSo(rule.fees),
  ],
  ['a negative fee', third('giver_fee_rate = -500, giver_fee_cents = -150'), notSo(rule.signs)],
  [
    'a code of somebody else',
    third(`receiver_id = ${SAM}`),
    notSo('a tip goes to the owner of its code, for the service of the code'),
  ],
  [
    'a code that nobody knows',
    third(`qr_code_id = 'GONEGONE00'`),
    notSo('a tip goes to the owner of its code, for the service of the code'),
  ],
  [
    'a tip for a service that the code is not for',
    third(`service_category = 'dj'`),
    notSo('a tip goes to the owner of its code, for the service of the code'),
  ],
  ['a tip to oneself', third('giver_id = receiver_id'), notSo(rule.others)],
  ['an unknown service', third(`service_category = 'magician'`), notSo(rule.category)],
  ['a giver whom nobody knows', third(`giver_id = 'usr_gone'`), /^there is no account number 30000$/],
  [
    'a tip that is missing in the middle',
    'DELETE FROM transactions WHERE sequence = 4',
    /^the sequence of transactions has a gap, or misses its end$/,
  ],
  [
    'a tip that is missing at the end',
    'DELETE FROM transactions WHERE sequence = 5',
    /^the sequence of transactions has a gap, or misses its end$/,
  ],
  [
    'an entry that is missing in the middle',
    `DELETE FROM entries WHERE account_id = ${PAT} AND position = 4`,
    /^before usr_\w+ at 5 an entry is missing$/,
  ],
  [
    'an entry that is missing at the end',
    `DELETE FROM entries WHERE account_id = ${CAM} AND position = 6`,
    /^usr_\w+ has fewer entries than its account says$/,
  ],
  [
    'an entry that is missing, with its total',
    `DELETE FROM entries WHERE account_id = ${CAM} AND position >= 5;
     ${account(CAM, 'last_position = 4, total_tips_given_cents = 10000')}`,
    /^txn_\w+ has not left its entry usr_\w+ at 5$/,
  ],
  [
    'a balance that is off by a cent',
    entry(PAT, 4, 'balance_after_cents = balance_after_cents + 1'),
    /^the balance after usr_\w+ at 4 is not the sum of what came before$/,
  ],
  ['an entry of another kind', entry(PAT, 3, `kind = 'given'`), /^usr_\w+ at 3 is not what its tip did$/],
  ['an entry of another time', entry(CAM, 5, 'created_at_ms = 0'), /^usr_\w+ at 5 is not what its tip did$/],
  [
    'an entry of another tip',
    entry(CAM, 5, 'transaction_sequence = 3'),
    /^usr_\w+ at 5 is not what its tip did$/,
  ],
  [
    'an entry of another amount',
    entry(PAT, 5, 'cents = cents + 1'),
    /^usr_\w+ at 5 is not what its tip did$/,
  ],
  [
    'an entry on the account of somebody else',
    entry(CAM, 5, `account_id = ${SAM}, position = 1`),
    /^txn_\w+ has not left its entry usr_\w+ at 5$/,
  ],
  [
    'an entry without its tip',
    `INSERT INTO entries ${ENTRY_COLUMNS} SELECT account_id, 7, 'given', 3, 3000, balance_after_cents + 3000, 0 FROM entries
       WHERE account_id = ${CAM} AND position = 6;
     ${account(CAM, 'last_position = 7, total_tips_given_cents = total_tips_given_cents + 3000')}`,
    /^usr_\w+ at 7 is not what its tip did$/,
  ],
  [
    'an entry that takes back a tip which was not reversed',
    `INSERT INTO entries ${ENTRY_COLUMNS} SELECT account_id, 7, 'given_reversed', 3, -3000, balance_after_cents - 3000, 0 FROM entries
       WHERE account_id = ${CAM} AND position = 6;
     ${account(CAM, 'last_position = 7, total_tips_given_cents = total_tips_given_cents - 3000')}`,
    /^usr_\w+ at 7 is not what its tip did$/,
  ],
  [
    'an account that says more entries than it has',
    account(PAT, 'last_position = 7'),
    /^usr_\w+ has fewer entries than its account says$/,
  ],
  [
    'an account that says fewer entries than it has',
    account(PAT, 'last_position = 5'),
    /^usr_\w+ has more entries than its account says$/,
  ],
  [
    'a total received that is off by a cent',
    account(PAT, 'total_tips_received_cents = total_tips_received_cents + 1'),
    /^the total received of usr_\w+ is not the sum of its entries$/,
  ],
  [
    'a total given that is off by a cent',
    account(CAM, 'total_tips_given_cents = total_tips_given_cents - 1'),
    /^the total given of usr_\w+ is not the sum of its entries$/,
  ],
  [
    'a bucket that counts a tip too many',
    bucket(3, 'count = count + 1'),
    /^the bucket usr_\w+ \d+ bartender is not the sum of its quarter of an hour$/,
  ],
  [
    'a bucket that sums up a cent too few',
    bucket(5, 'cents = cents - 1'),
    /^the bucket usr_\w+ \d+ bartender is not the sum of its quarter of an hour$/,
  ],
  [
    'a bucket of another quarter of an hour',
    bucket(5, `start_ms = start_ms + ${QUARTER_MS}`),
    /^the bucket usr_\w+ \d+ bartender is not the sum of its quarter of an hour$/,
  ],
  [
    'a bucket of another service',
    bucket(5, `service_category = 'barber'`),
    /^the bucket usr_\w+ \d+ barber is not the sum of its quarter of an hour$/,
  ],
  [
    'a bucket that is missing',
    `DELETE FROM tip_buckets WHERE start_ms = ${START_MS + 3 * QUARTER_MS}`,
    /^the bucket usr_\w+ \d+ bartender is not the sum of its quarter of an hour$/,
  ],
  [
    'a bucket from which a reversed tip was not taken back',
    bucket(4, 'count = 1, cents = 3880'),
    /^the bucket usr_\w+ \d+ bartender is not the sum of its quarter of an hour$/,
  ],
  [
    'a reversal that is missing',
    'DELETE FROM reversals',
    /^(?:usr_\w+ at 6 is not what its tip did|the sequence of reversals has a gap, or misses its end)$/,
  ],
  [
    'a reversal that is missing, with all that it did',
    `DELETE FROM reversals; DELETE FROM entries WHERE position = 6; ${bucket(4, 'count = 1, cents = 3880')}
     ${account(CAM, 'last_position = 5, total_tips_given_cents = 15000')}
     ${account(PAT, 'last_position = 5, total_tips_received_cents = 14550')}`,
    /^the sequence of reversals has a gap, or misses its end$/,
  ],
  [
    'a reversal of another tip',
    'UPDATE reversals SET transaction_sequence = 3',
    /^usr_\w+ at 6 is not what its tip did$/,
  ],
  [
    'a reversal of no tip',
    'UPDATE reversals SET transaction_sequence = 99',
    /^usr_\w+ at 6 is not what its tip did$/,
  ],
  [
    'a reversal that took nothing back',
    `DELETE FROM entries WHERE position = 6;
     ${account(CAM, 'last_position = 5, total_tips_given_cents = 15000')}
     ${account(PAT, 'last_position = 5, total_tips_received_cents = 14550')} ${bucket(4, 'count = 1, cents = 3880')}`,
    /^txn_\w+ has not left its entry usr_\w+ at 6$/,
  ],
  [
    'a reversal that names entries of long ago',
    `INSERT INTO reversals (transaction_sequence, created_at_ms, giver_position, receiver_position) VALUES (1, 0, 1, 1)`,
    /^txn_\w+ has not left its entry usr_\w+ at 1$/,
  ],
  [
    'a reversal at another time than its entries',
    'UPDATE reversals SET created_at_ms = 0',
    /^usr_\w+ at 6 is not what its tip did$/,
  ],
  ['a ledger without a checkpoint', 'DELETE FROM checkpoints', /^the checkpoint of the ledger has gone$/],
  [
    'a checkpoint beyond the last tip',
    'UPDATE checkpoints SET transaction_sequence = 9',
    /^the sequence of transactions has a gap, or misses its end$/,
  ],
  [
    'a checkpoint beyond the last reversal',
    'UPDATE checkpoints SET reversal_sequence = 9',
    /^the sequence of reversals has a gap, or misses its end$/,
  ],
];

describe('what was written since the last check', () => {
  test('adds up in good books, and is then remembered', async () => {
    const { database, storage } = await createBooks();
    expect(await checkToTheEnd(storage)).toEqual([]);
    expect(dump(database)['checkpoints']).toMatchObject([{ transaction_sequence: 5, reversal_sequence: 1 }]);
    expect(dump(database)['checked_accounts']).toMatchObject([
      { position: 6, buckets_from_ms: null },
      { position: 6, buckets_from_ms: null },
    ]);
    expect(checkLedger(database)).toEqual([]);
  });

  test.each(
    FALSIFICATIONS,
  )('does not add up with %s, as long as it is so', async (_what, statements, sentence) => {
    const { database, storage } = await createBooks();
    forgeIn(database, statements);
    expect(checkLedger(database)).not.toEqual([]);
    const seen = await checkToTheEnd(storage);
    expect(seen).toContainEqual(expect.stringMatching(sentence));
    // The window with the problem is looked at again, by whoever checks next.
    const before = memoryOf(database);
    expect(await storage.checkRecent()).toEqual({ problems: seen, isDone: false });
    expect(memoryOf(database)).toEqual(before);
  });

  test('and does not add up keeps a server from starting, until it does', async () => {
    const path = join(temporaryFolder(), 'tipwell.db');
    const { database, storage } = await createBooks(path);
    forgeIn(database, bucket(5, 'count = count + 1'));
    await storage.close();
    const { openForServer } = databaseAt({ engine: 'sqlite', path });
    for (let start = 0; start < 2; start += 1) {
      await expect(openForServer(OPENING)).rejects.toThrow(
        /is damaged \(the bucket .+ is not the sum of its quarter of an hour\)\. .+db:check.+restore a backup/,
      );
    }
  });
});

describe('what was checked before', () => {
  test.each([
    ['an amount', third('amount_cents = amount_cents + 1')],
    ['a missing tip', 'DELETE FROM transactions WHERE sequence = 2'],
    ['a balance', entry(PAT, 3, 'balance_after_cents = 1')],
    ['a missing entry', `DELETE FROM entries WHERE account_id = ${CAM} AND position = 2`],
    ['a reversal', 'UPDATE reversals SET created_at_ms = 0'],
    ['a bucket', bucket(1, 'count = 2')],
  ])('is not read again, so that %s which is falsified there is left to the check of the whole ledger', async (_what, statements) => {
    const { database, storage, addAccount, addCode, tip } = await createBooks();
    expect(await checkToTheEnd(storage)).toEqual([]);
    forgeIn(database, statements);
    expect(await storage.checkRecent()).toEqual({ problems: [], isDone: true });
    const { id: giverId } = await addAccount('new');
    const qrCodeId = await addCode(await addAccount('newer', ['dj']), 'dj');
    expect(await storage.recordTip(tip({ giverId, qrCodeId, serviceCategory: 'dj' }))).toMatchObject({
      outcome: 'recorded',
    });
    expect(await checkToTheEnd(storage)).toEqual([]);
    expect(checkLedger(database)).not.toEqual([]);
  });
});

test.each([
  1, 2, 3, 4,
])('random tips and reversals of five people add up whenever they are checked (seed %i)', async (seed) => {
  const chance = createChance(seed);
  const { database, storage, addAccount, addCode, setTheScene } = await createSqliteLedger({
    random: chance.bytes,
  });
  const { tip } = await setTheScene();
  const people = await Promise.all(
    ['one', 'two', 'three', 'four', 'five'].map(async (name) => {
      const account = await addAccount(name, ['bartender', 'dj']);
      return {
        account,
        codes: [
          { id: await addCode(account, 'bartender'), category: 'bartender' as const },
          { id: await addCode(account, 'dj'), category: 'dj' as const },
        ],
      };
    }),
  );
  let now = START_MS;
  const given: GivenTip[] = [];
  const steps: Promise<unknown>[] = [];
  for (let done = 0; done < 1_000; done += 1) {
    now += chance.pick([0, 1_000, 60_000, 2_000_000]);
    if (chance.below(4) === 0 && given.length > 0) {
      steps.push(takeBack(storage, chance.pick(given), now));
    } else {
      const giver = chance.pick(people);
      const receiver = chance.pick(people.filter((person) => person !== giver));
      const code = chance.pick(receiver.codes);
      const next = tip({
        giverId: giver.account.id,
        qrCodeId: code.id,
        serviceCategory: code.category,
        amountCents: 1_000 + chance.below(9_000),
        createdAtMs: now - chance.below(3) * 500_000,
      });
      given.push(next);
      steps.push(storage.recordTip(next));
    }
    if (chance.below(100) === 0) {
      await Promise.all(steps.splice(0));
      const windows = chance.below(4);
      for (let window = 0; window < windows; window += 1) {
        expect((await storage.checkRecent()).problems).toEqual([]);
      }
      expect(checkLedger(database)).toEqual([]);
    }
  }
  await Promise.all(steps);
  expect(await checkToTheEnd(storage)).toEqual([]);
  expect(checkLedger(database)).toEqual([]);
  const buckets = dump(database)['tip_buckets'] ?? [];
  expect(buckets.length).toBeGreaterThan(50);
  expect(buckets.filter((row) => Object(row).count !== Object(row).checked_count)).toEqual([]);
  expect(buckets.filter((row) => Object(row).cents !== Object(row).checked_cents)).toEqual([]);
});
