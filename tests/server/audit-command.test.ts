/**
 * What operators do by commands stands in the audit log: every command has its rows, or a reason why it has
 * none, and `npm run audit` shows and checks them.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { AUDIT_ACTIONS, type AuditAction } from '#server/storage/port/audit.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { attemptsAccountOf } from '#server/storage/rules/accounts.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { newApiKeyId, newInvitationId, type TransactionId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { runHere } from '#tests/support/commands.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { addOperator } from '#tests/support/operators.ts';
import { payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { createPeople } from '#tests/support/people.ts';
import { runToEnd, stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const EMAIL = 'pat@example.com';
const OPERATOR = 'ops@example.com';

interface Scene {
  readonly path: string;
  readonly folder: string;
  readonly accountId: string;
  readonly reported: TransactionId;
  /** A tip whose receiver owes something, and to both of whose people something is owed. */
  readonly owed: TransactionId;
  readonly invitation: string;
  readonly operatorId: string;
  readonly code: string;
}

/** Data in which each command finds something to do. */
async function openScene(): Promise<Scene> {
  const path = createMigratedFile();
  const folder = dirname(path);
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  const { setTheScene } = createPeople(storage);
  const { provider, code, tip } = await setTheScene();
  const said = { ...tip(), giverMessage: { message: 'Hi', giverName: null, isRefused: false } };
  await storage.recordTip(said);
  await storage.messages.reportMessage(provider.id, said.id, 1);
  const paid = tip();
  await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), 1);
  await payTip(storage, paid);
  const debts = {
    owedByReceiverCents: cents(2_100),
    owedToGiverCents: cents(50),
    owedToReceiverCents: cents(7),
    settledByReceiverCents: cents(0),
  };
  const known = {
    state: 'succeeded',
    adjustments: [],
    owedByReceiverCents: cents(0),
    owedToGiverCents: cents(0),
    owedToReceiverCents: cents(0),
    settledByReceiverCents: cents(0),
    settledToGiverCents: cents(0),
    settledToReceiverCents: cents(0),
  } as const;
  await storage.payments.adjustPayment(paid.id, { adjustments: [], known, ...debts }, 1, 1);
  const id = newInvitationId(randomBytes);
  const invitation = { id, emailKey: null, maxUses: 1, usesLeft: 1, expiresAtMs: Date.now() + 3_600_000 };
  await storage.invitations.add({ ...invitation, tokenHash: randomBytes(32) });
  const { operator } = await addOperator(storage, Date.now(), { email: OPERATOR });
  await storage.close();
  const ids = { accountId: provider.id, invitation: id, operatorId: operator.id };
  return { path, folder, reported: said.id, owed: paid.id, code, ...ids };
}

/** A session, an API key and a failed login of somebody, which a command before may have ended. */
async function letIn(storage: Storage): Promise<void> {
  const found = await storage.findCredentials(EMAIL);
  if (found) {
    const { account, passwordHash } = found;
    const times = { createdAtMs: Date.now(), expiresAtMs: Date.now() + 600_000 };
    const { createdAtMs, expiresAtMs } = times;
    const userId = account.id;
    const session = { tokenHash: randomBytes(32), userId, createdAtMs, expiresAtMs, device: '' };
    expect(await storage.createSession(session, passwordHash, 99)).toBe('created');
    const id = newApiKeyId(randomBytes);
    const key = { id, userId, keyHash: randomBytes(32), name: 'Till', scopes: ['tips:read'] } as const;
    const shown = { addresses: [], ending: 'abcd' };
    expect(await storage.apiKeys.add(Object.assign(times, key, shown), 99)).toBe('added');
    const first = { recoveryHashes: [randomBytes(32)], nowMs: createdAtMs };
    const holder = { kind: 'account', id: userId } as const;
    await storage.factors.beginTotp(holder, randomBytes(48), createdAtMs);
    const waiting = (await storage.factors.findTotp(holder))?.waiting ?? randomBytes(48);
    expect(await storage.factors.confirmTotp(holder, waiting, 1, first)).not.toBe('stale');
    const attempt = { limit: 'login', account: attemptsAccountOf(EMAIL), address: '', maxCount: 99 };
    await storage.takeAttempt([Object.assign(attempt, { windowMs: 600_000 })], createdAtMs);
  }
}

/** The words of a command, the row that it leaves, and whom that is about. */
type Case = readonly [
  words: (scene: Scene) => readonly string[],
  action: AuditAction | null,
  subject?: ((scene: Scene) => string) | undefined,
];

const whom = ({ accountId }: Scene) => accountId;
const nobody = undefined;

/**
 * Each command: why it leaves no row, or a case for each way in which its usage says that it is called. Those
 * that are called after others find what these have left.
 */
const COMMANDS: Readonly<Record<string, string | Readonly<Record<string, Case>>>> = {
  account: {
    'reset-password EMAIL': [() => ['reset-password', EMAIL], 'password_reset', whom],
    'unlock EMAIL': [() => ['unlock', EMAIL], 'logins_unlocked', whom],
    'end-sessions EMAIL': [() => ['end-sessions', EMAIL], 'sessions_ended', whom],
    'end-sessions --all': [() => ['end-sessions', '--all'], 'all_sessions_ended', nobody],
    'end-keys EMAIL': [() => ['end-keys', EMAIL], 'api_keys_ended', whom],
    'show PERSON': [() => ['show', EMAIL], null],
    'export EMAIL --to FILE': [
      ({ folder }) => ['export', EMAIL, '--to', join(folder, 'export.zip')],
      'account_exported',
      whom,
    ],
    'send-link EMAIL': [() => ['send-link', EMAIL], 'password_link_made', whom],
    'remove-factors EMAIL': [() => ['remove-factors', EMAIL], 'factors_removed', whom],
    'suspend EMAIL --reason TEXT': [() => ['suspend', EMAIL], 'account_suspended', whom],
    'lift EMAIL': [() => ['lift', EMAIL], 'suspension_lifted', whom],
    'close EMAIL': [() => ['close', EMAIL], 'account_closed', whom],
    'renew-keys': [() => ['renew-keys'], 'installation_keys_renewed', nobody],
  },
  announce: {
    '"TEXT"': [() => ['The bar opens at 8.'], 'announcement_made'],
    show: [() => ['show'], null],
    end: [() => ['end'], 'announcement_ended'],
  },
  audit: 'reads the log',
  code: {
    'find CODE_OR_LINK': [({ code }) => ['find', code], null],
    'stop CODE_OR_LINK': [({ code }) => ['stop', code], 'code_stopped', ({ code }) => code],
  },
  'db-backup': 'changes nothing: whoever reads the data could copy it without the command',
  'db-check': 'reads',
  'db-keep-backups': 'makes backups as the server does',
  'db-move': 'leaves its row in another database (postgres-move.test.ts)',
  'db-restore': {
    FILE: [({ folder }) => [join(folder, 'backup')], 'database_restored', nobody],
  },
  fees: 'reads',
  invite: {
    '': [() => [], 'invitation_made'],
    list: [() => ['list'], null],
    'revoke ID': [
      ({ invitation }) => ['revoke', invitation],
      'invitation_revoked',
      ({ invitation }) => invitation,
    ],
  },
  mail: 'sends a test to an address that is named, and keeps nothing',
  operator: {
    'add EMAIL': [() => ['add', EMAIL], 'operator_added'],
    list: [() => ['list'], null],
    'link EMAIL': [() => ['link', OPERATOR], 'operator_link_made', ({ operatorId }) => operatorId],
    'remove EMAIL': [() => ['remove', OPERATOR], 'operator_removed', ({ operatorId }) => operatorId],
  },
  payments: 'reads, here and at the payment service',
  reports: {
    'done TRANSACTION_ID': [
      ({ reported }) => ['done', reported],
      'report_settled',
      ({ reported }) => reported,
    ],
  },
  terms: {
    show: [() => ['show'], null],
    set: [() => ['set', '--giver-fee', '2'], 'terms_set'],
  },
  tip: {
    'find ID_OR_LINK': [({ reported }) => ['find', reported], null],
    'refund ID_OR_LINK': [({ reported }) => ['refund', reported], 'tip_refunded', ({ reported }) => reported],
    'mark-paid ID_OR_LINK': [({ owed }) => ['mark-paid', owed], 'refund_paid_otherwise', ({ owed }) => owed],
    'mark-provider-paid ID_OR_LINK': [
      ({ owed }) => ['mark-provider-paid', owed],
      'dispute_paid_otherwise',
      ({ owed }) => owed,
    ],
    'write-off ID_OR_LINK': [({ owed }) => ['write-off', owed], 'debt_written_off', ({ owed }) => owed],
    waiting: [() => ['waiting'], null],
  },
};

/** The ways in which a command is called, without what may be left out. */
async function usageOf(name: string): Promise<readonly string[]> {
  const { stderr } = await runHere(nameOf(name), { DATABASE_URL: 'x.db' }, ['--nonsense']);
  const [, usage = ''] = /Usage: npm run \S+((?:.|\n)*)/.exec(stderr) ?? [];
  const short = usage.replaceAll(/ ?\[--\w[^\]]*\]/g, '').replaceAll(/\[?--(?=\s)|\]|\n/g, '');
  return short.split('|').map((way) => way.trim());
}

type Name = Parameters<typeof runHere>[0];

function nameOf(name: string): Name {
  const names: Readonly<Record<string, Name>> = {
    account: 'account',
    announce: 'announce',
    code: 'code',
    'db-restore': 'db-restore',
    invite: 'invite',
    operator: 'operator',
    reports: 'reports',
    terms: 'terms',
    tip: 'tip',
  };
  const known = names[name];
  if (known === undefined) throw new Error(`there is no way to run ${name}`);
  return known;
}

const beside = (path: string) => databaseAt({ engine: 'sqlite', path }).openForCommand();

const rowsOf = ({ audit }: Storage) => audit.list({ after: 0, sinceMs: 0, atMost: 1_000 });

async function rowsIn(path: string) {
  const storage = await beside(path);
  try {
    return await rowsOf(storage);
  } finally {
    await storage.close();
  }
}

/** Rows of acts that no command here leaves: on another database, or by an operator in the console. */
const LEFT_ELSEWHERE: readonly AuditAction[] = [
  'database_moved',
  'backup_made',
  'operator_enrolled',
  'operator_factors_changed',
];

test('every command that there is has its rows, or a reason why it has none', async () => {
  const main = readFileSync('src/server/main.ts', 'utf8');
  const names = [...main.matchAll(/^ {2}'?([\w-]+)'?: async \(\) =>/gm)].map(([, name]) => name);
  expect(names).toContain('db-restore');
  expect(names).toEqual(Object.keys(COMMANDS));
  // What only a page does (console-audit.test.ts), and what has a row elsewhere.
  const actions: (AuditAction | null)[] = [...LEFT_ELSEWHERE];
  for (const [name, cases] of Object.entries(COMMANDS)) {
    if (typeof cases === 'string') continue;
    expect(await usageOf(name), name).toEqual(Object.keys(cases));
    actions.push(...Object.values(cases).map(([, action]) => action));
  }
  expect(actions.filter((action) => action !== null).sort()).toEqual([...AUDIT_ACTIONS].sort());
});

/** They are about what they make or end, which nobody knows before. */
const OWN_SUBJECTS: Partial<Readonly<Record<AuditAction, RegExp>>> = {
  invitation_made: /^inv_/,
  operator_added: /^opr_/,
  announcement_made: /^from \S+Z: The bar opens at 8\.$/,
  announcement_ended: /^from \S+Z: The bar opens at 8\.$/,
  terms_set: /^version 1, from \S+Z$/,
};

const CASES = Object.entries(COMMANDS).flatMap(([name, cases]) =>
  typeof cases === 'string' ? [] : Object.values(cases).map((one) => ({ name, one })),
);

test('every way to call a command leaves its row with its reason, and none where nothing was done', async () => {
  const scene = await openScene();
  const env = { DATABASE_URL: scene.path };
  await runHere('db-backup', env, [join(scene.folder, 'backup')]);
  const last = ({ name, one: [, action] }: (typeof CASES)[number]) =>
    name === 'db-restore' ? 2 : action === 'account_closed' ? 1 : 0;
  // One connection beside all commands, but for the restore, which needs the database for itself.
  const storage = await beside(scene.path);
  for (const { name, one } of CASES.toSorted((a, b) => last(a) - last(b))) {
    const [wordsOf, action, subjectOf] = one;
    const words = wordsOf(scene);
    const isRestore = name === 'db-restore';
    if (!isRestore) await letIn(storage);
    const why = action === null ? [] : ['--reason', `  because of\n "${name}"  `];
    const before = isRestore ? [] : await rowsOf(storage);
    if (isRestore) await storage.close();
    expect(await runHere(nameOf(name), env, [...words, ...why]), words.join(' ')).toMatchObject({ code: 0 });
    const after = isRestore ? await rowsIn(scene.path) : await rowsOf(storage);
    const added = after.slice(before.length);
    // The backup has the operator whom a command before has removed.
    const removedAgain = isRestore ? ['operator_removed'] : [];
    expect(
      added.map((row) => row.action),
      words.join(' '),
    ).toEqual(action === null ? [] : [action, ...removedAgain]);
    if (action === null) continue;
    const reason = `because of "${name}"`;
    expect(added[0]).toMatchObject({ actorKind: 'command', actorName: 'ops', host: 'bar', reason });
    if (subjectOf) expect(added[0]?.subject).toBe(subjectOf(scene));
    else expect(added[0]?.subject ?? '').toMatch(OWN_SUBJECTS[action] ?? /^$/);
  }
});

test('what is done to nobody leaves no row', async () => {
  const { path } = await openScene();
  const run = (name: Name, ...words: string[]) => runHere(name, { DATABASE_URL: path }, words);
  expect((await run('account', 'close', 'nobody@example.com')).code).toBe(1);
  expect((await run('account', 'unlock', EMAIL)).code).toBe(0);
  expect((await run('account', 'end-sessions', EMAIL)).code).toBe(0);
  expect(await run('account', 'suspend', EMAIL)).toMatchObject({
    code: 1,
    stderr: '--reason is needed: the owner of the account reads it.\n',
  });
  expect((await run('account', 'lift', EMAIL)).code).toBe(0);
  expect((await run('announce', 'end')).code).toBe(1);
  expect((await run('invite', 'revoke', 'inv_0')).code).toBe(1);
  expect((await run('reports', 'done', 'txn_0')).code).toBe(1);
  expect((await run('terms', 'set')).code).toBe(1);
  expect((await run('tip', 'refund', 'txn_0')).code).toBe(1);
  expect((await run('code', 'stop', 'ABCDE-FGHJK')).code).toBe(1);
  expect(await run('audit')).toEqual({
    code: 0,
    stdout: 'Nothing of this is in the audit log.\n',
    stderr: '',
  });
  expect(await rowsIn(path)).toEqual([]);
});

test.each([
  [' \n ', '--reason takes a text'],
  ['bell \u0007', '--reason takes a text'],
  ['turned \u202e around', '--reason takes a text'],
  ['x'.repeat(501), 'A reason has at most 500 characters. This has 501.'],
  ['asked by pat@example.com', 'name no email in it'],
])('the reason %j is refused, and nothing is done', async (reason, told) => {
  const { path } = await openScene();
  const refused = await runHere('account', { DATABASE_URL: path }, ['close', EMAIL, '--reason', reason]);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(told) });
  expect(await rowsIn(path)).toEqual([]);
});

test('a command that runs as a program names the user and the machine', async () => {
  const { path } = await openScene();
  const env = { DATABASE_URL: path };
  expect(await runToEnd('account', env, ['renew-keys'])).toMatchObject({ code: 0 });
  const sudo = { DATABASE_URL: path, SUDO_USER: 'anna' };
  expect(await runToEnd('account', sudo, ['renew-keys'])).toMatchObject({ code: 0 });
  const { username } = userInfo();
  expect(await rowsIn(path)).toMatchObject([
    { actorName: username, host: hostname(), reason: null },
    { actorName: `anna (as ${username})`, host: hostname(), reason: null },
  ]);
});

test('npm run audit lists what was done, to whom and since when, without an email', async () => {
  const { path, accountId } = await openScene();
  const run = (name: Name, ...words: string[]) => runHere(name, { DATABASE_URL: path }, words);
  await run('account', 'reset-password', EMAIL, '--reason', 'Lost the phone');
  await run('announce', 'The bar opens at 8.');
  const lines = (await run('audit')).stdout.split('\n');
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC/;
  const times = /\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC|T\S+Z)/g;
  expect(lines.map((line) => line.replaceAll(times, 'TIME'))).toEqual([
    `1  TIME  password_reset  ${accountId}`,
    '  what Replaced a password',
    '  by   ops, on bar',
    '  why  "Lost the phone"',
    '2  TIME  announcement_made  from TIME: The bar opens at 8.',
    '  what Made an announcement',
    '  by   ops, on bar',
    '  why  no reason was given',
    '',
  ]);
  const first = `${lines.slice(0, 4).join('\n')}\n`;
  expect(lines[0]?.slice(3)).toMatch(time);
  for (const about of [accountId, ` ${EMAIL.toUpperCase()} `])
    expect((await run('audit', '--about', about)).stdout).toBe(first);
  expect((await run('audit', 'list', '--since', '2026-01-01')).stdout).toBe(lines.join('\n'));
  expect((await run('audit', '--since', '2999-01-01')).stdout).toBe('Nothing of this is in the audit log.\n');
  expect(lines.join()).not.toContain('@');
  for (const words of [['nonsense'], ['check', '--about', 'x'], ['list', '--digest', 'x'], ['list', 'x']])
    expect(await run('audit', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Usage:'),
    });
  expect((await run('audit', '--about', 'nobody@example.com')).stderr).toContain('There is no account');
  expect((await run('audit', 'check', '--digest', '2:abc')).stderr).toContain(
    '--digest takes what was noted',
  );
});

const CHANGED = 'Row 1 of the audit log does not follow from the one before: somebody has changed the log.\n';

test('npm run audit -- check and db:check find a row that was changed, and a note one that was cut off', async () => {
  const { path, folder } = await openScene();
  const run = (name: Name, ...words: string[]) => runHere(name, { DATABASE_URL: path }, words);
  for (const text of ['One', 'Two', 'Three']) await run('announce', text);
  const whole = await run('audit', 'check');
  expect(whole).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The audit log is whole: 3 rows.'),
  });
  const note = /note elsewhere: (3:[0-9a-f]{64})\n/.exec(whole.stdout)?.[1] ?? '';
  expect((await run('audit', 'check', '--digest', note)).stdout).toContain('It begins with what was noted.');

  const database = openDatabase(path, { mustExist: true });
  const trigger = database
    .prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE name = 'audit_log_never_goes'`)
    .pluck()
    .get();
  database.exec('DROP TRIGGER audit_log_never_goes; DELETE FROM audit_log WHERE number = 3');
  database.exec(String(trigger));
  expect(await run('audit', 'check')).toMatchObject({ code: 0 });
  expect(await run('audit', 'check', '--digest', note)).toMatchObject({
    code: 1,
    stdout: 'It does not begin with what was noted: somebody has changed it or cut it off.\n',
  });
  const changing = database
    .prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE name = 'audit_log_never_changes'`)
    .pluck()
    .get();
  database.exec(`DROP TRIGGER audit_log_never_changes; UPDATE audit_log SET reason = 'x' WHERE number = 1`);
  database.exec(String(changing));
  database.close();
  expect(await run('audit', 'check')).toMatchObject({
    code: 1,
    stdout: CHANGED,
  });
  expect(await run('db-check')).toMatchObject({ code: 1, stdout: CHANGED });
  // What was done to the log takes nobody's backups away.
  const backup = join(folder, 'backup');
  expect(await run('db-backup', backup)).toMatchObject({ code: 0, stdout: expect.stringContaining(CHANGED) });
  expect(await run('db-restore', backup)).toMatchObject({ code: 0 });
  expect(await run('audit', 'check')).toMatchObject({ code: 1, stdout: CHANGED });
  expect((await rowsIn(path)).at(-1)).toMatchObject({ number: 3, action: 'database_restored' });
});
