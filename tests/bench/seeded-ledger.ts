/**
 * A database of a size that speed is worth measuring on, written by prepared statements in a few seconds: 10,000
 * codes, people who are logged in, one history of 100,000 tips and one of 100. It passes the ledger check.
 */
import { createHash, randomBytes } from 'node:crypto';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { migrate, readMigrations } from '#server/storage/sqlite/migrations.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { newQrCodeId, newTransactionId, newUserId } from '#shared/ids.ts';
import { cents, feesFor, GIVER_FEE_RATE, MIN_TIP_CENTS, RECEIVER_FEE_RATE } from '#shared/money.ts';

const PROVIDERS = 1_250;
const GIVERS = 64;
const LONG_HISTORY = 100_000;
const SHORT_HISTORY = 100;
const DAY_MS = 86_400_000;

export interface SeededCode {
  readonly id: string;
  readonly category: string;
  readonly userId: string;
  readonly username: string;
  readonly fullName: string;
}

export interface SeededLedger {
  /** The 10,000 codes that are looked up and tipped. */
  readonly codes: readonly SeededCode[];
  /** Bearer tokens of people who give tips. */
  readonly giverTokens: readonly string[];
  /** Bearer tokens of providers, each of whom has a code for every service. */
  readonly providerTokens: readonly string[];
  /** Bearer tokens of two providers, one with a long history and one with a short. */
  readonly longHistoryToken: string;
  readonly shortHistoryToken: string;
  /** The id of the first tip of the long history. */
  readonly oldestTip: string;
  readonly transactions: number;
}

/**
 * Writes the database to `path`, which must not exist.
 * @param options.longHistory how many tips the long history has, if not 100,000.
 * @throws Error when its ledger does not add up.
 */
export function seedLedger(
  path: string,
  { longHistory = LONG_HISTORY }: { readonly longHistory?: number } = {},
): SeededLedger {
  const database = openDatabase(path);
  migrate(database, readMigrations('drizzle/sqlite'));
  const now = Date.now();
  const insertAccount = database.prepare(
    `INSERT INTO accounts (id, email, email_key, username, full_name, phone, is_service_provider, password_hash,
       total_tips_received_cents, total_tips_given_cents, created_at_ms)
     VALUES (:id, :email, :email, :username, :fullName, NULL, :isProvider, 'none', 0, 0, ${now})`,
  );
  const insertCategory = database.prepare(
    'INSERT INTO provider_categories (user_id, category) VALUES (?, ?)',
  );
  const insertCode = database.prepare(
    `INSERT INTO qr_codes (id, user_id, category, created_at_ms) VALUES (?, ?, ?, ${now})`,
  );
  const insertSession = database.prepare(
    `INSERT INTO sessions (token_hash, user_id, created_at_ms, expires_at_ms) VALUES (?, ?, ${now}, ${now + 30 * DAY_MS})`,
  );
  const insertTransaction = database.prepare(
    `INSERT INTO transactions (id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
       receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, status, idempotency_key, created_at_ms)
     VALUES (:id, :giverId, :receiverId, :qrCodeId, :category, :amountCents, :giverFeeCents, :receiverFeeCents,
       :netAmountCents, ${GIVER_FEE_RATE}, ${RECEIVER_FEE_RATE}, 'completed', NULL, :createdAtMs)`,
  );

  const enter = (username: string, categories: readonly string[]) => {
    const id = newUserId(randomBytes);
    const fullName = `Person called ${username}`;
    const isProvider = categories.length > 0 ? 1 : 0;
    insertAccount.run({ id, email: `${username}@example.com`, username, fullName, isProvider });
    const codes = categories.map((category): SeededCode => {
      insertCategory.run(id, category);
      const code = newQrCodeId(randomBytes);
      insertCode.run(code, id, category);
      return { id: code, category, userId: id, username, fullName };
    });
    const token = randomBytes(32).toString('base64url');
    insertSession.run(createHash('sha256').update(token).digest(), id);
    return { id, token, codes };
  };
  const pay = (giverId: string, code: SeededCode, index: number) => {
    const amountCents = cents(MIN_TIP_CENTS + (index % 5_000));
    const id = newTransactionId(randomBytes);
    insertTransaction.run({
      id,
      giverId,
      receiverId: code.userId,
      qrCodeId: code.id,
      category: code.category,
      amountCents,
      ...feesFor(amountCents),
      createdAtMs: now - longHistory + index,
    });
    return id;
  };

  const seeded = database.transaction((): SeededLedger => {
    const providers = Array.from({ length: PROVIDERS }, (_, index) =>
      enter(`provider-${index}`, SERVICE_CATEGORIES),
    );
    const givers = Array.from({ length: GIVERS }, (_, index) => enter(`giver-${index}`, []));
    const [long, short] = [enter('long-history', ['dj']), enter('short-history', ['dj'])];
    const everyHistory = longHistory / SHORT_HISTORY;
    let oldestTip = '';
    for (let index = 0; index < longHistory; index += 1) {
      const giver = givers[index % GIVERS];
      if (!giver || !long.codes[0] || !short.codes[0])
        throw new Error('there is nobody to give or to receive');
      const id = pay(giver.id, long.codes[0], index);
      if (index === 0) oldestTip = id;
      if (index % everyHistory === 0) pay(giver.id, short.codes[0], index);
    }
    database.exec(
      `UPDATE accounts SET
         total_tips_received_cents = (SELECT coalesce(sum(net_amount_cents), 0) FROM transactions WHERE receiver_id = accounts.id),
         total_tips_given_cents = (SELECT coalesce(sum(amount_cents), 0) FROM transactions WHERE giver_id = accounts.id)`,
    );
    return {
      codes: providers.flatMap(({ codes }) => codes),
      providerTokens: providers.map(({ token }) => token),
      giverTokens: givers.map(({ token }) => token),
      longHistoryToken: long.token,
      shortHistoryToken: short.token,
      oldestTip,
      transactions: longHistory + SHORT_HISTORY,
    };
  })();
  const [violation] = checkLedger(database);
  database.close();
  if (violation) throw new Error(`the seeded ledger does not add up: ${violation.invariant}`);
  return seeded;
}
