/**
 * How fast the product is, as ratios that are measured in one run and so mean something on any machine:
 * against a hand-written floor (floor.ts), or against itself in other circumstances. `npm run bench` takes
 * some nine minutes; `npm run bench -- lookup tips` measures some rows only, and `--seconds=2` makes every
 * measurement shorter.
 *
 * Fastify is here for the floor alone.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { runLoad } from './load.ts';
import { measurePostgres } from './postgres.ts';
import {
  describeMachine,
  describeRates,
  inTurns,
  isRowMet,
  medianOf,
  type Pace,
  parametersFile,
  print,
  type Row,
  say,
} from './rows.ts';
import { type SeededLedger, seedLedger } from './seeded-ledger.ts';
import {
  type BenchServer,
  has,
  isPinned,
  killServers,
  startFloor,
  startProduct,
  startProductOn,
} from './servers.ts';
import { CONNECTIONS, requireOnce, rowsOfTips, runTips, tipParameters } from './tips.ts';

const ROWS = [
  'lookup',
  'tips',
  'mail',
  'webhooks',
  'list',
  'flood',
  'streams',
  'pictures',
  'memory',
  'postgres',
] as const;
type RowName = (typeof ROWS)[number];

const FLOODING_CLIENTS = 32;
const WARM_UP_FACTOR = 2;
const SAMPLED_CODES = 200;
const TIPS_FOR_MEMORY = 100_000;
const PROVIDERS_FOR_PICTURES = 15;
const TIPPED_WITH_WEBHOOKS = 10;

interface Bench extends Pace {
  readonly folder: string;
  readonly ledgerPath: string;
  readonly seeded: SeededLedger;
}

/** @throws Error when the two servers answer a look-up differently, or not what was seeded. */
async function compareAnswers(bench: Bench, servers: readonly BenchServer[]): Promise<void> {
  const { codes } = bench.seeded;
  for (let sample = 0; sample < SAMPLED_CODES; sample += 1) {
    const code = codes[(sample * 7_919) % codes.length];
    if (!code) throw new Error('there are no codes');
    const { id, category: service_category, userId: user_id, username, fullName: full_name } = code;
    const expected = JSON.stringify({
      qr_code: { id, service_category, user_id, status: 'active', is_payable: true, takes_words: true },
      service_provider: { username, full_name, service_category, greeting: null, photo_url: null },
    });
    // Twice: a remembered look-up must equal the first.
    for (const { url } of [...servers, ...servers]) {
      const answer = await fetch(`${url}/api/qr-codes/${id}`);
      const text = await answer.text();
      if (answer.status !== 200 || text !== expected) throw new Error(`${url} answers ${text} to ${id}`);
      for (const header of ['content-security-policy', 'x-content-type-options', 'x-request-id']) {
        if (!answer.headers.has(header)) throw new Error(`${url} answers without ${header}`);
      }
    }
  }
}

async function measureLookups(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench.ledgerPath, bench.folder);
  const floor = await startFloor(bench.ledgerPath, bench.folder);
  await compareAnswers(bench, [product, floor]);
  const paths = bench.seeded.codes.map(({ id }) => `/api/qr-codes/${id}`);
  const load = {
    kind: 'get',
    parameters: parametersFile(bench.folder, 'lookups', paths),
    connections: CONNECTIONS,
  } as const;
  const run = (server: BenchServer, seconds: number) => runLoad(server, { ...load, seconds });
  for (const server of [product, floor]) await run(server, WARM_UP_FACTOR * bench.seconds);
  const pairs = await inTurns(
    bench.rounds,
    () => run(product, bench.seconds),
    () => run(floor, bench.seconds),
  );
  await compareAnswers(bench, [product, floor]);
  await product.stop();
  await floor.stop();
  return [
    {
      what: 'GET /api/qr-codes/{id}, requests/s over the floor',
      target: '>= 2.2',
      values: pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond),
      unit: 'x',
      isMet: (median) => median >= 2.2,
      note: describeRates(pairs),
    },
  ];
}

/** @throws Error when the ledger does not add up, or lacks or doubles a tip that was acknowledged. */
function checkTips(bench: Bench, path: string, acknowledged: readonly string[], runs: number): void {
  const database = openDatabase(path, { mustExist: true });
  const [violation] = checkLedger(database);
  if (violation) throw new Error(`${path}: ${violation.invariant}`);
  const ids = database
    .prepare<[number], string>('SELECT id FROM transactions WHERE sequence > ?')
    .pluck()
    .all(bench.seeded.transactions);
  database.close();
  requireOnce(path, acknowledged, ids, runs);
  say(`  ${acknowledged.length} tips acknowledged, each once in a ledger that adds up`);
}

async function measureTips(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench.ledgerPath, bench.folder);
  const floor = await startFloor(bench.ledgerPath, bench.folder);
  const pairs = await compareTips(bench, product, floor);
  return rowsOfTips(pairs, { what: 'POST /api/transactions', least: 2.5, p99Below: 0.2 });
}

/** A tip writes no mail, and the outbox looks for waiting ones beside it. */
async function measureMail(bench: Bench): Promise<Row[]> {
  const mailing = await startProduct(bench.ledgerPath, bench.folder, { isMailing: true });
  const silent = await startProduct(bench.ledgerPath, bench.folder);
  const pairs = await compareTips(bench, mailing, silent);
  return [
    {
      what: 'POST /api/transactions with mail, tips/s over those without',
      target: '>= 0.95',
      values: pairs.map(([withMail, without]) => withMail.perSecond / without.perSecond),
      unit: 'x',
      isMet: (median) => median >= 0.95,
      note: describeRates(pairs),
    },
  ];
}

/**
 * Ten accounts get all tips, some ten thousand in a minute each, and have five webhooks each that fail and are
 * tried again. A tip writes nothing for them.
 */
async function measureWebhooks(bench: Bench): Promise<Row[]> {
  const codes = bench.seeded.codes.slice(0, TIPPED_WITH_WEBHOOKS);
  const withDeadWebhooks = [...new Set(codes.map(({ userId }) => userId))];
  const telling = await startProduct(bench.ledgerPath, bench.folder, { withDeadWebhooks });
  const silent = await startProduct(bench.ledgerPath, bench.folder);
  const pairs = await compareTips(bench, telling, silent, codes);
  return [
    {
      what: 'POST /api/transactions with dead webhooks, tips/s over those without',
      target: '>= 0.95',
      values: pairs.map(([withWebhooks, without]) => withWebhooks.perSecond / without.perSecond),
      unit: 'x',
      isMet: (median) => median >= 0.95,
      note: describeRates(pairs),
    },
  ];
}

/** @throws Error when a tip that was acknowledged is lost or doubled, or a ledger does not add up. */
async function compareTips(
  bench: Bench,
  product: BenchServer,
  other: BenchServer,
  codes = bench.seeded.codes,
) {
  const parameters = tipParameters(bench.folder, { ...bench.seeded, codes });
  const acknowledged = new Map<BenchServer, string[]>([
    [product, []],
    [other, []],
  ]);
  const run = async (server: BenchServer) => {
    const measured = await runTips(server, bench.folder, { parameters, seconds: bench.seconds });
    acknowledged.get(server)?.push(...measured.ids);
    return measured;
  };
  for (const server of [product, other]) await run(server);
  const pairs = await inTurns(
    bench.rounds,
    () => run(product),
    () => run(other),
  );
  for (const [server, ids] of acknowledged) {
    await server.stop();
    checkTips(bench, server.database, ids, bench.rounds + 1);
  }
  return pairs;
}

async function measureLists(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench.ledgerPath, bench.folder);
  const { longHistoryToken, shortHistoryToken } = bench.seeded;
  const of = (name: string, token: string) => {
    const parameters = parametersFile(bench.folder, name, [`/api/transactions?limit=50 ${token}`]);
    return (seconds: number) => runLoad(product, { kind: 'get', parameters, connections: 16, seconds });
  };
  const [long, short] = [of('long', longHistoryToken), of('short', shortHistoryToken)];
  await long(bench.seconds);
  await short(bench.seconds);
  const pairs = await inTurns(
    bench.rounds,
    () => long(bench.seconds),
    () => short(bench.seconds),
  );
  await product.stop();
  return [
    {
      what: 'GET /api/transactions?limit=50, time with 100,000 over that with 100',
      target: '<= 1.2',
      values: pairs.map(([ofLong, ofShort]) => ofShort.perSecond / ofLong.perSecond),
      unit: 'x',
      isMet: (median) => median <= 1.2,
      note: describeRates(pairs),
    },
  ];
}

async function measureFlood(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench.ledgerPath, bench.folder);
  const paths = bench.seeded.codes.map(({ id }) => `/api/qr-codes/${id}`);
  const parameters = parametersFile(bench.folder, 'quiet-lookups', paths);
  const lookups = (seconds: number) =>
    runLoad(product, { kind: 'get', parameters, connections: CONNECTIONS, seconds });
  const flood = { kind: 'logins', parameters, connections: FLOODING_CLIENTS } as const;
  await lookups(WARM_UP_FACTOR * bench.seconds);
  const attempts: number[] = [];
  const pairs = await inTurns(
    bench.rounds,
    () => lookups(bench.seconds),
    async () => {
      const flooding = runLoad(product, { ...flood, seconds: bench.seconds + 2 });
      await sleep(1_000);
      const measured = await lookups(bench.seconds);
      attempts.push((await flooding).perSecond);
      return measured;
    },
  );
  await product.stop();
  const p99 = (index: 0 | 1) => medianOf(pairs.map((pair) => pair[index].p99Ms)).toFixed(1);
  return [
    {
      what: 'look-up p99 under 32 clients that flood login, over the quiet p99',
      target: '<= 5',
      values: pairs.map(([quiet, flooded]) => flooded.p99Ms / quiet.p99Ms),
      unit: 'x',
      isMet: (median) => median <= 5,
      note: `${p99(1)} ms against ${p99(0)} ms, at ${Math.round(medianOf(attempts))} logins/s`,
    },
  ];
}

async function measureStreams(): Promise<Row[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'streams.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  for (const line of text.trim().split('\n')) say(`  ${line}`);
  const p95Ms = Number(/arrived:.* p95 ([\d.]+)/.exec(text)?.[1] ?? Number.NaN);
  return [
    {
      what: 'a tip to its receiver’s open dashboard, p95 with 1,000 open streams',
      target: '<= 100 ms',
      values: [p95Ms],
      unit: ' ms',
      isMet: (median) => median <= 100 && code === 0,
      note: code === 0 ? 'no tip lost, doubled or astray' : `ended with ${code}`,
    },
  ];
}

async function measurePictures(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench.ledgerPath, bench.folder, { isProbed: true });
  // Providers of all eight services, whose codes have no picture yet.
  const listOf = (token: string) => async () => {
    const answer = await fetch(`${product.url}/api/qr-codes`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const codes: unknown = await answer.json();
    if (!answer.ok || !Array.isArray(codes) || codes.length !== 8) throw new Error('a listing was not right');
  };
  const [warmUp, ...tokens] = bench.seeded.providerTokens.slice(0, PROVIDERS_FOR_PICTURES + 1);
  for (let time = 0; time < 50; time += 1) await listOf(warmUp ?? '')();
  const drawing: number[] = [];
  const listing: number[] = [];
  for (const token of tokens) {
    drawing.push(await product.longestDelay(listOf(token)));
    listing.push(await product.longestDelay(listOf(token)));
  }
  await product.stop();
  const database = openDatabase(product.database, { mustExist: true });
  const made = database.prepare<[], number>('SELECT count(*) FROM qr_pictures').pluck().get();
  database.close();
  const expected = 8 * (tokens.length + 1);
  return [
    {
      what: 'longest delay of the event loop while eight pictures are made',
      target: '< 10 ms',
      values: drawing,
      unit: ' ms',
      isMet: (median) => median < 10 && made === expected,
      note: `${medianOf(listing).toFixed(1)} ms while none is; ${made} pictures for ${expected} codes`,
    },
  ];
}

async function measureMemory(bench: Bench): Promise<Row[]> {
  // Only the first start checks the whole ledger, and the process keeps that memory.
  const first = await startProduct(bench.ledgerPath, bench.folder);
  await sleep(3_000);
  const afterCheck = first.memory();
  await first.stop();
  const product = await startProductOn(first.database, bench.folder);
  await sleep(3_000);
  const idle = product.memory();
  const parameters = tipParameters(bench.folder, bench.seeded);
  const seen: number[] = [];
  for (let tips = 0; tips < TIPS_FOR_MEMORY; ) {
    tips += (await runTips(product, bench.folder, { parameters, seconds: bench.seconds })).right;
    if (tips >= (TIPS_FOR_MEMORY * (seen.length + 1)) / 2) {
      await sleep(1_000);
      seen.push(product.memory());
    }
  }
  await product.stop();
  const [half = Number.NaN, all = Number.NaN] = [seen[0], seen.at(-1)];
  return [
    {
      what: 'memory when idle',
      target: '<= 150 MB',
      values: [idle],
      unit: ' MB',
      isMet: (median) => median <= 150,
      note: `resident, 3 s after the start; ${afterCheck.toFixed(0)} MB after the one that checked the whole ledger`,
    },
    {
      what: 'memory after 100,000 tips over that after 50,000',
      target: '<= 1.1',
      values: [all / half],
      unit: 'x',
      isMet: (median) => median <= 1.1,
      note: `${all.toFixed(0)} MB after ${half.toFixed(0)} MB`,
    },
  ];
}

const MEASUREMENTS: Readonly<Record<RowName, (bench: Bench) => Promise<Row[]>>> = {
  lookup: measureLookups,
  tips: measureTips,
  mail: measureMail,
  webhooks: measureWebhooks,
  list: measureLists,
  flood: measureFlood,
  streams: measureStreams,
  pictures: measurePictures,
  memory: measureMemory,
  postgres: measurePostgres,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '3' } },
  });
  const wanted = ROWS.filter((row) => positionals.length === 0 || positionals.includes(row));
  if (!has('wrk', '-v')) {
    say('The load is made by wrk, which is not installed: `apt install wrk` or `brew install wrk`.');
    process.exitCode = 1;
    return;
  }
  if (!isPinned) say('There is no taskset here: servers and load share all cores, and the ratios say less.');
  say(describeMachine());
  say(
    'Both servers log as they are shipped, at level info: the product one line for each request, Fastify two.',
  );

  const folder = mkdtempSync(join(tmpdir(), 'tipwell-bench-'));
  try {
    const ledgerPath = join(folder, 'seeded.db');
    const seeded = seedLedger(ledgerPath);
    say(`A ledger of ${seeded.codes.length} codes and ${seeded.transactions} tips is seeded, and adds up.`);
    const bench = {
      folder,
      ledgerPath,
      seeded,
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
    };
    const rows: Row[] = [];
    for (const name of wanted) {
      say(`measuring ${name} ...`);
      const measured = await MEASUREMENTS[name](bench);
      rows.push(...measured);
      if (!measured.every(isRowMet)) process.exitCode = 1;
    }
    print(rows);
  } finally {
    killServers();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
