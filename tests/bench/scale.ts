/**
 * What a long history costs: the same product with as many people and codes on a ledger of 10,000,000 entries
 * and on one of 100,000, on SQLite, in turns. A fifth of all tips went to one provider, and they are spread
 * over two years. `npm run bench:scale` takes some twenty minutes and 6 GB of the disk for temporary files;
 * `--entries=1000000` makes a smaller ledger.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { freePort, PROGRAM } from '#tests/support/running-server.ts';
import { type LoadResult, runLoad } from './load.ts';
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
import { type SeededLedger, SHORT_HISTORY, seedLedger } from './seeded-ledger.ts';
import { type BenchServer, has, isPinned, killServers, pinned, startProductOn } from './servers.ts';
import { CONNECTIONS, runTips, tipParameters } from './tips.ts';

const FEW_ENTRIES = 100_000;
const MANY_ENTRIES = 10_000_000;
const ENTRIES_OF_TIP = 2;
const LONG_SHARE = 1 / 5;
const DAYS = 730;
const STARTS = 5;
const MOST = 1.3;
/** Rounds of tips for each of the others: a checkpoint of the write-ahead log takes up a part of some rounds. */
const ROUNDS_OF_TIPS = 3;
/** Including temporary space for sorting. */
const BYTES_PER_TIP = 1_200;
const SUMMARY = `/trpc/transactions.summary?input=${encodeURIComponent(JSON.stringify({ timeZone: 'UTC' }))}`;

const INSIGHTS = (() => {
  const dateBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  return `/api/transactions/insights?${new URLSearchParams({ from: dateBefore(29), to: dateBefore(0) })}`;
})();

interface Ledger {
  readonly path: string;
  readonly folder: string;
  readonly seeded: SeededLedger;
}

async function inSeconds<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ readonly seconds: number; readonly result: Result }> {
  const before = performance.now();
  const result = await work();
  return { seconds: (performance.now() - before) / 1_000, result };
}

async function prepare(folder: string, name: string, entries: number): Promise<Ledger> {
  const own = join(folder, name);
  mkdirSync(own);
  const path = join(own, 'tipwell.db');
  const tips = entries / ENTRIES_OF_TIP;
  const longHistory = Math.round(tips * LONG_SHARE);
  const spreadTips = tips - longHistory - SHORT_HISTORY;
  const seeding = await inSeconds(() => seedLedger(path, { longHistory, spreadTips, days: DAYS }));
  const bytes = statSync(path).size;
  const checking = await inSeconds(() =>
    promisify(execFile)(process.execPath, [PROGRAM, 'db-check'], { cwd: own, env: { DATABASE_URL: path } }),
  );
  const starting = await inSeconds(() => start({ path, folder: own }));
  say(
    `  ${entries.toLocaleString('en')} entries: ${(bytes / 2 ** 20).toFixed(0)} MB, ${Math.round(bytes / tips)} bytes for each tip; written and checked in ${seeding.seconds.toFixed(0)} s, db-check ${checking.seconds.toFixed(1)} s, the first start, which checks all of it, ${starting.seconds.toFixed(1)} s`,
  );
  return { path, folder: own, seeded: seeding.result };
}

/** @returns the time until the server is ready, in milliseconds. */
async function start({ path, folder }: Pick<Ledger, 'path' | 'folder'>): Promise<number> {
  const port = await freePort();
  const before = performance.now();
  const child = spawn(...pinned('server', [process.execPath, PROGRAM]), {
    cwd: folder,
    env: { PATH: process.env['PATH'], DATABASE_URL: path, PORT: String(port), LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  const ms = performance.now() - before;
  if (child.exitCode !== null) throw new Error(`the product did not start on ${path}`);
  child.kill('SIGTERM');
  await ended;
  return ms;
}

async function measureStarts(many: Ledger, few: Ledger): Promise<Row> {
  const pairs = await inTurns(
    STARTS,
    () => start(many),
    () => start(few),
  );
  const ms = (index: 0 | 1) => medianOf(pairs.map((pair) => pair[index])).toFixed(0);
  return rowOf(
    'from the start of the process until it is ready',
    [medianOf(pairs.map(([ofMany]) => ofMany)) / medianOf(pairs.map(([, ofFew]) => ofFew))],
    `${ms(0)} ms against ${ms(1)} ms, medians of ${STARTS}`,
  );
}

function rowOf(what: string, values: readonly number[], note: string): Row {
  return {
    what,
    target: `<= ${MOST.toFixed(1)}`,
    values,
    unit: 'x',
    isMet: (median) => median <= MOST,
    note,
  };
}

type Run = (seconds: number) => Promise<LoadResult>;

async function measureRequests(many: Ledger, few: Ledger, { seconds, rounds }: Pace): Promise<Row[]> {
  const servers = [
    await startProductOn(many.path, many.folder),
    await startProductOn(few.path, few.folder),
  ] as const;
  say('waiting until both have read all data, which a start does once ...');
  for (const server of servers) await server.untilAllIsRead();
  const gets = (
    name: string,
    connections: number,
    lines: (seeded: SeededLedger) => readonly string[],
  ): readonly [Run, Run] => {
    const of = ({ folder, seeded }: Ledger, server: BenchServer): Run => {
      const parameters = parametersFile(folder, name, lines(seeded));
      return (seconds) => runLoad(server, { kind: 'get', parameters, connections, seconds });
    };
    return [of(many, servers[0]), of(few, servers[1])];
  };
  const tipsOf = ({ folder, seeded }: Ledger, server: BenchServer): Run => {
    const parameters = tipParameters(folder, seeded);
    return (seconds) => runTips(server, folder, { parameters, seconds });
  };
  const measurements: readonly (readonly [string, readonly [Run, Run], number?])[] = [
    [
      'GET /api/transactions?limit=50 of the long history',
      gets('page', 16, ({ longHistoryToken }) => [`/api/transactions?limit=50 ${longHistoryToken}`]),
    ],
    [
      'transactions.summary of its provider',
      gets('summary', 16, ({ longHistoryToken }) => [`${SUMMARY} ${longHistoryToken}`]),
    ],
    [
      'GET /api/transactions/insights of its provider, 30 days',
      gets('insights', 16, ({ longHistoryToken }) => [`${INSIGHTS} ${longHistoryToken}`]),
    ],
    [
      'the same of a provider with as many tips in both ledgers',
      gets('same-insights', 16, ({ shortHistoryToken }) => [`${INSIGHTS} ${shortHistoryToken}`]),
    ],
    [
      'GET /api/qr-codes/{id}',
      gets('lookups', CONNECTIONS, ({ codes }) => codes.map(({ id }) => `/api/qr-codes/${id}`)),
    ],
    [
      'POST /api/transactions, durable',
      [tipsOf(many, servers[0]), tipsOf(few, servers[1])],
      ROUNDS_OF_TIPS * rounds,
    ],
  ];
  const rows: Row[] = [];
  for (const [what, [ofMany, ofFew], ofThis = rounds] of measurements) {
    say(`measuring ${what} ...`);
    await ofMany(seconds);
    await ofFew(seconds);
    const pairs = await inTurns(
      ofThis,
      () => ofMany(seconds),
      () => ofFew(seconds),
    );
    const values = pairs.map(([long, short]) => short.perSecond / long.perSecond);
    rows.push(rowOf(what, values, describeRates(pairs)));
  }
  for (const server of servers) await server.stop();
  return rows;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: String(MANY_ENTRIES) },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const entries = Number(values.entries);
  if (!has('wrk', '-v')) {
    say('The load is made by wrk, which is not installed: `apt install wrk` or `brew install wrk`.');
    process.exitCode = 1;
    return;
  }
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < (entries / ENTRIES_OF_TIP) * BYTES_PER_TIP) {
    say(`There is not enough room in ${tmpdir()}; TMPDIR names another folder.`);
    process.exitCode = 1;
    return;
  }
  if (!isPinned) say('There is no taskset here: servers and load share all cores, and the ratios say less.');
  say(describeMachine());
  const folder = mkdtempSync(join(tmpdir(), 'tipwell-scale-'));
  try {
    say('writing two ledgers ...');
    const many = await prepare(folder, 'many', entries);
    const few = await prepare(folder, 'few', FEW_ENTRIES);
    say('measuring starts ...');
    const starts = await measureStarts(many, few);
    const pace = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
    const rows = [starts, ...(await measureRequests(many, few, pace))];
    say('');
    say(
      `Time with ${entries.toLocaleString('en')} entries over that with ${FEW_ENTRIES.toLocaleString('en')}:`,
    );
    print(rows);
    if (!rows.every(isRowMet)) process.exitCode = 1;
  } finally {
    killServers();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
