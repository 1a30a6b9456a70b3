/**
 * The ledger without its doors: the real storage on a real database, with people, codes and tips to put into
 * it. For what concerns the money alone, where registering through the app would hash passwords.
 */
import { randomBytes } from 'node:crypto';
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, RandomBytes } from '#shared/ids.ts';
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
