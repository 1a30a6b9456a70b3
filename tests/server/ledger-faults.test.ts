/**
 * A tip is recorded, and reversed, whole or not at all: whichever statement fails on the way, the file is as
 * it was before, the caller is told, and the next attempt works. Tips that share a commit share neither their
 * failures nor their answers.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecordOutcome } from '#server/storage/port/ledger.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { cents } from '#shared/money.ts';
import { dump } from '#tests/support/database-dump.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { authoriseTip, beginPayment, payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { START_MS } from '#tests/support/people.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { createSqliteLedger, openBeside } from '#tests/support/sqlite-ledger.ts';

/** More than recording a tip takes. */
const MANY_STATEMENTS = 50;

/** A file with a provider, a code and a customer, and a fault that can be armed in its live connection. */
async function createFaultyLedger() {
  const path = join(temporaryFolder(), 'tipwell.db');
  let statements: string[] = [];
  let isFaulty: (statement: string, index: number) => boolean = () => false;
  const ledger = await createSqliteLedger({
    path,
    onStatement: (statement) => {
      statements.push(statement);
      if (isFaulty(statement, statements.length - 1)) throw new Error(`fault in ${statement}`);
    },
  });
  const scene = await ledger.setTheScene();
  const committed = openBeside(path);

  return {
    ...ledger,
    ...scene,
    /** What is in the file, as another connection sees it. */
    dumpFile: () => dump(committed),
    checkFile: () => checkLedger(committed),
    /** Runs something with a fault in every statement that the predicate picks. */
    async withFault<Result>(predicate: typeof isFaulty, run: () => Promise<Result>): Promise<Result> {
      statements = [];
      isFaulty = predicate;
      try {
        return await run();
      } finally {
        isFaulty = () => false;
      }
    },
    /** The statements of the last such run. */
    statements: () => statements,
  };
}

const isCommit = (statement: string) => statement === 'COMMIT';
/** The bucket of the receiver is what a tip moves last. */
const movesBucketBy = (netCents: number) => (statement: string) =>
  statement.startsWith('insert into "main"."tip_quarters"') && statement.includes(String(netCents));

function outcomesOf(settled: readonly PromiseSettledResult<RecordOutcome>[]): string[] {
  return settled.map((result) => (result.status === 'fulfilled' ? result.value.outcome : result.status));
}

describe('a fault', () => {
  test('in any one statement of recording a tip leaves the file as it was, and the next attempt works', async () => {
    const ledger = await createFaultyLedger();
    await ledger.storage.recordTip(ledger.tip());

    const failed: string[] = [];
    for (let nth = 0; nth < MANY_STATEMENTS; nth += 1) {
      const before = ledger.dumpFile();
      const giverMessage = { message: 'Hello', giverName: null, isRefused: false };
      const tip = { ...ledger.tip({ idempotencyKey: `key-${nth}` }), giverMessage };
      const [result] = await ledger.withFault(
        (_statement, index) => index === nth,
        () => Promise.allSettled([ledger.storage.recordTip(tip)]),
      );
      if (ledger.statements().length <= nth) {
        expect(result.status).toBe('fulfilled');
        break;
      }
      failed.push(String(ledger.statements()[nth]));
      expect(result).toMatchObject({ status: 'rejected', reason: { message: `fault in ${failed.at(-1)}` } });
      expect(ledger.dumpFile()).toEqual(before);
      expect(ledger.database.inTransaction).toBe(false);
      expect(await ledger.storage.recordTip(tip)).toMatchObject({ outcome: 'recorded' });
      expect(ledger.checkFile()).toEqual([]);
    }
    expect(failed.map((statement) => statement.split(/[\s"`]/)[0])).toEqual([
      'BEGIN',
      // The code, the tip of the same key, and whether the giver is blocked; the totals of both people; the tip, its entries, the
      // bucket, and the message.
      'select',
      'select',
      'select',
      'update',
      'update',
      'insert',
      'insert',
      'insert',
      'insert',
      'insert',
      'COMMIT',
    ]);
  });

  test('in any one statement of reversing a tip leaves the file as it was, and the next attempt works', async () => {
    const ledger = await createFaultyLedger();
    const failed: string[] = [];
    for (let nth = 0; nth < MANY_STATEMENTS; nth += 1) {
      const given = ledger.tip();
      await ledger.storage.recordTip(given);
      const before = ledger.dumpFile();
      const [result] = await ledger.withFault(
        (_statement, index) => index === nth,
        () => Promise.allSettled([takeBack(ledger.storage, given, START_MS)]),
      );
      if (ledger.statements().length <= nth) {
        expect(result.status).toBe('fulfilled');
        break;
      }
      failed.push(String(ledger.statements()[nth]));
      expect(result).toMatchObject({ status: 'rejected', reason: { message: `fault in ${failed.at(-1)}` } });
      expect(ledger.dumpFile()).toEqual(before);
      expect(ledger.database.inTransaction).toBe(false);
      expect(await takeBack(ledger.storage, given, START_MS)).toMatchObject({ outcome: 'reversed' });
      expect(await takeBack(ledger.storage, given, START_MS)).toMatchObject({ outcome: 'reversed_before' });
      expect(ledger.checkFile()).toEqual([]);
    }
    expect(failed.map((statement) => statement.split(/[\s"`]/)[0])).toEqual([
      'BEGIN',
      // The tip, as on PostgreSQL once before its accounts are locked and once after; the totals of both people; the reversal and its
      // entries; the bucket.
      'select',
      'select',
      'update',
      'update',
      'insert',
      'insert',
      'insert',
      'update',
      'COMMIT',
    ]);
  });

  // Each is locked, read and saved; what followed a tip is read with its payment and with the tip.
  test.each(
    ['the customer', 'a guest'].flatMap((of) => [
      { what: 'a payment that succeeds', of, begin: beginPayment, to: 'succeeded', size: 3 } as const,
      { what: 'a payment that is captured', of, begin: authoriseTip, to: 'succeeded', size: 6 } as const,
      { what: 'a payment that is cancelled', of, begin: authoriseTip, to: 'cancelled', size: 5 } as const,
      { what: 'a payment that is refunded', of, begin: payTip, to: 'refunded', size: 5 } as const,
      { what: 'a payment that is disputed', of, begin: payTip, to: 'disputed', size: 6 } as const,
    ]),
  )('in any one statement of $what leaves the file as it was, and the next news works: $of', async ({
    of,
    begin,
    to,
    size,
  }) => {
    const ledger = await createFaultyLedger();
    const { payments } = ledger.storage;
    await payments.savePayoutAccount(payoutAccountOf(ledger.provider.id), START_MS);
    const failed: string[] = [];
    for (let nth = 0; nth < MANY_STATEMENTS; nth += 1) {
      const tip = ledger.tip(of === 'a guest' ? { giverId: null } : {});
      await begin(ledger.storage, tip);
      const { amountCents, giverFeeCents, receiverFeeCents, netAmountCents } = tip;
      const sums = { amountCents, giverFeeCents, receiverFeeCents, netAmountCents };
      const back = Object.entries(sums).map(([name, value]) => [name, cents(-value)]);
      const dispute = { kind: 'dispute', source: 'dp_1', createdAtMs: START_MS, ...sums } as const;
      const disputed = {
        known: {
          state: 'succeeded',
          adjustments: [],
          owedByReceiverCents: cents(0),
          owedToGiverCents: cents(0),
          owedToReceiverCents: cents(0),
          settledByReceiverCents: cents(0),
          settledToGiverCents: cents(0),
          settledToReceiverCents: cents(0),
        } as const,
        adjustments: [Object.assign(dispute, Object.fromEntries(back))],
        owedByReceiverCents: cents(0),
        owedToGiverCents: cents(0),
        owedToReceiverCents: cents(0),
        settledByReceiverCents: cents(0),
      };
      const times = [START_MS + 1, START_MS] as const;
      const hear = () => {
        if (to === 'disputed') return payments.adjustPayment(tip.id, disputed, ...times);
        const move =
          to === 'succeeded' ? { kind: to, chargeId: `pi_${tip.id}` } : { kind: to, adjustmentCount: 0 };
        return payments.movePayment(tip.id, move, ...times);
      };
      const before = ledger.dumpFile();
      const [result] = await ledger.withFault(
        (_statement, index) => index === nth,
        () => Promise.allSettled([hear()]),
      );
      if (ledger.statements().length <= nth) {
        expect(result.status).toBe('fulfilled');
        break;
      }
      failed.push(String(ledger.statements()[nth]));
      expect(result).toMatchObject({ status: 'rejected', reason: { message: `fault in ${failed.at(-1)}` } });
      expect(ledger.dumpFile()).toEqual(before);
      expect(ledger.database.inTransaction).toBe(false);
      expect(await hear()).toMatchObject({ outcome: 'moved' });
      expect(await hear()).toMatchObject({ outcome: 'unchanged' });
      expect(ledger.checkFile()).toEqual([]);
    }
    expect(failed.filter((statement) => /payments/.test(statement))).toHaveLength(size);
    expect(failed.length).toBeGreaterThan(8);
  });

  test('in any one statement of a check leaves nothing remembered, and the next check works', async () => {
    const ledger = await createFaultyLedger();
    const given = ledger.tip();
    await ledger.storage.recordTip(given);
    await takeBack(ledger.storage, given, START_MS);
    const before = ledger.dumpFile();
    let faults = 0;
    for (let nth = 0; nth < MANY_STATEMENTS; nth += 1) {
      const [result] = await ledger.withFault(
        (_statement, index) => index === nth,
        () => Promise.allSettled([ledger.storage.checkRecent()]),
      );
      if (ledger.statements().length <= nth) break;
      faults += 1;
      expect(result.status).toBe('rejected');
      expect(ledger.dumpFile()).toEqual(before);
    }
    expect(faults).toBeGreaterThan(10);
    expect(ledger.checkFile()).toEqual([]);
    expect(await ledger.storage.checkRecent()).toEqual({ problems: [], isDone: true });
  });

  test('in the last statement of one tip undoes that tip alone; the others of its commit are recorded', async () => {
    const ledger = await createFaultyLedger();
    const tips = [1, 2, 3, 4, 5].map((index) => ledger.tip({ amountCents: 1_000 * index }));
    const settled = await ledger.withFault(movesBucketBy(2_910), () =>
      Promise.allSettled(tips.map((tip) => ledger.storage.recordTip(tip))),
    );
    expect(outcomesOf(settled)).toEqual(['recorded', 'recorded', 'rejected', 'recorded', 'recorded']);
    expect(ledger.statements().filter(isCommit)).toHaveLength(1);
    expect(ledger.dumpFile()['transactions']).toMatchObject(
      [1_000, 2_000, 4_000, 5_000].map((amount, index) => ({ sequence: index + 1, amount_cents: amount })),
    );
    expect(ledger.checkFile()).toEqual([]);
  });

  test('that is met once costs nothing: each tip of the commit is recorded once', async () => {
    const ledger = await createFaultyLedger();
    const tips = [1, 2, 3].map((index) => ledger.tip({ amountCents: 1_000 * index }));
    let isOver = false;
    const settled = await ledger.withFault(
      (statement) => {
        const isMet = !isOver && movesBucketBy(1_940)(statement);
        isOver ||= isMet;
        return isMet;
      },
      () => Promise.allSettled(tips.map((tip) => ledger.storage.recordTip(tip))),
    );
    expect(isOver).toBe(true);
    expect(outcomesOf(settled)).toEqual(['recorded', 'recorded', 'recorded']);
    expect(ledger.dumpFile()['transactions']).toMatchObject(tips.map(({ id }) => ({ id })));
    expect(ledger.checkFile()).toEqual([]);
  });

  test('in a commit refuses every tip that shared it', async () => {
    const ledger = await createFaultyLedger();
    const before = ledger.dumpFile();
    const settled = await ledger.withFault(isCommit, () =>
      Promise.allSettled([1, 2, 3].map(() => ledger.storage.recordTip(ledger.tip()))),
    );
    expect(outcomesOf(settled)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(ledger.dumpFile()).toEqual(before);
  });

  test('that also keeps a tip from being undone is not committed with the others', async () => {
    const ledger = await createFaultyLedger();
    const tips = [1, 2, 3].map((index) => ledger.tip({ amountCents: 1_000 * index }));
    const movesSecond = movesBucketBy(1_940);
    const settled = await ledger.withFault(
      (statement) => movesSecond(statement) || statement.startsWith('ROLLBACK TO'),
      () => Promise.allSettled(tips.map((tip) => ledger.storage.recordTip(tip))),
    );
    expect(ledger.checkFile()).toEqual([]);
    const recorded = tips.filter((_tip, index) => outcomesOf(settled)[index] === 'recorded');
    expect(ledger.dumpFile()['transactions']).toMatchObject(recorded.map(({ id }) => ({ id })));
    expect(outcomesOf(settled)[1]).toBe('rejected');
    expect(await ledger.storage.recordTip(ledger.tip())).toMatchObject({ outcome: 'recorded' });
    expect(ledger.checkFile()).toEqual([]);
  });

  test('that also keeps a commit from being undone does not swallow the next tip', async () => {
    const ledger = await createFaultyLedger();
    const before = ledger.dumpFile();
    const [lost] = await ledger.withFault(
      (statement) => isCommit(statement) || statement === 'ROLLBACK',
      () => Promise.allSettled([ledger.storage.recordTip(ledger.tip())]),
    );
    expect(lost.status).toBe('rejected');
    expect(ledger.dumpFile()).toEqual(before);
    const tip = ledger.tip();
    expect(await ledger.storage.recordTip(tip)).toMatchObject({ outcome: 'recorded' });
    expect(ledger.dumpFile()['transactions']).toMatchObject([{ id: tip.id }]);
    expect(ledger.checkFile()).toEqual([]);
  });

  test('in any one statement of registering a provider leaves nobody behind', async () => {
    const ledger = await createFaultyLedger();
    const before = ledger.dumpFile();
    let faults = 0;
    for (let nth = 0; nth < MANY_STATEMENTS; nth += 1) {
      const [result] = await ledger.withFault(
        (_statement, index) => index === nth,
        () => Promise.allSettled([ledger.addAccount('sam', ['barber', 'dj'])]),
      );
      if (ledger.statements().length <= nth) {
        expect(result.status).toBe('fulfilled');
        break;
      }
      faults += 1;
      expect(result.status).toBe('rejected');
      expect(ledger.dumpFile()).toEqual(before);
    }
    // Begin, two look-ups, an account, since when its marks count, two categories, invitations of its email, commit.
    expect(faults).toBe(9);
    expect(ledger.dumpFile()['provider_categories']).toHaveLength(4);
  });

  test('in any one statement of making a QR code leaves neither code nor picture behind', async () => {
    const ledger = await createFaultyLedger();
    const before = ledger.dumpFile();
    let faults = 0;
    for (let nth = 0; nth < MANY_STATEMENTS; nth += 1) {
      const [result] = await ledger.withFault(
        (_statement, index) => index === nth,
        () => Promise.allSettled([ledger.addCode(ledger.provider, 'barber')]),
      );
      if (ledger.statements().length <= nth) {
        expect(result.status).toBe('fulfilled');
        break;
      }
      faults += 1;
      expect(result.status).toBe('rejected');
      expect(ledger.dumpFile()).toEqual(before);
    }
    // Begin, two look-ups, code, picture, its place among events, the event, commit.
    expect(faults).toBe(8);
    expect(ledger.dumpFile()['qr_pictures']).toHaveLength(2);
  });
});

describe('tips that are sent in one turn of the event loop', () => {
  test('share one commit', async () => {
    const ledger = await createFaultyLedger();
    const settled = await ledger.withFault(
      () => false,
      () => Promise.allSettled(Array.from({ length: 50 }, () => ledger.storage.recordTip(ledger.tip()))),
    );
    expect(new Set(outcomesOf(settled))).toEqual(new Set(['recorded']));
    expect(ledger.statements().filter(isCommit)).toHaveLength(1);
    expect(ledger.dumpFile()['transactions']).toHaveLength(50);
  });

  test('do not keep the event loop for more than a bounded number of them', async () => {
    const ledger = await createFaultyLedger();
    await ledger.withFault(
      () => false,
      () => Promise.all(Array.from({ length: 300 }, () => ledger.storage.recordTip(ledger.tip()))),
    );
    const tipsOfCommits = ledger
      .statements()
      .join('\n')
      .split('COMMIT')
      .map((commit) => commit.match(/insert into "main"\."tips"/g)?.length ?? 0);
    expect(tipsOfCommits).toEqual([128, 128, 44, 0]);
    expect(ledger.checkFile()).toEqual([]);
  });

  test('are answered only when they are in the file', async () => {
    const ledger = await createFaultyLedger();
    const seen = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { id } = ledger.tip();
        await ledger.storage.recordTip(ledger.tip({ id }));
        return ledger.dumpFile()['transactions']?.some((row) => Object(row).id === id);
      }),
    );
    expect(seen).toEqual([true, true, true, true, true]);
  });
});
