/** What the console tells of the server, of its backups and of what operators did, on either engine. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createBackupSchedule, type MadeBackup } from '#server/backup-schedule.ts';
import { createBackupKeeper } from '#server/backups.ts';
import { parseConfig } from '#server/config.ts';
import { measure } from '#server/measures.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createTroubles } from '#server/troubles.ts';
import { explainFailure } from '#server/upkeep/backup-desk.ts';
import { createHealth } from '#server/upkeep/health.ts';
import { newUserId } from '#shared/ids.ts';
import { createOperator } from '#tests/support/operators.ts';
import { START_MS } from '#tests/support/people.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createTestData, isOnSqlite } from '#tests/support/test-data.ts';

const PAST = `7:${'0123456789abcdef'.repeat(2)}`;
const HOUR_MS = 3_600_000;
const NONE = { waiting: 0, failing: 0, oldestAtMs: null };
const NO_OUTBOXES = { mails: NONE, notifications: NONE, payments: NONE, webhooks: NONE };

/** Backups that are made as `backUp` says at the moment. */
function createBackups() {
  const making: { backUp: (file: string) => Promise<MadeBackup> } = {
    async backUp(file) {
      writeFileSync(file, 'a backup');
      return { past: PAST, differing: [], problems: [] };
    },
  };
  const clock = () => START_MS;
  const folder = join(temporaryFolder(), 'backups');
  const schedule = createBackupSchedule({
    folder,
    extension: '.db',
    clock,
    isNew: false,
    backUp: (file) => making.backUp(file),
    readPast: async () => null,
  });
  const troubles = createTroubles(clock);
  const deps = { log: pino({ level: 'silent' }), troubles, clock };
  return { folder, making, keeper: createBackupKeeper(schedule, deps, new AbortController().signal) };
}

describe('health', () => {
  /** A server of its own, without a session that a database which does not answer could not find. */
  async function openHealth(changes: Partial<Storage> = {}, env: Record<string, string> = {}) {
    const data = await createTestData();
    const storage = Object.assign(await data.openStorage(), changes);
    const clock = { nowMs: START_MS };
    const now = () => clock.nowMs;
    const troubles = createTroubles(now);
    const config = parseConfig({ PUBLIC_URL: 'https://tips.example.com', ...env });
    const { keeper, making } = createBackups();
    const mode = { paymentMode: 'simulated', ...(changes.measureDatabase && { patienceMs: 50 }) };
    const health = createHealth({ config, storage, troubles, clock: now, backups: keeper, ...mode });
    const told = async () =>
      (await health.read(0)).problems.map(({ urgency, text }) => `${urgency}: ${text}`);
    return { data, clock, troubles, keeper, making, health, told };
  }

  test('is one calm answer where nothing is wrong, and the same that the parts know', async () => {
    const { keeper } = createBackups();
    await keeper.tick();
    const t = await createTestApp({ backups: keeper });
    const { console } = await createOperator(t);
    const { provider, customer, code } = await t.setTheScene();
    await customer.trpc.transactions.create.mutate({
      amountCents: 2_000,
      receiverQrId: code.id,
      serviceCategory: 'bartender',
    });
    const found = await console.health.read.query();
    expect(found).toMatchObject({
      problems: [],
      database: { engine: 'SQLite', tips: 1 },
      ledger: { checkedAt: null, addsUp: null, noted: { past: PAST } },
      backup: { isMade: true, failedAt: null },
      outboxes: { mails: { waiting: 0, failing: 0, oldestAt: null } },
      streams: 0,
      process: { pid: process.pid, isShared: !isOnSqlite() },
    });
    expect(found.database?.bytes).toBeGreaterThan(10_000);
    expect(found.settings).toContainEqual({ name: 'Payments', value: 'simulated' });
    expect(JSON.stringify(found)).not.toContain(provider.user.email);
  });

  test('says what is wrong, the most urgent first, since when, and what to do', async () => {
    const { health, troubles, clock, told } = await openHealth();
    troubles.begin('late');
    clock.nowMs += HOUR_MS / 12;
    troubles.begin('ledger');
    measure('ledgerCheck', { isSound: false });
    const { problems, ledger } = await health.read(0);
    expect(problems.map(({ urgency, text, since, part }) => [urgency, text, since, part])).toEqual([
      ['now', 'The ledger does not add up.', '2026-05-15T12:05:00.000Z', null],
      ['soon', 'The newest backup is more than 26 hours old.', '2026-05-15T12:00:00.000Z', 'backups'],
    ]);
    expect(problems.every(({ action }) => action.length > 10)).toBe(true);
    expect(ledger).toMatchObject({ addsUp: false, checkedAt: '2026-05-15T12:05:00.000Z' });
    troubles.end('late');
    troubles.end('ledger');
    measure('ledgerCheck', { isSound: true });
    expect(await told()).toEqual([]);
    clock.nowMs += HOUR_MS / 4 + 1;
    expect(await told()).toEqual(['now: The ledger was not checked for 15 minutes.']);
  });

  test('says why the last backup failed, until one is made', async () => {
    const { keeper, making, troubles, health } = await openHealth();
    const { backUp } = making;
    making.backUp = () => Promise.reject(new Error('ENOSPC: no space left on device'));
    await keeper.tick();
    troubles.begin('backup');
    expect((await health.read(0)).problems).toMatchObject([
      { urgency: 'soon', text: 'The disk of the backups is full.', part: 'backups' },
    ]);
    making.backUp = backUp;
    await keeper.tick();
    troubles.end('backup');
    expect((await health.read(0)).problems).toEqual([]);
  });

  test.each([
    ['mails', 'soon: 2 mails are not getting through.'],
    ['payments', 'soon: Payments are waiting for Stripe.'],
    ['webhooks', null],
    ['notifications', null],
  ])('says that %s are stuck when their owners cannot know it', async (name, sentence) => {
    const stuck = { waiting: 3, failing: 2, oldestAtMs: START_MS - HOUR_MS };
    const { told } = await openHealth({ readOutboxes: async () => ({ ...NO_OUTBOXES, [name]: stuck }) });
    expect(await told()).toEqual(sentence === null ? [] : [sentence]);
  });

  test('says that mails are stuck that nobody has tried for an hour', async () => {
    const waiting = { waiting: 3, failing: 0, oldestAtMs: START_MS - HOUR_MS };
    const { told, clock } = await openHealth({
      readOutboxes: async () => ({ ...NO_OUTBOXES, mails: waiting }),
    });
    expect(await told()).toEqual(['soon: Mails are not getting through.']);
    clock.nowMs -= 1;
    expect(await told()).toEqual([]);
  });

  test('says what payments leave to an operator, with sums and the first deadline', async () => {
    const { health, troubles } = await openHealth();
    const signs = {
      currency: 'USD',
      exponent: 2,
      owedByReceivers: { count: 2, cents: 1_940 },
      owedToGivers: { count: 1, cents: 2_100 },
      owedToReceivers: { count: 1, cents: 1_050 },
      disputes: { count: 2, answerBy: '2026-05-22T12:00:00.000Z' },
      uncaptured: 1,
      restricted: 3,
      unknown: 1,
      clockOffsetMs: -75_000,
    };
    const all = [
      'unanswered',
      'pages',
      'owed',
      'unreturned',
      'undelivered',
      'dispute',
      'unknown',
      'uncaptured',
      'unheard',
      'clock',
    ] as const;
    for (const trouble of all) troubles.begin(trouble);
    const { problems } = await health.read(0, signs);
    const rules = readFileSync('deploy/prometheus-rules.yml', 'utf8');
    const [, consequence] = /summary: "Stripe does not answer [^"]*:( [^"]+)"/.exec(rules) ?? [];
    expect(problems.map(({ urgency, text }) => `${urgency}: ${text}`)).toEqual([
      `now: Stripe does not answer, or refuses the key:${consequence}`,
      'now: Stripe refuses to begin payments: nobody may be able to tip.',
      'soon: 19.40 USD went back to customers, and providers still have their part of it.',
      'soon: Refunds of 21.00 USD did not reach their customers.',
      'soon: Disputes over 10.50 USD were won, and providers do not have their part of it.',
      'soon: 2 payments are disputed. Answer by 2026-05-22 12:00 UTC.',
      'soon: 1 payment at Stripe is not in the database.',
      'soon: 1 tip was not charged in time.',
      'soon: Payments or accounts changed at Stripe, and Stripe did not tell this server.',
      'soon: The clock of this machine is 75 seconds ahead of Stripe’s.',
      expect.stringContaining(
        'note: Stripe has restricted the accounts of 3 providers who were paid before.',
      ),
    ]);
    expect(problems.every(({ urgency, action }) => urgency === 'note' || action.length > 10)).toBe(true);
    // Before the first look there are no sums.
    expect((await health.read(0)).problems.map(({ text }) => text)).toContain(
      'A customer disputes a payment.',
    );
  });

  test('is answered also while the database is not, or hangs, or takes nothing', async () => {
    const broken = await openHealth();
    await broken.data.setFault('gone');
    expect(await broken.told()).toEqual(['now: The database does not answer.']);
    await broken.data.setFault(null);
    const full = await openHealth({
      proveWritable: () => Promise.reject(new Error('no', { cause: new Error('database or disk is full') })),
    });
    expect((await full.health.read(0)).problems).toMatchObject([
      {
        text: 'Nothing can be saved: tips are refused.',
        action: expect.stringContaining('database or disk is full'),
      },
    ]);
    const hanging = await openHealth({ measureDatabase: () => new Promise(() => {}) });
    expect(await hanging.told()).toEqual(['now: The database does not answer.']);
  });

  test('notes maintenance and what the settings warn of', async () => {
    const { told } = await openHealth(
      {},
      { MAINTENANCE: 'on', PUBLIC_URL: 'http://localhost:3000', NODE_ENV: 'production' },
    );
    expect(await told()).toEqual([
      'note: Maintenance is on: tips and refunds are paused.',
      expect.stringContaining('note: PUBLIC_URL is http://localhost:3000'),
    ]);
  });
});

describe('backups', () => {
  test('are listed, and made when an operator asks: one at a time, in the audit log, and what comes of it is told', async () => {
    const { keeper, making, folder } = createBackups();
    await keeper.tick();
    const t = await createTestApp({ backups: keeper, config: { backupFolder: folder } });
    const { console, operator } = await createOperator(t);
    const fail: ((reason: string) => void)[] = [];
    const { backUp } = making;
    making.backUp = () => new Promise((_, reject) => void fail.push((reason) => reject(new Error(reason))));
    const make = () => console.backups.make.mutate({ reason: 'Before the upgrade' });
    expect(await make()).toEqual({ outcome: 'begun' });
    expect(await make()).toEqual({ outcome: 'busy' });
    expect((await console.backups.read.query()).begunAt).toBe('2026-05-15T12:00:00.000Z');
    await expect.poll(() => fail).toHaveLength(1);
    fail[0]?.('EACCES: permission denied, open');
    await expect.poll(async () => (await console.backups.read.query()).begunAt).toBeNull();
    expect((await console.backups.read.query()).failure).toMatchObject({
      text: 'The server may not write to the folder of the backups.',
      said: 'EACCES: permission denied, open',
    });
    making.backUp = backUp;
    expect(await make()).toEqual({ outcome: 'begun' });
    await expect.poll(async () => (await console.backups.read.query()).kept).toHaveLength(2);
    const { folder: place, kept, failure } = await console.backups.read.query();
    expect([place, failure]).toEqual([folder, null]);
    expect(kept[0]).toMatchObject({
      name: 'tipwell-000002-2026-05-15.db',
      past: PAST,
      tips: 7,
      isOther: false,
      bytes: 'a backup'.length,
    });
    const row = { actorName: operator.email, action: 'backup_made', reason: 'Before the upgrade' };
    expect(await t.storage.audit.list({ after: 0, sinceMs: 0, atMost: 9 })).toMatchObject([row, row]);
  });

  test('are not made where none are configured', async () => {
    const t = await createTestApp();
    const { console } = await createOperator(t);
    expect(await console.backups.make.mutate({ reason: 'A try' })).toEqual({ outcome: 'off' });
    expect(await console.backups.read.query()).toMatchObject({ folder: null, kept: [], failure: null });
    expect(await t.storage.audit.list({ after: 0, sinceMs: 0, atMost: 9 })).toEqual([]);
  });

  test.each([
    ['Cannot write the backup /b/t.db: database or disk is full', 'The disk of the backups is full.'],
    ['ENOSPC: no space left on device, write', 'The disk of the backups is full.'],
    ["EROFS: read-only file system, mkdir '/b'", 'The server may not write to the folder of the backups.'],
    ["ENOTDIR: not a directory, mkdir '/b'", 'The folder of the backups is not there, or cannot be used.'],
    [
      'db-backup did not come to an end within 120 minutes, and was ended',
      'The backup took more than two hours and was ended.',
    ],
    [
      '/b/t.db.unfinished cannot be trusted. Damaged: page 3',
      'The copy was checked and found wrong: the data itself may be damaged.',
    ],
    [
      'Cannot back up tips: that takes pg_dump and pg_restore of PostgreSQL 18',
      'The program that copies PostgreSQL failed, or is not installed.',
    ],
    ['the moon was full', 'The backup could not be written.'],
  ])('that failed with %j are explained', (reason, text) => {
    expect(explainFailure({ atMs: START_MS, reason })).toMatchObject({ text, said: reason });
  });
});

test('the audit log is read from its newest row, page by page, by what it is filtered for, and as CSV', async () => {
  const t = await createTestApp();
  const { console, operator } = await createOperator(t);
  const actor = { kind: 'command', name: 'ops (as tipwell)', host: 'bar' } as const;
  const subject = newUserId(() => new Uint8Array(26));
  for (let minute = 0; minute < 120; minute += 1)
    await t.storage.audit.note({
      actor: minute === 7 ? { kind: 'operator', name: operator.email, host: '192.0.2.1' } : actor,
      action: minute % 2 === 0 ? 'backup_made' : 'password_reset',
      subject: minute % 2 === 0 ? null : subject,
      reason: minute === 7 ? '=1+1, "quoted"' : null,
      atMs: START_MS + minute * 60_000,
    });
  const first = await console.audit.list.query({});
  expect([first.rows.length, first.rows[0]?.number, first.nextCursor]).toEqual([50, 120, 71]);
  const last = await console.audit.list.query({ cursor: 21 });
  expect([last.rows.length, last.nextCursor]).toEqual([20, null]);
  expect((await console.audit.list.query({ actor: operator.email })).rows).toEqual([
    {
      number: 8,
      at: '2026-05-15T12:07:00.000Z',
      actorKind: 'operator',
      actor: operator.email,
      host: '192.0.2.1',
      action: 'password_reset',
      text: 'Replaced a password',
      subject,
      reason: '=1+1, "quoted"',
    },
  ]);
  const since = '2026-05-15T12:03:00Z';
  const until = '2026-05-15T12:08:00Z';
  const numbersOf = async (filter: Parameters<typeof console.audit.list.query>[0]) =>
    (await console.audit.list.query(filter)).rows.map(({ number }) => number);
  expect(await numbersOf({ since, until })).toEqual([8, 7, 6, 5, 4]);
  expect(await numbersOf({ since, until, action: 'backup_made' })).toEqual([7, 5]);
  expect(await numbersOf({ since, until, subject: ` ${subject} ` })).toEqual([8, 6, 4]);
  expect(await numbersOf({ subject: 'usr_nobody' })).toEqual([]);

  const { actors, actions } = await console.audit.choices.query();
  expect(actors).toEqual([operator.email, actor.name].sort());
  expect(actions).toContainEqual({ action: 'report_settled', text: 'Settled a report' });
  expect(await console.audit.check.query()).toMatchObject({
    firstWrong: null,
    rows: 120,
    note: expect.stringMatching(/^120:[0-9a-f]{64}$/),
  });
  const { csv, fileName, isCut } = await console.audit.csv.query({ since, until });
  expect([fileName, isCut]).toEqual(['tipwell-audit-log-2026-05-15.csv', false]);
  const lines = csv.trimEnd().split('\r\n');
  expect(lines).toHaveLength(6);
  expect(lines[1]).toBe(
    `8,2026-05-15T12:07:00.000Z,${operator.email},192.0.2.1,password_reset,Replaced a password,${subject},"'=1+1, ""quoted"""`,
  );
});
