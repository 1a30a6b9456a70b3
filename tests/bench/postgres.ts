/**
 * Tips on PostgreSQL: the product against a floor (floor-postgres.ts), and two processes of the product
 * against one. The server of the database is the one of BENCH_DATABASE_URL, as a user who may create
 * databases, or one that is started for the bench, with the settings that PostgreSQL is shipped with: every
 * commit waits for the disk.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { databaseAt } from '#server/storage/open.ts';
import { connect, nameOf } from '#server/storage/postgres/connection.ts';
import { inspectLedger, UNHURRIED } from '#server/storage/postgres/ledger-check.ts';
import { startPostgres } from '#tests/support/postgres-server.ts';
import { turnIntoFloor } from './floor-ledger.ts';
import { inTurns, medianOf, type Pace, type Row, say } from './rows.ts';
import { type SeededLedger, seedLedger } from './seeded-ledger.ts';
import { type BenchServer, startFloorOn, startProductOn, stateOf } from './servers.ts';
import { CONNECTIONS, requireOnce, rowsOfTips, runTips, type TipResult, tipParameters } from './tips.ts';

const HISTORY = 10_000;
const SAMPLED_COMMITS = 200;

interface PostgresBench extends Pace {
  readonly folder: string;
  readonly seeded: SeededLedger;
  readonly parameters: string;
  readonly admin: pg.Client;
  readonly urlOf: (database: string) => string;
  /** Processor time of all of PostgreSQL's processes in milliseconds; NaN when it runs on another machine. */
  readonly postgresCpuMs: () => number;
}

/**
 * @throws Error when a ledger does not add up in the end, or lacks or doubles a tip that was acknowledged.
 */
export async function measurePostgres(pace: Pace & { readonly folder: string }): Promise<Row[]> {
  const given = process.env['BENCH_DATABASE_URL'];
  const server = given ? null : await startPostgres();
  const address = given ?? server?.url('postgres') ?? '';
  const urlOf = (database: string) => {
    const url = new URL(address);
    url.pathname = `/${database}`;
    return url.href;
  };
  const suffix = randomBytes(4).toString('hex');
  const names = {
    seeded: `bench_seeded_${suffix}`,
    floor: `bench_floor_${suffix}`,
    two: `bench_two_${suffix}`,
  };
  const admin = new pg.Client(address);
  await admin.connect();
  try {
    const path = join(pace.folder, 'seeded-for-postgres.db');
    const seeded = seedLedger(path, { longHistory: HISTORY });
    await admin.query(`CREATE DATABASE ${names.seeded} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
    const target = databaseAt({ engine: 'postgres', url: urlOf(names.seeded) });
    await databaseAt({ engine: 'sqlite', path }).readAll((tables, past) => target.fill(tables, past));
    // A table that was just filled has no statistics about visible pages.
    await query(urlOf(names.seeded), 'VACUUM FULL ANALYZE');
    for (const name of [names.floor, names.two])
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${names.seeded}`);
    await within(urlOf(names.floor), turnIntoFloor);
    await query(urlOf(names.floor), 'VACUUM FULL ANALYZE');
    const bench: PostgresBench = {
      ...pace,
      seeded,
      parameters: tipParameters(pace.folder, seeded),
      admin,
      urlOf,
      postgresCpuMs: await watchPostgres(admin),
    };
    const { rows } = await admin.query<{ text: string }>(
      `SELECT current_setting('server_version') || ', fsync ' || current_setting('fsync') AS text`,
    );
    say(`  PostgreSQL ${rows[0]?.text}; a commit alone takes ${(await commitMs(admin)).toFixed(1)} ms here`);
    return [
      ...(await compareWithFloor(bench, names.seeded, names.floor)),
      await compareTwoWithOne(bench, names.two),
    ];
  } finally {
    if (given)
      for (const name of Object.values(names))
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
    await server?.stop();
  }
}

async function compareWithFloor(bench: PostgresBench, ofProduct: string, ofFloor: string): Promise<Row[]> {
  const { folder, parameters, seconds, rounds, urlOf } = bench;
  const bytesBefore = await bytesOf(bench, ofProduct);
  const product = await startProductOn(urlOf(ofProduct), folder);
  const floor = await startFloorOn('floor-postgres.ts', urlOf(ofFloor), folder);
  const acknowledged = new Map<BenchServer, string[]>([
    [product, []],
    [floor, []],
  ]);
  const work = new Map<BenchServer, number[]>([
    [product, []],
    [floor, []],
  ]);
  const run = async (server: BenchServer): Promise<TipResult> => {
    const before = bench.postgresCpuMs();
    const measured = await runTips(server, folder, { parameters, seconds });
    work.get(server)?.push((1_000 * (bench.postgresCpuMs() - before)) / measured.right);
    acknowledged.get(server)?.push(...measured.ids);
    return measured;
  };
  for (const server of [product, floor]) await run(server);
  const pairs = await inTurns(
    rounds,
    () => run(product),
    () => run(floor),
  );
  for (const [server, ids] of acknowledged) {
    await server.stop();
    await checkTips(bench, server.database, server === floor ? 'transactions' : 'tips', ids, rounds + 1);
  }
  const tips = acknowledged.get(product)?.length ?? 0;
  const bytesAfter = await bytesOf(bench, ofProduct);
  await query(urlOf(ofProduct), 'VACUUM FULL');
  const bytesPacked = await bytesOf(bench, ofProduct);
  const perTip = (bytes: number) => Math.round((bytes - bytesBefore) / tips);
  say(
    `  a tip takes ${perTip(bytesAfter)} bytes of the database, and ${perTip(bytesPacked)} once it is packed`,
  );
  const cpu = (server: BenchServer) => Math.round(medianOf(work.get(server)?.slice(1) ?? []));
  const [row, ...others] = rowsOfTips(pairs, { what: 'POST /api/transactions on PostgreSQL', least: 2.5 });
  if (!row) throw new Error('there are no rows of tips');
  const note = `${row.note}, and PostgreSQL’s ${cpu(product)} µs against ${cpu(floor)} µs`;
  return [{ ...row, note }, ...others];
}

/** The same load on one process and split over two, with all cores for all. */
async function compareTwoWithOne(bench: PostgresBench, name: string): Promise<Row> {
  const { folder, parameters, seconds, rounds, urlOf } = bench;
  const [one, other] = [
    await startProductOn(urlOf(name), folder, { isFree: true }),
    await startProductOn(urlOf(name), folder, { isFree: true }),
  ];
  const acknowledged: string[] = [];
  const run = async (servers: readonly BenchServer[]) => {
    const before = { postgres: bench.postgresCpuMs(), load: loadCpuMs(), at: performance.now() };
    const connections = CONNECTIONS / servers.length;
    const loads = await Promise.all(
      servers.map((server) => runTips(server, folder, { parameters, seconds, connections })),
    );
    const elapsedMs = performance.now() - before.at;
    for (const { ids } of loads) acknowledged.push(...ids);
    const sum = (of: (load: TipResult) => number) => loads.map(of).reduce((a, b) => a + b, 0);
    return {
      perSecond: sum((load) => load.perSecond),
      p99Ms: Math.max(...loads.map((load) => load.p99Ms)),
      productCores: sum((load) => load.cpuUs * load.right) / 1_000 / elapsedMs,
      postgresCores: (bench.postgresCpuMs() - before.postgres) / elapsedMs,
      loadCores: (loadCpuMs() - before.load) / elapsedMs,
    };
  };
  for (const server of [one, other]) await run([server]);
  const pairs = await inTurns(
    rounds,
    () => run([one, other]),
    () => run([one]),
  );
  for (const server of [one, other]) await server.stop();
  await checkTips(bench, urlOf(name), 'tips', acknowledged, 2 * (rounds + 1));
  const of = (index: 0 | 1, value: (run: (typeof pairs)[number][0]) => number) =>
    medianOf(pairs.map((pair) => value(pair[index])));
  const cores = (index: 0 | 1) =>
    `product ${of(index, (run) => run.productCores).toFixed(2)}, PostgreSQL ${of(index, (run) => run.postgresCores).toFixed(2)}, load ${of(index, (run) => run.loadCores).toFixed(2)}`;
  return {
    what: 'the same with two processes, tips/s over one process',
    target: '',
    values: pairs.map(([two, alone]) => two.perSecond / alone.perSecond),
    unit: 'x',
    isMet: () => true,
    note: `${Math.round(of(0, (run) => run.perSecond))}/s against ${Math.round(of(1, (run) => run.perSecond))}/s, p99 ${of(0, (run) => run.p99Ms).toFixed(0)} ms against ${of(1, (run) => run.p99Ms).toFixed(0)} ms; cores in use: ${cores(0)} against ${cores(1)}`,
  };
}

const loadCpuMs = () => stateOf(process.pid)?.cpuMsOfEnded ?? Number.NaN;

/**
 * @param table has a row for each tip.
 * @throws Error when the ledger does not add up, or lacks or doubles a tip that was acknowledged.
 */
async function checkTips(
  bench: PostgresBench,
  url: string,
  table: 'tips' | 'transactions',
  acknowledged: readonly string[],
  runs: number,
): Promise<void> {
  const name = nameOf(url);
  // A floor has tables of an earlier version, which the operator's check refuses.
  const { problems } = await within(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return inspectLedger(client, []);
  });
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${name}: ${problem}`);
  const recorded = await query<{ id: string; commit: string }>(
    url,
    `SELECT id, xmin::text AS commit FROM tipwell.${table} WHERE sequence > ${bench.seeded.transactions}`,
  );
  requireOnce(
    name,
    acknowledged,
    recorded.map(({ id }) => id),
    runs,
  );
  const commits = new Set(recorded.map(({ commit }) => commit)).size;
  say(
    `  ${acknowledged.length} tips acknowledged, each once in a ledger that adds up; ${(recorded.length / commits).toFixed(1)} in a commit`,
  );
}

async function query<Result extends pg.QueryResultRow>(url: string, text: string): Promise<Result[]> {
  return within(url, async (client) => (await client.query<Result>(text)).rows);
}

async function within<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connect(url, UNHURRIED);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function bytesOf({ admin }: PostgresBench, name: string): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>('SELECT pg_database_size($1) AS bytes', [name]);
  return Number(rows[0]?.bytes);
}

async function commitMs(admin: pg.Client): Promise<number> {
  await admin.query('CREATE TABLE bench_commits (number integer)');
  const times: number[] = [];
  for (let number = 0; number < SAMPLED_COMMITS; number += 1) {
    const before = performance.now();
    await admin.query('INSERT INTO bench_commits VALUES ($1)', [number]);
    times.push(performance.now() - before);
  }
  await admin.query('DROP TABLE bench_commits');
  return medianOf(times);
}

async function watchPostgres(admin: pg.Client): Promise<() => number> {
  const { rows } = await admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const main = stateOf(rows[0]?.pid ?? 0)?.parentPid ?? 0;
  if (!isPostgres(main)) return () => Number.NaN;
  return () => {
    const states = readdirSync('/proc').flatMap((name) => {
      const state = Number(name) > 0 ? stateOf(Number(name)) : null;
      if (Number(name) === main && state) return [state.cpuMs, state.cpuMsOfEnded];
      return state?.parentPid === main ? [state.cpuMs] : [];
    });
    return states.reduce((sum, cpuMs) => sum + cpuMs, 0);
  };
}

/** A process id of PostgreSQL may belong to another machine. */
function isPostgres(pid: number): boolean {
  const path = `/proc/${pid}/comm`;
  return existsSync(path) && readFileSync(path, 'utf8').startsWith('postgres');
}
