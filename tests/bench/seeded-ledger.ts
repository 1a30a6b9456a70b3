/**
 * A database of a size that speed is worth measuring on, whose ledger is written set by set: 10,000 codes,
 * people who are logged in, one history of 100,000 tips and one of 100, and as many more tips as are asked
 * for. It passes the ledger check.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { QUARTER_MS } from '#server/storage/rules/tips.ts';
import { CATEGORY_NUMBERS, KIND_NUMBERS, MODE_NUMBERS } from '#server/storage/schema/numbers.ts';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { newQrCodeId, newUserId } from '#shared/ids.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';

const PROVIDERS = 1_250;
const GIVERS = 64;
const LONG_HISTORY = 100_000;
export const SHORT_HISTORY = 100;
const DAY_MS = 86_400_000;
const SEEDING_CACHE_KB = 500_000;

export interface SeededCode {
  readonly id: string;
  readonly category: string;
  readonly userId: string;
  readonly username: string;
  readonly fullName: string;
}

export interface SeededLedger {
  readonly codes: readonly SeededCode[];
  readonly giverTokens: readonly string[];
  readonly providerTokens: readonly string[];
  readonly longHistoryToken: string;
  readonly shortHistoryToken: string;
  readonly oldestTip: string;
  readonly transactions: number;
}

/**
 * Writes the database to `path`, which must not exist.
 * @param options.longHistory how many tips the long history has, if not 100,000.
 * @param options.spreadTips how many tips more the providers with all services get between them.
 * @param options.days over how many days the tips are spread, up to now; by default all of them came a moment
 *   ago.
 * @throws Error when its ledger does not add up.
 */
export function seedLedger(
  path: string,
  options: { readonly longHistory?: number; readonly spreadTips?: number; readonly days?: number } = {},
): SeededLedger {
  const { longHistory = LONG_HISTORY, spreadTips = 0, days = 0 } = options;
  const database = openDatabase(path);
  migrate(database, readMigrations('sqlite'));
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
  // Sorting the seed need not fit into memory.
  database.pragma('temp_store = FILE');
  database.pragma('foreign_keys = OFF');
  // A half-written file is useless, so nothing is journalled.
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma(`cache_size = -${SEEDING_CACHE_KB}`);
  const seeded = database.transaction((): SeededLedger => {
    const providers = Array.from({ length: PROVIDERS }, (_, index) =>
      enter(`provider-${index}`, SERVICE_CATEGORIES),
    );
    const givers = Array.from({ length: GIVERS }, (_, index) => enter(`giver-${index}`, []));
    const [long, short] = [enter('long-history', ['dj']), enter('short-history', ['dj'])];
    const tipCount = longHistory + SHORT_HISTORY + spreadTips;
    const codes = providers.flatMap((provider) => provider.codes);
    const plan = { longHistory, shortHistory: SHORT_HISTORY, now, stepMs: (days * DAY_MS) / tipCount || 1 };
    database.exec('CREATE TEMP TABLE seeded_givers (place INTEGER PRIMARY KEY, id TEXT) STRICT');
    database.exec('CREATE TEMP TABLE seeded_codes (place INTEGER PRIMARY KEY, id TEXT) STRICT');
    for (const [place, { id }] of givers.entries())
      database.prepare('INSERT INTO seeded_givers VALUES (?, ?)').run(place, id);
    for (const [place, { id }] of [long.codes, short.codes, codes].flat().entries())
      database.prepare('INSERT INTO seeded_codes VALUES (?, ?)').run(place, id);
    // Rows in their final order need no guards, and an index made at the end is sorted once.
    const guards = dropGuards(database);
    writeTips(database, { ...plan, tipCount, codeCount: codes.length });
    for (const guard of guards) database.exec(guard);
    const oldestTip =
      database
        .prepare<[string], string>(
          'SELECT id FROM tips WHERE receiver = (SELECT number FROM accounts WHERE id = ?) ORDER BY sequence',
        )
        .pluck()
        .get(long.id) ?? '';
    return {
      codes,
      providerTokens: providers.map(({ token }) => token),
      giverTokens: givers.map(({ token }) => token),
      longHistoryToken: long.token,
      shortHistoryToken: short.token,
      oldestTip,
      transactions: tipCount,
    };
  })();
  database.pragma('journal_mode = WAL');
  const [violation] = checkLedger(database);
  database.close();
  if (violation) throw new Error(`the seeded ledger does not add up: ${violation.invariant}`);
  return seeded;
}

/** Drops the triggers and the indexes of the largest tables. @returns the statements that make them again. */
function dropGuards(database: Database): readonly string[] {
  const guards = database
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string }>(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE type IN ('index', 'trigger') AND tbl_name IN ('tips', 'tip_entries') AND sql IS NOT NULL`,
    )
    .all();
  for (const { type, name } of guards) database.exec(`DROP ${type} ${name}`);
  return guards.map(({ sql }) => sql);
}

/**
 * Writes the tips of a plan, and what each of them did. The tips to the short history and to the spread codes
 * lie evenly between those to the long one.
 */
function writeTips(database: Database, plan: Readonly<Record<string, number>>): void {
  const share = (rate: number) => `((amount * ${rate} + 5000) / 10000)`;
  // The number of `steps`, spread evenly over `all`, before a place. SQLite treats a bound number as real,
  // whose division would keep the fraction.
  const stepsBefore = (place: string, steps: string, all: string) =>
    `CAST(${place} * ${steps} / ${all} AS INTEGER)`;
  const isStep = (place: string, steps: string, all: string) =>
    `${stepsBefore(`(${place} + 1)`, steps, all)} > ${stepsBefore(`(${place})`, steps, all)}`;
  database
    .prepare(
      `CREATE TEMP TABLE plan AS
       WITH RECURSIVE numbered (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbered WHERE i + 1 < :tipCount),
       placed AS (
         SELECT i, ${SPECIFIED_TERMS.minTipCents} + i % 5000 AS amount, CAST(:now - (:tipCount - i) * :stepMs AS INTEGER) AS created_at_ms,
           CASE
             WHEN long_after > long_before THEN 0
             WHEN ${isStep('i - long_before', ':shortHistory', '(:tipCount - :longHistory)')} THEN 1
             ELSE 2 + i % :codeCount
           END AS code_place
         FROM (
           SELECT i, ${stepsBefore('i', ':longHistory', ':tipCount')} AS long_before, ${stepsBefore('(i + 1)', ':longHistory', ':tipCount')} AS long_after
           FROM numbered
         )
       )
       SELECT i + 1 AS sequence, 'txn_' || lower(hex(randomblob(13))) AS id, g.number AS giver, r.number AS receiver,
         q.sequence AS code, ${categoryNumber('q.category')} AS category, amount,
         amount - ${share(SPECIFIED_TERMS.receiverFeeRate)} AS net, placed.created_at_ms
       FROM placed JOIN seeded_givers s ON s.place = i % ${GIVERS} JOIN accounts g ON g.id = s.id
         JOIN seeded_codes c ON c.place = code_place JOIN qr_codes q ON q.id = c.id JOIN accounts r ON r.id = q.user_id`,
    )
    .run(plan);
  const { given, received } = KIND_NUMBERS;
  database.exec(
    `INSERT INTO tip_entries (account, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
     SELECT account, row_number() OVER chain, kind, sequence, cents,
       CASE kind WHEN ${given} THEN sum(iif(kind = ${given}, cents, 0)) OVER chain
         ELSE sum(iif(kind = ${received}, cents, 0)) OVER chain END,
       created_at_ms
     FROM (
       SELECT giver AS account, ${given} AS kind, sequence, amount AS cents, created_at_ms FROM plan
       UNION ALL SELECT receiver, ${received}, sequence, net, created_at_ms FROM plan
     ) WINDOW chain AS (PARTITION BY account ORDER BY sequence ROWS UNBOUNDED PRECEDING);
     CREATE TEMP TABLE places (sequence INTEGER PRIMARY KEY, giver_position INTEGER, receiver_position INTEGER);
     INSERT INTO places SELECT transaction_sequence, max(iif(kind = ${given}, position, NULL)),
         max(iif(kind = ${received}, position, NULL))
       FROM tip_entries GROUP BY transaction_sequence;
     INSERT INTO tips (sequence, id, giver, receiver, code, category, amount_cents, giver_fee_cents,
         receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, terms_version, mode, idempotency_key,
         created_at_ms, giver_position, receiver_position)
       SELECT p.sequence, id, giver, receiver, code, category, amount, ${share(SPECIFIED_TERMS.giverFeeRate)},
         ${share(SPECIFIED_TERMS.receiverFeeRate)}, net, ${SPECIFIED_TERMS.giverFeeRate}, ${SPECIFIED_TERMS.receiverFeeRate}, 0,
         ${MODE_NUMBERS.simulated}, '', created_at_ms, giver_position, receiver_position
       FROM plan p JOIN places ON places.sequence = p.sequence ORDER BY p.sequence;
     INSERT INTO tip_quarters (account, quarter, category, count, cents, detailed_count, gross_cents, largest_cents)
       SELECT receiver, created_at_ms / ${QUARTER_MS}, category, count(*), sum(net), count(*), sum(amount), max(net)
       FROM plan GROUP BY 1, 2, 3;
     UPDATE accounts SET
       last_position = (SELECT count(*) FROM tip_entries WHERE account = number),
       total_tips_received_cents = (SELECT coalesce(sum(cents), 0) FROM tip_entries WHERE account = number AND kind = ${received}),
       total_tips_given_cents = (SELECT coalesce(sum(cents), 0) FROM tip_entries WHERE account = number AND kind = ${given});
     DROP TABLE plan; DROP TABLE places; DROP TABLE seeded_givers; DROP TABLE seeded_codes`,
  );
}

const categoryNumber = (column: string) =>
  `CASE ${column} ${Object.entries(CATEGORY_NUMBERS)
    .map(([category, number]) => `WHEN '${category}' THEN ${number}`)
    .join(' ')} END`;
