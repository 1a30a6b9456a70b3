/** `npm run fees`, `npm run tip`, `npm run payments` and `npm run code`: what an operator reads of money, and does about it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { runHere } from '#tests/support/commands.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { authoriseTip, HALF_AN_HOUR_MS, payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { createPeople } from '#tests/support/people.ts';
import { PROGRAM, temporaryFolder } from '#tests/support/running-server.ts';
import { openBooksScene } from '#tests/support/stripe/books-scene.ts';

const HOUR_MS = 3_600_000;
/** Every write to it fails, as on a full disk. */
const FULL_DISK = '/dev/full';
const MAY_31 = Date.UTC(2026, 4, 31);

async function openScene() {
  const path = createMigratedFile();
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  onTestFinished(() => storage.close());
  const run = (name: Parameters<typeof runHere>[0], ...words: string[]) =>
    runHere(name, { DATABASE_URL: path }, words);
  return { path, storage, run, ...(await createPeople(storage).setTheScene()) };
}

test('npm run fees tells it as a table or as CSV, and refuses what it cannot read in a sentence', async () => {
  const { storage, tip, run: runCommand } = await openScene();
  await storage.recordTip(tip({ amountCents: 1_250, createdAtMs: MAY_31 + 23 * HOUR_MS }));
  await storage.recordTip(tip({ amountCents: 10_000, createdAtMs: MAY_31 - 24 * HOUR_MS }));
  const run = (...words: string[]) => runCommand('fees', ...words);
  expect(await run('--from', '2026-05-01', '--to', '2026-06-30', '--time-zone', 'Europe/Vienna')).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'Fee income by month, 2026-05-01 to 2026-06-30 (days in Europe/Vienna), in USD',
      'Month       Payment    Tips  Giver fees  Receiver fees  Refunds  Fees refunded  Fee income',
      '2026-05     simulated     1        5.00           3.00        0           0.00        8.00',
      '2026-06     simulated     1        0.63           0.38        0           0.00        1.01',
      'Total       simulated     2        5.63           3.38        0           0.00        9.01',
      '',
    ].join('\n'),
  });
  const { stdout } = await run('--from', '2026-05-31', '--to', '2026-05-31', '--by', 'day', '--csv');
  expect(stdout).toBe(
    '\ufeffDate,Payment,Currency,Tips,Paid,Giver fees,Receiver fees,Refunds,Refunded,Giver fees refunded,' +
      'Receiver fees refunded,Fee income,Partial refunds and disputes,Changed,Giver fees changed,' +
      'Receiver fees changed\r\n2026-05-31,simulated,USD,1,13.13,0.63,0.38,0,0.00,0.00,0.00,1.01,0,0.00,0.00,0.00\r\n',
  );
  expect((await run('--to', '2020-05-01')).stdout).toContain('There were no tips and no refunds.');
  for (const [words, sentence] of [
    [['--by', 'week'], 'Usage: npm run fees'],
    [['x'], 'Usage: npm run fees'],
    [['--time-zone', 'Mars'], '--time-zone takes a name such as Europe/Vienna. This is "Mars".'],
    [['--from', '2026-02-30'], 'A date must be written as 2026-05-31.'],
    [['--from', '2026-05-02', '--to', '2026-05-01'], 'The last day must not be before the first.'],
    [['--from', '2020-01-01', '--by', 'day'], 'The period may have up to 400 days.'],
  ] as const)
    expect(await run(...words)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
});

test('npm run tip finds a tip and refunds it, and quotes what people wrote', async () => {
  const { storage, provider, customer, code, tip, run } = await openScene();
  await storage.updateAccount(customer.id, { fullName: 'Cam\n  to       the bar' });
  const { id } = tip({ createdAtMs: MAY_31 });
  await storage.recordTip({ ...tip({ createdAtMs: MAY_31 }), id });
  const lines = [
    `  from     "Cam\\n  to       the bar", cam <cam@example.com>, ${customer.id}`,
    `  to       "Name of pat", pat <pat@example.com>, ${provider.id}`,
    `  code     ${code}, bartender`,
    '  amounts  tip 20.00, giver fee 1.00, receiver fee 0.60, received 19.40 USD',
  ];
  const found = await run('tip', 'find', `https://tips.example.com/transactions/${id}`);
  expect(found).toEqual({
    code: 0,
    stderr: '',
    stdout: [`${id}, completed, simulated, 2026-05-31 00:00 UTC`, ...lines, ''].join('\n'),
  });
  const refunded = await run('tip', 'refund', id, '--reason', 'The bar has closed');
  const now = String.raw`20\d\d-\d\d-\d\d \d\d:\d\d UTC`;
  expect(refunded.stdout).toMatch(
    new RegExp(`^The tip is refunded, with the fees.\n${id}, refunded, simulated`),
  );
  expect(refunded.stdout).toMatch(new RegExp(`  refund   ${now}, by an operator\n`));
  expect(refunded.stdout).toMatch(
    new RegExp(`  done     Refunded a tip, by ops, ${now}: "The bar has closed"\n$`),
  );
  expect(await run('tip', 'refund', id)).toEqual({
    code: 1,
    stderr: '',
    stdout: 'Nothing was refunded: the money went back before, or a refund is under way.\n',
  });
  expect(await run('tip', 'find', 'txn_0')).toMatchObject({ code: 1, stdout: 'There is no tip "txn_0".\n' });
  expect((await run('tip', 'waiting')).stdout).toBe(
    'Payments are simulated: each is completed at once, and none can wait.\nNo payment waits longer than it should.\n',
  );
  for (const words of [[], ['waiting', 'x'], ['find'], ['forget', id]])
    expect(await run('tip', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Usage: npm run tip/),
    });
});

test('npm run tip says from when a hold whose keys are gone can be ended, and that this moves no money', async () => {
  const { path, storage, provider, tip } = await openScene();
  const run = (...words: string[]) => runHere('tip', { DATABASE_URL: path, PAYMENTS: 'simulated' }, words);
  await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), 0);
  const [lapsed, recent] = [tip({ createdAtMs: MAY_31 }), tip({ createdAtMs: Date.now() })];
  const charged = tip({ createdAtMs: MAY_31 });
  for (const held of [lapsed, recent]) await authoriseTip(storage, held);
  await payTip(storage, charged);
  const day = new Date(recent.createdAtMs + HALF_AN_HOUR_MS + 8 * 24 * HOUR_MS).toISOString().slice(0, 10);
  const early = await run('refund', recent.id);
  expect(early).toMatchObject({ code: 1, stdout: expect.stringContaining(`ended by refund from ${day}`) });
  expect(early.stdout).not.toContain('refund it at the payment service');
  expect(await run('refund', charged.id)).toEqual({
    code: 1,
    stderr: '',
    stdout: 'It was paid with keys that the server no longer has: refund it at the payment service.\n',
  });
  const found = (await run('find', recent.id)).stdout;
  expect(found).toContain(`ended by refund from ${day}`);
  expect(found).not.toContain('until then');
  const ended = await run('refund', lapsed.id);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('was never charged') });
  expect(ended.stdout).not.toContain('refunded, with the fees');
});

test('a command that only reads refuses a reason, which no row would keep', async () => {
  const { code, tip, run } = await openScene();
  for (const [name, ...words] of [
    ['account', 'show', 'pat'],
    ['announce', 'show'],
    ['code', 'find', code],
    ['tip', 'find', tip().id],
    ['tip', 'waiting'],
  ] as const)
    expect(await run(name, ...words, '--reason', 'Why not')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        `^${words[0]} takes no --reason, because it changes nothing. Usage: npm run ${name} `,
      ),
    });
});

test('where payments are simulated, npm run payments says that there is nothing to compare, and asks nobody', async () => {
  const { run } = await openScene();
  const nothing = 'Payments are simulated: no money moves, and there is nothing to compare or to export.\n';
  for (const words of [
    ['reconcile'],
    ['export', '--from', '2026-05-01', '--to', '2026-05-31', '--out', '/nowhere/x'],
  ])
    expect(await run('payments', ...words)).toEqual({ code: 0, stdout: nothing, stderr: '' });
  for (const [words, sentence] of [
    [[], 'Usage: npm run payments'],
    [['compare'], 'Usage: npm run payments'],
    [['reconcile', '--out', 'x'], 'Usage: npm run payments'],
    [['reconcile', '--from', '2026-02-30'], '--from takes a date such as 2026-05-31. This is "2026-02-30".'],
    [
      ['reconcile', '--from', '-2026-02-03'],
      "Option '--from' argument is ambiguous. Usage: npm run payments",
    ],
    [['export', '--from', '2026-05-02', '--to', '2026-05-01'], 'The last day must not be before the first.'],
  ] as const)
    expect(await run('payments', ...words)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
});

test('npm run payments compares and exports what Stripe has, and its exit code says whether it adds up', async () => {
  const { path, storage, provider, tip } = await openScene();
  const clock = { nowMs: Date.now() - HOUR_MS };
  const { stripe, pay } = await openBooksScene(storage, provider, clock);
  const { secretKey, webhookSecrets, apiBase } = stripe.settings;
  const keys = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets.join() };
  const env = { DATABASE_URL: path, STRIPE_API_BASE: apiBase, ...keys };
  const given = tip({ createdAtMs: clock.nowMs });
  const chargeId = await pay(given);
  const whole = await runHere('payments', env, ['reconcile']);
  expect(whole).toMatchObject({ code: 0, stderr: '' });
  expect(whole.stdout).toContain('It adds up to the cent (charges: 1, payments: 1).');
  stripe.refundPart(chargeId, 1_050);
  const differs = await runHere('payments', env, ['reconcile']);
  expect(differs.code).toBe(1);
  expect(differs.stdout).toContain(
    `${given.id}, ${chargeId}: Stripe refunded 10.50, and the ledger has refunds of 0.00.`,
  );
  const file = join(temporaryFolder(), 'payments.csv');
  expect(await runHere('payments', env, ['export', '--out', file])).toMatchObject({ code: 0 });
  const printed = (await runHere('payments', env, ['export'])).stdout;
  expect(printed).toBe(readFileSync(file, 'utf8'));
  expect(printed.split('\r\n')).toHaveLength(4);
  // The list of what waits is the database's, and says where the rest is found.
  expect((await runHere('tip', env, ['waiting'])).stdout).toMatch(
    /What Stripe has besides is found by npm run payments -- reconcile\.\n$/,
  );

  stripe.fail(() => ({ is: 'refused', status: 401, message: 'Expired API Key \u001b[2J\u009b0m\u202e' }));
  const refused = await runHere('payments', env, ['reconcile']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Stripe does not answer') });
  // A terminal would obey what Stripe or somebody before it has written.
  expect(refused.stderr).toContain(String.raw`Expired API Key \u001b[2J\u009b0m\u202e`);

  // What was begun and not completed would be taken for the whole.
  const partial = join(temporaryFolder(), 'payments.csv');
  stripe.fail(({ path: asked }) => (asked === '/payment_intents' ? { is: 'status', status: 500 } : null));
  expect(await runHere('payments', env, ['export', '--out', partial])).toMatchObject({ code: 1 });
  expect(existsSync(partial)).toBe(false);

  // A task that has lost its keys does not report that all is well.
  const keyless = { DATABASE_URL: path };
  expect(await runHere('payments', keyless, ['reconcile'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('STRIPE_SECRET_KEY is not set'),
  });
  const simulated = { ...keyless, PAYMENTS: 'simulated' };
  expect(await runHere('payments', simulated, ['reconcile'])).toMatchObject({ code: 0, stderr: '' });
  stripe.fail(() => null);
  await pay(tip({ createdAtMs: clock.nowMs }), 'later');
  const waiting = await runHere('tip', simulated, ['waiting']);
  expect(waiting.stdout).toMatch(/^Payments are simulated now\. Tips that were paid before are not charged/);
});

test.skipIf(!existsSync(FULL_DISK))('a command that cannot print says so in a line', async () => {
  const { path } = await openScene();
  const words = [`exec "$@" > ${FULL_DISK}`, 'sh', process.execPath, PROGRAM, 'payments', 'reconcile'];
  const child = spawn('sh', ['-c', ...words], { env: { DATABASE_URL: path } });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  const told = expect.stringMatching(/^What the command prints cannot be written: ENOSPC.*\n$/);
  expect({ code, stderr }).toEqual({ code: 1, stderr: told });
});

test('during maintenance no command moves money', async () => {
  const { path, storage, tip } = await openScene();
  const { id } = tip();
  await storage.recordTip({ ...tip(), id });
  const env = { DATABASE_URL: path, MAINTENANCE: 'on' };
  expect((await runHere('tip', env, ['refund', id])).stderr).toContain('MAINTENANCE is on');
});

test('npm run account tells sums in the currency of the installation, and quotes what people call themselves', async () => {
  const { provider, run } = await openScene();
  await run('terms', 'set', '--currency', 'JPY', '--min', '100', '--max', '90000', '--quick', '100');
  const one = (await run('account', 'show', 'pat')).stdout;
  expect(one).toContain('\nName            "Name of pat" (@pat)\n');
  expect(one).toContain('\nReceived net    0 JPY\nGiven           0 JPY\n');
  const several = (await run('account', 'show', 'example.com')).stdout;
  expect(several).toContain(`${provider.id}  "Name of pat"  @pat  pat@example.com  open\n`);
});

test('a file that cannot be written is named with what to do about it', async () => {
  const { run } = await openScene();
  const folder = temporaryFolder();
  const file = join(folder, 'pat.zip');
  const save = async (to: string) => (await run('account', 'export', 'pat@example.com', '--to', to)).stderr;
  expect(await save(file)).toBe('');
  expect(await save(file)).toBe(
    `There is a file ${file} already (EEXIST), and none is written over: name another one.\n`,
  );
  const nowhere = join(folder, 'none', 'pat.zip');
  expect(await save(nowhere)).toBe(
    `There is no folder ${join(folder, 'none')} (ENOENT): make it, or name another one.\n`,
  );
  const backUp = await run('db-backup', join(folder, 'none', 'copy.db'));
  expect(backUp.stderr).toBe(
    `There is no folder ${join(folder, 'none')} (ENOENT): make it, or name another one.\n`,
  );
});

test('npm run code finds a code and stops it', async () => {
  const { provider, code, run } = await openScene();
  const found = await run('code', 'find', `http://localhost:3000/tip/${code}`);
  expect(found.stdout).toMatch(
    new RegExp(
      `^${code}, active\n  link     http://localhost:3000/tip/${code}\n  service  bartender, since 2026-05-15 12:00 UTC\n` +
        `  name     "Name of pat"\n  owner    "Name of pat", pat <pat@example.com>, ${provider.id}\n$`,
    ),
  );
  const stopped = await run('code', 'stop', code.toLowerCase(), '--reason', 'Stolen');
  expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining(`\n${code}, retired\n`) });
  expect(stopped.stdout).toContain('  done     Stopped a code, by ops, ');
  expect(await run('code', 'stop', code)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('no tips any more'),
  });
  expect(await run('code', 'find', 'ABCDE-FGHJK')).toMatchObject({
    code: 1,
    stdout: 'There is no code "ABCDE-FGHJK".\n',
  });
});
