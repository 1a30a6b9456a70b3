/**
 * How SQLite finds the rows of each statement. It reads a table on the thread that answers requests, so that a
 * statement that reads all of a table would make everybody wait, longer with each account and tip. Plans depend on the
 * tables alone, because nothing runs ANALYZE. How PostgreSQL does: `postgres-tables.test.ts`.
 */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { noteMonthlyStatements } from '#server/events/monthly-statements.ts';
import { PLAIN_LETTERHEAD } from '#server/mail/letter.ts';
import { createMail } from '#server/mail/mail.ts';
import { checkAllRows } from '#server/storage/care/audit.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { compileStatements } from '#server/storage/sqlite/driver.ts';
import { migratedContents } from '#tests/support/migrated-contents.ts';
import { START_MS } from '#tests/support/people.ts';
import { createSqliteLedger } from '#tests/support/sqlite-ledger.ts';

/** The statements that may read a table or an index from its beginning, by the reason. */
const MAY_READ_ALL: Readonly<Record<string, readonly string[]>> = {
  'stops at its first rows': [
    'anyPayment',
    'anyTip',
    'auditHead',
    'mailBeyond',
    'newestPaid',
    'newestPayment',
    'otherOperators',
    'returnedMoney',
    'returnedPayments',
    'untoldWebhooks',
  ],
  'a table of the installation, whose rows do not grow with accounts or tips': [
    'allTerms',
    'checkpoint',
    'deleteAnnouncement',
    'deleteEndedOperatorLinks',
    'deleteEndedOperatorSessions',
    'deleteSecrets',
    'deleteSeenAnnouncement',
    'moveCheckpoint',
    'operatorsInOrder',
    'presentAnnouncement',
  ],
  'an index of what is open, which is little': ['arrivingSum', 'debts', 'debtSums', 'openDisputes'],
  'an outbox that takes no more than some thousand rows': ['claimDueMails', 'dueMails', 'waitingMails'],
  'challenges end after minutes, and are limited in number': [
    'challengeCount',
    'deleteChallengesOf',
    'deleteOldestChallenges',
  ],
  'runs at the start of a server, or for a command of the operator': [
    'deleteDevices',
    'endClaims',
    'endMailClaims',
    'endWebhookClaims',
    'passkeysElsewhere',
  ],
  'counts in one pass without a look at another table': ['failingDevices', 'failingWebhooks'],
  'removes what ended, some rows an hour, of what operators made': ['deleteEndedInvitations'],
};

/** Reads of what a statement brings with it, such as a list of values or a result of its own. */
const OWN_ROWS = /^SCAN (?:json_each|pragma_\w+|CONSTANT ROW|actors?|few|moves|newest|due|tip)\b/;

/** The steps of a statement's plan, in SQLite's words. */
function openPlans() {
  const database = openDatabase(IN_MEMORY, { contents: migratedContents() });
  onTestFinished(() => void database.close());
  return Object.entries(compileStatements()).flatMap(([name, statement]) => {
    if (statement === null) return [];
    const values = Array.from(statement.text.matchAll(/\+\?/g), () => null);
    const rows = database
      .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${statement.text}`)
      .all(values);
    return [{ name, steps: rows.map(({ detail }) => detail) }];
  });
}

test('no statement reads all of a table that grows with the installation, but those that may', () => {
  const scanning = openPlans().filter(({ steps }) =>
    steps.some((step) => step.startsWith('SCAN ') && !OWN_ROWS.test(step)),
  );
  expect(scanning.map(({ name }) => name).sort()).toEqual(Object.values(MAY_READ_ALL).flat().sort());
});

test('what is rare among many is found by an index of nothing else', () => {
  const plans = new Map(openPlans().map(({ name, steps }) => [name, steps.join('\n')]));
  expect(plans.get('openDisputes')).toContain('SCAN main.adjustments USING INDEX adjustments_disputes');
  expect(plans.get('restrictedAccounts')).toContain('USING INDEX payout_accounts_restricted');
  expect(plans.get('deletePhoto')).toContain('USING COVERING INDEX qr_codes_photo');
  expect(plans.get('monthlyReaders')).toContain('USING COVERING INDEX noted_events_statements (user_id=?)');
  // However many of an account's codes have ended, only its current ones are read.
  expect(plans.get('codesOfUser')).toContain('USING INDEX qr_codes_current');
  expect(plans.get('publicCodes')).toContain('USING INDEX qr_codes_current');
  // However many have been blocked, only those who are asked for are looked up.
  expect(plans.get('blockedAmong')).toContain('(receiver_id=? AND giver_id=?)');
});

/** More than two spans. */
const MANY = 2_500;

function insertTimes(database: Database, times: number, statement: string, values: Record<string, unknown>) {
  const many = `WITH RECURSIVE many (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < ${times})`;
  database.prepare(`${many} ${statement}`).run(values);
}

const MANY_PROVIDERS = `INSERT INTO accounts (id, email, email_key, username, full_name, is_service_provider,
    password_hash, total_tips_received_cents, total_tips_given_cents, created_at_ms)
  SELECT printf('usr_0%05d', i), i, i, i, i, 1, 'none', 0, 0, :nowMs FROM many`;

/** @returns what an act comes to, and how often others had their turn meanwhile. */
async function countTurns<Result>(act: () => Promise<Result>) {
  let turns = 0;
  let isOver = false;
  const take = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(take);
  };
  setImmediate(take);
  const result = await act();
  isOver = true;
  return { result, turns };
}

test('others have their turn while what is due is looked for among many, and the last of it is found', async () => {
  const { database, storage, setTheScene } = await createSqliteLedger();
  const { provider, tip } = await setTheScene();
  await storage.recordTip(tip());
  const insertMany = (statement: string) =>
    insertTimes(database, MANY, statement, { id: provider.id, nowMs: START_MS });
  const tokenHash = Buffer.alloc(32);
  const session = { tokenHash, userId: provider.id, createdAtMs: START_MS, expiresAtMs: START_MS * 2 };
  await storage.createSession({ ...session, device: '' }, 'none', START_MS);
  insertMany(`INSERT INTO push_devices (id, user_id, session_hash, endpoint, p256dh, auth, with_words, created_at_ms,
      notified_position, next_try_ms, tries, claimed_until_ms)
    SELECT printf('dev_%05d', i), :id, zeroblob(32), 'https://push.example.com/' || i, zeroblob(65), zeroblob(16), 0,
      :nowMs, 1, 0, 0, 0 FROM many`);
  insertMany(`INSERT INTO webhooks (id, user_id, url, kinds, secret, created_at_ms, position, number, is_told,
      next_try_ms, tries, claimed_until_ms, delivery_count)
    SELECT printf('whk_%05d', i), :id, 'https://example.com', 'tip.received', zeroblob(24), :nowMs, 1, 9, 1, 0, 0, 0, 0
    FROM many`);
  insertMany(MANY_PROVIDERS);

  const due = { nowMs: START_MS, leaseMs: 1, maxWaitMs: 1, atMost: 9, accounts: null };
  const acts = {
    devices: () => storage.devices.claimDue(due),
    webhooks: () => storage.webhooks.claimDue(due),
    readers: () => storage.events.listMonthlyReaders('', 0, 9),
  };
  for (const [name, act] of Object.entries(acts)) {
    const { turns } = await countTurns<unknown>(act);
    expect(turns, name).toBeGreaterThanOrEqual(2);
  }
  for (const table of ['push_devices', 'webhooks']) {
    const column = table === 'webhooks' ? 'position' : 'notified_position';
    database.exec(`UPDATE ${table} SET ${column} = 0 WHERE id LIKE '%_00001' OR id LIKE '%_0${MANY}'`);
  }
  expect((await acts.devices()).map(({ id }) => id)).toEqual(['dev_00001', `dev_0${MANY}`]);
  expect((await acts.webhooks()).map(({ id }) => id)).toEqual(['whk_00001', `whk_0${MANY}`]);
  expect((await acts.readers()).map(({ userId }) => userId)).toEqual([provider.id]);
});

test('others have their turn while many are looked at for whom nothing is to be done', async () => {
  const { database, storage } = await createSqliteLedger();
  // More than two pages of providers, and of rows of the audit log.
  const providers = 250;
  insertTimes(database, providers, MANY_PROVIDERS, { nowMs: START_MS });
  database.exec(`
    INSERT INTO noted_events (user_id, number, position, id, kind, subject, created_at_ms)
      SELECT id, 1, 0, id, 'statement.ready', '2026-04', ${START_MS} FROM accounts;
    INSERT INTO tip_entries (transaction_sequence, cents, balance_after_cents, created_at_ms, account, position, kind)
      SELECT 1, 1, 1, ${START_MS}, number, 1, 1 FROM accounts;
    INSERT INTO mail_settings (user_id, confirmed_at_ms, monthly_statement, time_zone, stated_month, marks_from_ms)
      SELECT id, 1, 1, 'UTC', '2026-04', 0 FROM accounts`);
  insertTimes(
    database,
    2_500,
    `INSERT INTO audit_log (number, at_ms, actor_kind, actor_name, host, action, subject, reason, hash)
      SELECT i, :nowMs, 'command', 'ops', 'bar', 'suspend', 'usr_1', NULL, printf('%064d', i) FROM many`,
    { nowMs: START_MS },
  );
  const clock = () => START_MS;
  const mail = createMail({
    storage,
    clock,
    random: randomBytes,
    log: pino({ enabled: false }),
    publicUrl: 'https://tips.example.com',
    contact: null,
    relay: { domain: 'example.com', send: () => Promise.reject(new Error('nothing is due')), close() {} },
    letterhead: PLAIN_LETTERHEAD,
    key: randomBytes(32),
    receiptUrlOf: () => '',
    sumsOf: () => Promise.reject(new Error('no letter is written')),
    modeOf: async () => null,
    entriesOf: async () => ({ entries: [], nextCursor: null, dayStartHour: 0 }),
  });
  expect(await storage.events.listMonthlyReaders('', START_MS, MANY)).toHaveLength(providers);
  expect(await storage.mails.listStatementReaders('', MANY)).toHaveLength(providers);
  const acts = {
    events: () => noteMonthlyStatements(storage, clock),
    mails: () => mail.sweep(),
    audit: () => checkAllRows(storage.audit),
  };
  for (const [name, act] of Object.entries(acts)) {
    const { turns } = await countTurns<unknown>(act);
    expect(turns, name).toBeGreaterThanOrEqual(2);
  }
});
