/**
 * What the tables of PostgreSQL refuse by themselves, how they are made, and that requests find rows by keys.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import { databaseAt } from '#server/storage/open.ts';
import { ALL_TIPS } from '#server/storage/port/ledger.ts';
import { newMailId, newPhotoName, newWebhookId } from '#shared/ids.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { OPENING } from '#tests/support/opening.ts';
import { payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { createPeople } from '#tests/support/people.ts';
import { createMigratedDatabase, createPostgresDatabase, openPatiently } from '#tests/support/postgres.ts';

/** Messages that take ten steps. */
const MANY = 5_000;
const NOW = Date.UTC(2026, 4, 15, 12);

async function connectPast(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SET search_path = tipwell');
  return client;
}

/** Waits until so many connections to the database wait for locks of others. */
async function untilWaiting(past: Client, count: number): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await expect.poll(async () => (await past.query(waiting)).rowCount).toBe(count);
}

/** The server's processes tell what they have read when they end, some time after their connections. */
async function tellStatistics(past: Client): Promise<void> {
  const countProcesses = async () => {
    const { rowCount } = await past.query(
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return rowCount;
  };
  await vi.waitUntil(async () => (await countProcesses()) === 0, { timeout: 20_000 });
}

const open = (url: string) => databaseAt({ engine: 'postgres', url }).openForServer(OPENING);

/** A ledger with a tip and its reversal, and nobody who has it open. */
async function createLedger() {
  const url = await createMigratedDatabase();
  const storage = await open(url);
  const { provider, tip } = await createPeople(storage).setTheScene();
  const reversed = tip();
  await storage.recordTip(reversed);
  await takeBack(storage, reversed, NOW);
  await storage.close();
  return { provider, past: await connectPast(url) };
}

test('what was written to the ledger never changes and never goes, neither go codes and accounts, and no entry leaves a gap in the chain of its account', async () => {
  const { past, provider } = await createLedger();
  for (const table of ['tips', 'reversals', 'tip_entries', 'qr_codes']) {
    const { rows } = await past.query(`SELECT * FROM ${table}`);
    const [column = ''] = Object.keys(rows[0] ?? {});
    for (const statement of [
      `UPDATE ${table} SET created_at_ms = created_at_ms + 1`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table} CASCADE`,
    ]) {
      await expect(past.query(statement), statement).rejects.toThrow(/append-only|printed code/);
    }
    expect((await past.query(`SELECT * FROM ${table} ORDER BY ${column}`)).rows).toHaveLength(rows.length);
    expect(rows.length).toBeGreaterThan(0);
  }
  for (const view of ['transactions', 'entries'])
    for (const statement of [`UPDATE ${view} SET created_at_ms = created_at_ms + 1`, `DELETE FROM ${view}`])
      await expect(past.query(statement), statement).rejects.toThrow('append-only');
  for (const statement of ['DELETE FROM accounts', 'TRUNCATE accounts CASCADE']) {
    await expect(past.query(statement), statement).rejects.toThrow(/never reissued|append-only|printed code/);
  }

  const insert = (...positions: number[]) =>
    past.query(
      `INSERT INTO tip_entries (account, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
       SELECT number, position, 1, 1, 1, 1, 1 FROM accounts, unnest($2::integer[]) AS position WHERE id = $1`,
      [provider.id, positions],
    );
  await expect(insert(4)).rejects.toThrow(/without a gap/);
  await expect(insert(3, 5)).rejects.toThrow(/without a gap/);
  await expect(insert(2)).rejects.toThrow(/tip_entries_account_position_pk/);
  expect((await insert(4, 3)).rowCount).toBe(2);
});

test('the tables out of which closing an account deletes are vacuumed', async () => {
  const url = await createMigratedDatabase();
  const storage = await open(url);
  onTestFinished(() => storage.close());
  const { provider } = await createPeople(storage).setTheScene();
  await storage.closeAccount(provider.id, NOW, false);
  expect(await storage.forgetRemnants()).toBe('partial');
  const past = await connectPast(url);
  const { rows } = await past.query<{ name: string }>(
    `SELECT relname AS name FROM pg_stat_user_tables WHERE schemaname = 'tipwell' AND vacuum_count > 0 ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'accounts',
    'api_keys',
    'attempts',
    'blocked_givers',
    'factor_challenges',
    'former_usernames',
    'invitations',
    'mail_links',
    'mail_settings',
    'mails',
    'noted_events',
    'passkeys',
    'payout_accounts',
    'photos',
    'push_devices',
    'qr_codes',
    'ready_thank_yous',
    'recovery_codes',
    'sessions',
    'tip_words',
    'totp_secrets',
    'webhook_deliveries',
    'webhooks',
  ]);
});

test('a message that is reported while an account is closed is kept for the report', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const { customer, tip } = await createPeople(storage).setTheScene();
  const given = tip({
    giverMessage: { message: 'Great drinks!', giverName: null, isRefused: false },
  });
  await storage.recordTip(given);
  const [reporting, other] = [await connectPast(url), await connectPast(url)];
  await reporting.query('BEGIN');
  await reporting.query('UPDATE tip_words SET reported_at_ms = 1');
  const erasing = storage.messages.eraseBeforeClosing(customer.id, NOW, false, 9);
  await untilWaiting(other, 1);
  await reporting.query('COMMIT');
  expect(await erasing).toBe(0);
  expect((await other.query('SELECT message FROM tip_words')).rows).toEqual([{ message: 'Great drinks!' }]);
});

test('what is done about a message while an account is closed leaves nothing of it', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const { provider, customer, tip } = await createPeople(storage).setTheScene();
  const given = tip({ giverMessage: { message: 'Ugly', giverName: 'Cam', isRefused: false } });
  await storage.recordTip(given);
  await storage.messages.reportMessage(provider.id, given.id, NOW);
  const [noting, other] = [await connectPast(url), await connectPast(url)];
  await noting.query('BEGIN');
  await noting.query(`SELECT pg_advisory_xact_lock(hashtextextended('audit log', 0))`);
  const actor = { kind: 'command', name: 'root', host: 'tips' } as const;
  const act = { actor, action: 'account_closed', subject: customer.id, reason: null, atMs: NOW } as const;
  const closing = storage.closeAccount(customer.id, NOW, false, act);
  await untilWaiting(other, 1);
  const settling = storage.messages.settleReport(given.id, NOW);
  const blocking = storage.messages.blockGiver(provider.id, given.id, NOW);
  await untilWaiting(other, 3);
  await noting.query('COMMIT');
  expect(await Promise.all([closing, settling, blocking])).toEqual(['closed', true, 'blocked']);
  expect(await storage.messages.listBlocked(provider.id)).toEqual([]);
  expect(await storage.messages.findMessages([given.id])).toMatchObject([{ message: null, giverName: null }]);
});

test('messages are erased in steps that find each one once, and not those that earlier steps have erased', async () => {
  const url = await createMigratedDatabase();
  const storage = await databaseAt({ engine: 'postgres', url }).openForCommand();
  const { provider, customer } = await createPeople(storage).setTheScene();
  const past = await connectPast(url);
  await past.query(
    `INSERT INTO tip_words (transaction_id, giver_id, receiver_id, message, thank_you, thanked_at_ms, is_hidden,
       is_erased)
     SELECT 'txn_' || number, $1, $2, 'Great drinks!', 'Thanks!', 1, false, false
     FROM generate_series(1, $3::integer) AS number`,
    [customer.id, provider.id, MANY],
  );
  // As the server does by itself after so many rows.
  await past.query('ANALYZE tip_words');
  for (const { id } of [customer, provider])
    expect(await forgetInSteps((atMost) => storage.messages.eraseBeforeClosing(id, NOW, false, atMost))).toBe(
      MANY,
    );
  await storage.close();
  await tellStatistics(past);
  const { rows } = await past.query(
    `SELECT sum(idx_tup_fetch)::integer AS found FROM pg_stat_user_indexes
     WHERE indexrelname IN ('tip_words_giver', 'tip_words_receiver')`,
  );
  // Once for each of the two people.
  expect(rows).toEqual([{ found: 2 * MANY }]);
});

test('an account is closed also while a process notes what it told a webhook', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const { provider } = await createPeople(storage).setTheScene();
  const webhook = { id: newWebhookId(randomBytes), userId: provider.id, secret: randomBytes(32) };
  const told = { url: 'https://books.example.com/', kinds: ['tip.received'], createdAtMs: NOW } as const;
  expect(await storage.webhooks.add({ ...webhook, ...told }, 5)).toBe('added');
  const [telling, other] = [await connectPast(url), await connectPast(url)];
  await telling.query('BEGIN');
  await telling.query('SELECT 1 FROM webhooks FOR UPDATE');
  await telling.query(
    `INSERT INTO webhook_deliveries (webhook_id, number, event_id, kind, tried_at_ms, took_ms, status, answer)
     VALUES ($1, 1, 'evt_1', 'tip.received', 1, 1, 200, '')`,
    [webhook.id],
  );
  const closing = storage.closeAccount(provider.id, NOW, false);
  await untilWaiting(other, 1);
  await telling.query('COMMIT');
  expect(await closing).toBe('closed');
  expect((await other.query('SELECT 1 FROM webhooks')).rowCount).toBe(0);
});

test('a receipt is not mailed about an account that was closed at the same moment', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const { id } = (await createPeople(storage).setTheScene()).customer;
  const [closing, other] = [await connectPast(url), await connectPast(url)];
  await storage.mails.setMonthlyStatement(id, { isOn: true, timeZone: 'UTC', statedMonth: '2026-01' });
  await other.query('UPDATE mail_settings SET confirmed_at_ms = 1');
  // What a closing has done by the time at which it is about to end.
  await closing.query('BEGIN');
  await closing.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]);
  await closing.query(`UPDATE accounts SET email_key = 'closed:' || id, closed_at_ms = 1 WHERE id = $1`, [
    id,
  ]);
  await closing.query('DELETE FROM mails');
  await closing.query('DELETE FROM mail_settings');
  const receipt = { id: newMailId(randomBytes), kind: 'receipt', content: '{}', createdAtMs: NOW } as const;
  const mailed = storage.mails.addToConfirmed(id, receipt, 9);
  await untilWaiting(other, 1);
  await closing.query('COMMIT');
  expect(await mailed).toBe('unconfirmed');
  expect((await other.query('SELECT 1 FROM mails')).rowCount).toBe(0);
});

test('tips that are recorded together lock the sums of a time in the order of keys, as the check of the ledger does', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const { addCode, setTheScene } = createPeople(storage);
  const { provider, tip } = await setTheScene();
  const second = { qrCodeId: await addCode(provider, 'barber'), serviceCategory: 'barber' } as const;
  await Promise.all([tip(second), tip()].map(storage.recordTip));
  const [checking, other] = [await connectPast(url), await connectPast(url)];
  const lock = (category: number) =>
    `SELECT 1 FROM tip_quarters WHERE category = ${category} FOR UPDATE NOWAIT`;
  await checking.query('BEGIN');
  await checking.query(lock(1));
  const recording = Promise.all([tip(second), tip()].map(storage.recordTip));
  await untilWaiting(other, 1);
  expect((await other.query(lock(2))).rowCount).toBe(1);
  await checking.query('ROLLBACK');
  expect(await recording).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }]);
});

test('several processes that start on an empty database at once make its tables once', async () => {
  const url = await createPostgresDatabase();
  const storages = await Promise.all([open(url), open(url), open(url)]);
  await Promise.all(storages.map((storage) => storage.close()));
  const past = await connectPast(url);
  const { rows } = await past.query('SELECT position FROM schema_migrations ORDER BY position');
  expect(rows).toEqual(rows.map((_, position) => ({ position })));
});

test('a database of a newer version is refused as it is', async () => {
  const url = await createMigratedDatabase();
  const past = await connectPast(url);
  await past.query(`INSERT INTO schema_migrations VALUES (999, 'newer')`);
  await expect(open(url)).rejects.toThrow(/newer or different version/);
  await expect(databaseAt({ engine: 'postgres', url }).openForCommand()).rejects.toThrow(
    /^This build is older than the tables of .*newer or different version/,
  );
});

test('no request reads all of a table, which would cost more with each tip', async () => {
  const url = await createMigratedDatabase();
  await (await open(url)).close();
  const past = await connectPast(url);
  const names = [
    'accounts',
    'adjustments',
    'audit_log',
    'former_usernames',
    'payment_notices',
    'payments',
    'payout_accounts',
    'photos',
    'qr_codes',
    'reversals',
    'sessions',
    'tip_entries',
    'tip_quarters',
    'tips',
  ];
  const readScans = async () => {
    const { rows } = await past.query(
      'SELECT relname, seq_scan::integer FROM pg_stat_user_tables WHERE relname = ANY ($1) ORDER BY relname',
      [names],
    );
    return rows;
  };
  const before = await readScans();
  expect(before).toHaveLength(names.length);
  const storage = await databaseAt({ engine: 'postgres', url }).openForCommand();
  const { provider, customer, code, tip } = await createPeople(storage).setTheScene();
  const tips = [tip({ idempotencyKey: 'key' }), tip(), tip()] as const;
  await Promise.all(tips.map(storage.recordTip));
  await storage.recordTip(tips[0]);
  await takeBack(storage, tips[1], NOW);
  const session = {
    tokenHash: Buffer.alloc(32),
    userId: customer.id,
    createdAtMs: 1,
    expiresAtMs: 2,
    device: '',
  };
  expect(await storage.createSession(session, 'none', 1)).toBe('created');
  await storage.findSession(session.tokenHash, 1);
  await storage.findEndedSessions([session.tokenHash], 1);
  await storage.findCredentials(customer.email);
  await storage.findQrCode(code);
  await storage.listQrCodes(provider.id, '');
  const place = await storage.findListingPlace(provider.id, tips[2].id);
  for (const filter of [ALL_TIPS, { ...ALL_TIPS, fromMs: NOW - 1 }]) {
    for (const before of [null, place])
      await storage.listTransactions(provider.id, { filter, before, limit: 9 });
    await storage.sumGiven(customer.id, filter, null);
    for (const isOfChanges of [true, false]) {
      const books = { ...filter, tipFromMs: 0, tipUntilMs: NOW * 2, isOfChanges };
      await storage.listBookEntries(provider.id, { filter: books, before: place, limit: 9 });
      const newest = await storage.listBookEntries(provider.id, { filter: books, before: null, limit: 9 });
      expect(newest.entries.length).toBeGreaterThan(0);
    }
  }
  const taken = { transactionId: tips[1].id, position: 4 };
  expect(await storage.findBookPlace(provider.id, taken)).toMatchObject({ position: 4 });
  expect(await storage.listChanges(provider.id, null, 9)).toMatchObject([{ kind: 'reversal' }]);
  const quarter = { fromMs: NOW, untilMs: NOW + 900_000, offsetMs: 0, serviceCategory: null };
  expect(await storage.readHourlyEarnings(provider.id, quarter)).toMatchObject([{ count: 2 }]);
  await storage.findTransaction(customer.id, tips[0].id);
  await storage.listEntriesSince(provider.id, 0, 9);
  await storage.findNewestEntry(provider.id);
  expect(await storage.readTotals(provider.id, 0, NOW * 2)).toMatchObject({ receivedCount: 2 });
  const { payments } = storage;
  await payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
  const paid = tip({ idempotencyKey: 'paid' });
  await payTip(storage, paid);
  for (const name of [{ id: paid.id }, { checkoutId: `cs_${paid.id}` }, { chargeId: `pi_${paid.id}` }])
    expect(await payments.findPayment(name)).not.toBeNull();
  for (const before of [null, { id: tip().id, createdAtMs: NOW * 2 }])
    expect(await payments.listPayments(customer.id, before, 9)).toHaveLength(1);
  await payments.takeOpenPayments(NOW * 2, 9);
  const refund = { transactionId: paid.id, userId: provider.id, idempotencyKey: null, giverFromMs: 0 };
  expect(await payments.askForRefund({ ...refund, createdAtMs: NOW }, NOW)).toMatchObject({
    outcome: 'asked',
  });
  await payments.movePayment(paid.id, { kind: 'refunded', adjustmentCount: 0 }, NOW, NOW);
  await payments.findPayoutAccount({ accountId: payoutAccountOf(provider.id).accountId });
  await payments.rememberWebhookEvent('evt_1', NOW);
  expect(await payments.forgetWebhookEvents(NOW + 1, 9)).toBe(1);
  const photo = { name: newPhotoName(randomBytes), jpeg: Buffer.from('photo') };
  expect(await storage.setPhoto(provider.id, code, photo, NOW)).toMatchObject({ outcome: 'updated' });
  expect(await storage.setPhoto(provider.id, code, null, NOW)).toMatchObject({ outcome: 'updated' });
  expect(await storage.findPhoto(photo.name)).toBeNull();
  expect(await storage.listFormerUsernames(customer.id)).toEqual([]);
  expect(await storage.operations.listOpenDisputes(9)).toEqual([]);
  await storage.operations.readPaymentSigns({
    paymentMode: 'test',
    capturesBeforeMs: NOW,
    paidFromMs: NOW,
    paidUntilMs: NOW,
  });
  expect(await storage.audit.listActors(9)).toEqual([]);
  expect(await storage.closeAccount(customer.id, NOW, false)).toBe('closed');
  await storage.close();
  await tellStatistics(past);
  expect(await readScans()).toEqual(before);
});
