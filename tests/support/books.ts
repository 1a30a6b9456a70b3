/** A small ledger in a file, with a row in every table, as db:move copies it and as checks of PostgreSQL look at it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseAt } from '#server/storage/open.ts';
import { newPhotoName } from '#shared/ids.ts';
import { takeBack } from './ledger-steps.ts';
import { payoutAccountOf, payTip } from './payment-steps.ts';
import { beginSession, createPeople, START_MS } from './people.ts';
import { temporaryFolder } from './running-server.ts';

/**
 * Four tips of a customer's for a provider's code, of 1,000, 2,000, 3,000 and 4,000 cents, of which the second was paid at a payment
 * service, and the third was reversed.
 */
export async function writeBooks(path = join(temporaryFolder(), 'tipwell.db')) {
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(() => {});
  const { setTheScene, addAccount } = createPeople(storage);
  const { provider, customer, code, tip } = await setTheScene();
  const other = await addAccount('sam');
  const token = await beginSession(storage, customer.email);
  await storage.takeAttempt(
    [{ limit: 'login', account: 'a', address: 'b', maxCount: 5, windowMs: 1_000 }],
    1_000,
  );
  for (const name of ['giver_pseudonym', 'device_mark'] as const) {
    await storage.secret(name, Buffer.alloc(32, name));
  }
  await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), START_MS);
  await storage.payments.rememberNotice('evt_1', START_MS);
  const tips = [1_000, 2_000, 3_000, 4_000].map((amountCents) =>
    tip({ amountCents, idempotencyKey: `key-${amountCents}` }),
  );
  for (const [index, next] of tips.entries()) {
    if (index === 1) await payTip(storage, next);
    else await storage.recordTip(next);
    if (index === 2) await takeBack(storage, next, next.createdAtMs + 1_000);
  }
  await storage.setPhoto(provider.id, code, {
    name: newPhotoName(randomBytes),
    jpeg: Buffer.from('a photo'),
  });
  // The name before and the name in between stay with this account.
  for (const username of ['samuel', 'sam']) await storage.updateAccount(other.id, { username });
  const gone = await addAccount('gone');
  await storage.closeAccount(gone.id, START_MS, false);
  await storage.checkRecent();
  await storage.close();
  return { path, provider, customer, other, code, tips, token };
}

/** Copies a file into an empty PostgreSQL database, as `npm run db:move` does. */
export function moveBooks(path: string, url: string) {
  const target = databaseAt({ engine: 'postgres', url });
  return databaseAt({ engine: 'sqlite', path }).readAll((tables) => target.fill(tables));
}
