/**
 * The ledger without its doors: the real storage on a real SQLite, in memory or in a file, with people, codes and
 * tips to put into it. For what concerns the money alone, where registering through the app would hash passwords.
 */
import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { migrate, readMigrations } from '#server/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import type { Account, NewTransaction, Storage } from '#server/storage/storage.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { newQrCodeId, newTransactionId, newUserId, type QrCodeId, type RandomBytes } from '#shared/ids.ts';
import { cents, feesFor, GIVER_FEE_RATE, RECEIVER_FEE_RATE } from '#shared/money.ts';
import { START_MS, type TestApp } from '#tests/support/test-app.ts';
import { createTestData } from '#tests/support/test-data.ts';

interface TipOptions extends Partial<Omit<NewTransaction, 'amountCents'>> {
  readonly amountCents?: number;
}

/** Opens a ledger for the running test, which closes it in its end. */
export async function createTestLedger({ random = randomBytes }: { readonly random?: RandomBytes } = {}) {
  const data = await createTestData();
  const storage = await data.openStorage();
  return { data, storage, ...createPeople(storage, random) };
}

/** Opens a ledger on SQLite, for tests that are about that engine. */
export async function createSqliteLedger(
  options: {
    /** A file to keep it in; in memory when there is none. */
    readonly path?: string;
    readonly onStatement?: (statement: string) => void;
    readonly random?: RandomBytes;
  } = {},
) {
  const { path = IN_MEMORY, onStatement, random = randomBytes } = options;
  const database = openDatabase(
    path,
    onStatement === undefined ? {} : { onStatement: (statement) => onStatement(String(statement)) },
  );
  migrate(database, readMigrations('drizzle/sqlite'));
  const storage = createSqliteStorage(database);
  onTestFinished(() => (database.open ? storage.close() : undefined));
  return { database, storage, ...createPeople(storage, random) };
}

/** People who are put straight into a storage, past registration and its hashing. */
export function createPeople(storage: Storage, random: RandomBytes = randomBytes) {
  /** A customer, or a provider when there are categories; the email is `{username}@example.com`. */
  async function addAccount(
    username: string,
    serviceCategories: readonly ServiceCategory[] = [],
  ): Promise<Account> {
    const person = {
      id: newUserId(random),
      email: `${username}@example.com`,
      username,
      fullName: `Name of ${username}`,
      phone: null,
      isServiceProvider: serviceCategories.length > 0,
      serviceCategories,
    };
    const outcome = await storage.createAccount({ ...person, passwordHash: 'none', createdAtMs: START_MS });
    if (outcome !== 'created') throw new Error(outcome);
    const totals = { totalTipsReceivedCents: cents(0), totalTipsGivenCents: cents(0) };
    return { ...person, ...totals, mustChangePassword: false };
  }

  async function addCode(owner: Account, serviceCategory: ServiceCategory): Promise<QrCodeId> {
    const id = newQrCodeId(random);
    const outcome = await storage.createQrCode(
      { id, userId: owner.id, serviceCategory, createdAtMs: START_MS },
      { address: `https://tips.example.com/tip/${id}`, png: Buffer.from('no picture') },
    );
    if (outcome !== 'created') throw new Error(outcome);
    return id;
  }

  /** A provider with a code for bartending, and a customer. */
  async function setTheScene() {
    const provider = await addAccount('pat', ['bartender', 'barber']);
    const customer = await addAccount('cam');
    const code = await addCode(provider, 'bartender');

    /** A tip of the customer's for the code, at the fees of its amount. */
    function tip({ amountCents = 2_000, ...changes }: TipOptions = {}): NewTransaction {
      return {
        id: newTransactionId(random),
        giverId: customer.id,
        qrCodeId: code,
        serviceCategory: 'bartender',
        ...feesFor(cents(amountCents)),
        amountCents: cents(amountCents),
        giverFeeRate: GIVER_FEE_RATE,
        receiverFeeRate: RECEIVER_FEE_RATE,
        idempotencyKey: null,
        createdAtMs: START_MS,
        ...changes,
      };
    }
    return { provider, customer, code, tip };
  }

  return { addAccount, addCode, setTheScene };
}

/** Logs somebody in without the price of a password. @returns the token. */
export async function beginSession(
  storage: Storage,
  email: string,
  { createdAtMs = START_MS, expiresAtMs = Number.MAX_SAFE_INTEGER } = {},
): Promise<string> {
  const found = await storage.findCredentials(email);
  if (!found) throw new Error(`nobody has the email ${email}`);
  const token = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest();
  const session = { tokenHash, userId: found.account.id, createdAtMs, expiresAtMs, device: '' };
  expect(await storage.createSession(session, found.passwordHash, 50)).toBe('created');
  return token;
}

/** Somebody who is logged in to a test app, with a code for each of the categories; without any, a customer. */
export async function enter(
  t: TestApp,
  username: string,
  serviceCategories: readonly ServiceCategory[] = [],
) {
  const { addAccount, addCode } = createPeople(t.storage);
  const user = await addAccount(username, serviceCategories);
  const codes = await Promise.all(serviceCategories.map((category) => addCode(user, category)));
  const token = await beginSession(t.storage, user.email);
  return { user, token, trpc: t.trpc(token), codes };
}

/** A second connection to a file, which sees what is committed and nothing else. */
export function openBeside(path: string): Database {
  const database = openDatabase(path, { mustExist: true });
  onTestFinished(() => {
    database.close();
  });
  return database;
}
