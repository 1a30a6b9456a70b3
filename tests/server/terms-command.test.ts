/** `npm run terms`: one command changes what a tip costs, and a mistake in it changes nothing. */
import { expect, onTestFinished, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { runHere } from '#tests/support/commands.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';

async function openTerms() {
  const path = createMigratedFile();
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  onTestFinished(() => storage.close());
  const run = (words: string, env: Readonly<Record<string, string>> = {}) =>
    runHere('terms', { DATABASE_URL: path, ...env }, words.split(' '));
  return { path, storage, run };
}

test('shows the specified terms, and each version after them with its time', async () => {
  const { run } = await openTerms();
  expect(await run('show')).toMatchObject({
    code: 0,
    stdout:
      'Version 0, as specified (holds now)\n' +
      '  Tips from 10.00 to 10000.00 USD\n' +
      '  Giver fee 5 %, receiver fee 3 %\n' +
      '  Quick amounts 10.00, 15.00, 20.00, 25.00, 30.00, 50.00, 75.00, 100.00, 150.00, 200.00\n',
  });
  const { code, stdout } = await run(
    'set --currency eur --giver-fee 2.5 --receiver-fee 0 --min 1 --max 500.50 --quick 1,2,3.50',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /Version 1, from 20\d\d-\d\d-\d\d \d\d:\d\d UTC \(holds now\)\n {2}Tips from 1\.00 to 500\.50 EUR\n {2}Giver fee 2\.5 %, receiver fee 0 %\n {2}Quick amounts 1\.00, 2\.00, 3\.50\n$/,
  );
});

test('shows nothing that looks like a change', async () => {
  const { storage, run } = await openTerms();
  expect(await run('show --min 1')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Usage: /),
  });
  expect(await storage.listTerms()).toEqual([]);
});

test('changes what it names from the time that it names, and leaves the rest', async () => {
  const { storage, run } = await openTerms();
  expect((await run('set --giver-fee 0 --from 2999-01-01T06:00+01:00')).code).toBe(0);
  expect((await run('set --receiver-fee 0.01 --from 2999-01-02')).code).toBe(0);
  const [first, second] = await storage.listTerms();
  expect(first).toMatchObject({ version: 1, giverFeeRate: 0, receiverFeeRate: 300, currency: 'USD' });
  expect(second).toMatchObject({ version: 2, giverFeeRate: 0, receiverFeeRate: 1 });
  expect([first?.fromMs, second?.fromMs]).toEqual([Date.UTC(2999, 0, 1, 5), Date.UTC(2999, 0, 2)]);
  expect((await run('show')).stdout).toContain('Version 0, as specified (holds now)');
  expect((await run('set --giver-fee 3 --from 2999-01-01T05:00Z')).stdout.match(/^Version .+/gm)).toEqual([
    'Version 0, as specified (holds now)',
    'Version 1, from 2999-01-01 05:00 UTC (replaced)',
    'Version 2, from 2999-01-02 00:00 UTC (replaced)',
    'Version 3, from 2999-01-01 05:00 UTC (to come)',
  ]);
});

test('what it does not name stays as it is when the new terms begin, not as it is to be later', async () => {
  const { storage, run } = await openTerms();
  await run('set --giver-fee 8 --from 2999-01-01');
  const { code, stdout } = await run('set --quick 10,20,30');
  expect(code).toBe(0);
  expect((await storage.listTerms())[1]).toMatchObject({
    version: 2,
    giverFeeRate: 500,
    quickAmountsCents: [1_000, 2_000, 3_000],
  });
  expect(stdout).toMatch(/\nNever holds now: version 1, from 2999-01-01 00:00 UTC\.\n$/);
  // What was replaced earlier is not replaced once more, and what begins before stays.
  await run('set --giver-fee 7 --from 2999-01-02');
  expect((await run('set --min 9 --from 2999-01-03')).stdout).not.toContain('Never holds now');
  expect((await storage.listTerms())[3]).toMatchObject({ version: 4, giverFeeRate: 700, minTipCents: 900 });
  expect((await run('set --receiver-fee 4')).stdout.match(/^Never holds now: version \d/gm)).toEqual([
    'Never holds now: version 3',
    'Never holds now: version 4',
  ]);
  expect((await storage.listTerms())[4]).toMatchObject({ giverFeeRate: 500, minTipCents: 1_000 });
});

test('a command says why the database cannot be used', async () => {
  const { path, run } = await openTerms();
  const other = openDatabase(path);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  expect(await run('set --giver-fee 1')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The database cannot be used at the moment: database is locked. Try again.\n',
  });
});

test('where tips were given, terms hold in a minute at the earliest, and the currency stays', async () => {
  const { storage, run } = await openTerms();
  const { tip } = await createPeople(storage).setTheScene();
  await storage.recordTip(newTip({ ...tip(), amountCents: 1_000 }));
  expect((await run('set --giver-fee 1')).code).toBe(0);
  const [terms] = await storage.listTerms();
  expect((terms?.fromMs ?? 0) - (terms?.createdAtMs ?? 0)).toBe(60_000);
  expect(await run('set --currency EUR --min 1 --max 2 --quick 1')).toMatchObject({
    code: 1,
    stderr:
      '--currency: The first tip has fixed the currency: it stays USD. ' +
      'Another one takes another installation.\n',
  });
  expect((await run(`set --giver-fee 2 --from ${new Date().toISOString().slice(0, 19)}Z`)).stderr).toMatch(
    /^--from: Terms cannot hold in the past, and running servers need a minute to hear of them: name a time after /,
  );
});

test.each([
  ['', 'Usage: npm run terms'],
  ['frobnicate', 'Usage: npm run terms'],
  ['set', 'Change at least one value.'],
  ['set --from 2999-01-01', 'Change at least one value.'],
  ['set --giver-fee 100.01', '--giver-fee: Name a percentage from 0 to 100 with at most two decimals'],
  ['set --giver-fee 1.234', '--giver-fee: Name a percentage'],
  ['set --receiver-fee -1', ''],
  ['set --receiver-fee=-1', '--receiver-fee: Name a percentage'],
  ['set --min 0', 'The smallest tip must be more than nothing.'],
  ['set --min 1.005', '--min: Name amounts of USD such as 12.00. This is "1.005".'],
  ['set --min 20000', 'The largest tip is less than the smallest.'],
  ['set --max 1000000001', '--max: Name amounts of USD'],
  ['set --max 100', 'The quick amounts must be 1 to 10'],
  ['set --quick 20,10', 'The quick amounts must be 1 to 10'],
  ['set --quick 10,10', 'The quick amounts must be 1 to 10'],
  ['set --quick 10,11,12,13,14,15,16,17,18,19,20', 'The quick amounts must be 1 to 10'],
  ['set --quick ,', '--quick: Name amounts of USD'],
  ['set --currency EURO --min 1 --max 2 --quick 1', '"EURO" is no code of a currency, such as EUR.'],
  [
    'set --currency EUR',
    '--currency: Another currency needs its own smallest tip, largest tip and quick amounts as well.',
  ],
  [
    'set --currency EUR --min 1 --max 2 --quick 1 --from 2999-01-01',
    '--from: Another currency holds at once, because until then nobody could tip in the present one.',
  ],
  ['set --giver-fee 1 --from yesterday', '--from takes a time such as 2027-01-01'],
  ['set --giver-fee 1 --from 2020-01-01', 'Terms cannot hold in the past'],
])('%s is refused in a sentence, and changes nothing', async (words, sentence) => {
  const { storage, run } = await openTerms();
  const { code, stdout, stderr } = await run(words);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(sentence);
  expect(await storage.listTerms()).toEqual([]);
});

test('refuses a currency that the payment service cannot pay', async () => {
  const { run } = await openTerms();
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_a' };
  const set = 'set --currency KWD --min 1 --max 2 --quick 1';
  expect((await run(set, stripe)).stderr).toBe(
    '--currency: Stripe takes KWD in tens of its smallest unit only.\n',
  );
  expect((await run(set)).code).toBe(0);
});

test('refuses a receiver fee that leaves nothing to transfer, where tips are paid', async () => {
  const { storage, run } = await openTerms();
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_a' };
  for (const [fee, told] of [
    ['100', '100'],
    ['99.99', '99.99'],
  ])
    expect(await run(`set --receiver-fee ${fee}`, stripe)).toMatchObject({
      code: 1,
      stderr: `--receiver-fee: A receiver fee of ${told} % leaves nothing of the smallest tip, 10.00 USD, which Stripe cannot transfer.\n`,
    });
  expect(await storage.listTerms()).toEqual([]);
  expect((await run('set --receiver-fee 99.9', stripe)).code).toBe(0);
  expect((await run('set --min 0.01 --max 500 --quick 1,2', stripe)).stderr).toContain('0.01 USD');
  // Where tips are simulated it may be.
  expect((await run('set --receiver-fee 100')).code).toBe(0);
});
