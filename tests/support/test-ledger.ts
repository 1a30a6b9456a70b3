/**
 * The ledger without its doors: the real storage on a real database, with people, codes and tips to put into
 * it. For what concerns the money alone, where registering through the app would hash passwords.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { ServiceCategory } from '#shared/categories.ts';
import { newTransactionId, type QrCodeId, type RandomBytes } from '#shared/ids.ts';
import { createChance } from './chance.ts';
import { newTip } from './new-tip.ts';
import { beginSession, createPeople } from './people.ts';
import type { TestApp } from './test-app.ts';
import { createTestData } from './test-data.ts';

/** Opens a ledger for the running test, which closes it in its end. */
export async function createTestLedger({ random = randomBytes }: { readonly random?: RandomBytes } = {}) {
  const data = await createTestData();
  const storage = await data.openStorage();
  return { data, storage, ...createPeople(storage, random) };
}

/**
 * Somebody who is logged in to a test app, with a code for each of the categories; without any, a customer.
 */
export async function enter(
  t: TestApp,
  username: string,
  serviceCategories: readonly ServiceCategory[] = [],
) {
  const { addAccount, addCode } = createPeople(t.storage);
  const user = await addAccount(username, serviceCategories);
  const codes: QrCodeId[] = [];
  // One after the other: they are listed in the order in which they were made.
  for (const category of serviceCategories) codes.push(await addCode(user, category));
  const token = await beginSession(t.storage, user.email, { createdAtMs: t.clock.nowMs });
  return { user, token, trpc: t.trpc(token), codes };
}

/** Has one person tip another a second apart, from the present on. @returns what they kept of it. */
export async function giveMany(
  { storage, clock }: Pick<TestApp, 'storage' | 'clock'>,
  giver: Pick<Entered, 'user'>,
  receiver: Pick<Entered, 'codes'>,
  count: number,
  chance = createChance(20_261_122),
): Promise<number> {
  const [qrCodeId] = receiver.codes;
  if (qrCodeId === undefined) throw new Error('the receiver has no code');
  let netCents = 0;
  for (let done = 0; done < count; ) {
    const batch = Array.from({ length: Math.min(2_000, count - done) }, () => {
      done += 1;
      const tip = newTip({
        id: newTransactionId(chance.bytes),
        giverId: giver.user.id,
        qrCodeId,
        amountCents: 1_000 + chance.below(99_000),
        createdAtMs: clock.nowMs + done * 1_000,
      });
      netCents += tip.netAmountCents;
      return storage.recordTip(tip);
    });
    for (const { outcome } of await Promise.all(batch)) expect(outcome).toBe('recorded');
  }
  return netCents;
}

type Entered = Awaited<ReturnType<typeof enter>>;
