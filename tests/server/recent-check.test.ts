/**
 * What was written to the ledger since the last check is checked, once, and in windows: whatever is falsified in it is named
 * and then not remembered as checked; what was checked before is left to the check of the whole ledger.
 */
import { describe, expect, test } from 'vitest';
import { type Database } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import type { Storage } from '#server/storage/storage.ts';
import { cents } from '#shared/money.ts';
import type { TransactionId } from '#shared/ids.ts';
import { createChance } from '#tests/support/chance.ts';
import { dump } from '#tests/support/database-dump.ts';
import { START_MS } from '#tests/support/test-app.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';

/** Checks window by window, to the end. @returns what is wrong, in sentences. */
async function checkToTheEnd(storage: Storage): Promise<readonly string[]> {
  for (;;) {
    const { problems, isDone } = await storage.checkRecent();
    if (isDone || problems.length > 0) return problems;
  }
}

test.each([1, 2, 3, 4, 5, 6])(
  'random tips and reversals of five people add up whenever they are checked (seed %i)',
  async (seed) => {
    const chance = createChance(seed);
    const { database, storage, addAccount, addCode, setTheScene } = await createTestLedger({
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
    const ids: TransactionId[] = [];
    const steps: Promise<unknown>[] = [];
    for (let done = 0; done < 1_500; done += 1) {
      now += chance.pick([0, 1_000, 60_000, 2_000_000]);
      if (chance.below(4) === 0 && ids.length > 0) {
        steps.push(storage.reverseTip(chance.pick(ids), now));
      } else {
        const giver = chance.pick(people);
        const receiver = chance.pick(people.filter((person) => person !== giver));
        const code = chance.pick(receiver.codes);
        const given = tip({
          giverId: giver.account.id,
          qrCodeId: code.id,
          serviceCategory: code.category,
          amountCents: 1_000 + chance.below(9_000),
          createdAtMs: now - chance.below(3) * 500_000,
        });
        ids.push(given.id);
        steps.push(storage.recordTip(given));
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
  },
);
