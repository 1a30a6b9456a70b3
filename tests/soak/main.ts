/**
 * The long forms of tests whose short forms run at every commit: `npm run soak`, or one of them by its name,
 * such as `npm run soak -- kill`. On loopback, with the production build; ends by itself, in some three hours,
 * with a table of figures and the exit code 1 when a guarantee did not hold. SOAK_SCALE=0.02 makes all of it
 * smaller, to try it out.
 *
 * `availability` shows that nobody stops the others: in about ten minutes, some forty attacks, each with a
 * row of a table in Markdown that says what everybody else met meanwhile. It needs Linux, and a machine with
 * nothing else to do. SOAK_ATTACKS=guesses,venue is only those of them (tests/soak/attacks.ts has their
 * names). With SOAK_ENGINE=postgres two processes on PostgreSQL are attacked in place of one on SQLite, and
 * with SOAK_THROUGH=caddy all ask through Caddy.
 *
 * `alerts` has Prometheus and Alertmanager (Debian's packages) watch servers to which everything is done that the
 * rules of deploy/ are about, in about a quarter of an hour.
 *
 * `books` closes three months with LibreOffice (Debian's `libreoffice-calc`) and prints their statements with Chromium,
 * in a minute or two.
 *
 * `ha` takes the nodes of the database cluster of deploy/ha away, each in every way ten times or as often as
 * `--times=2` says, in an hour. It needs Debian 12, root, and its packages `postgresql`, `patroni`,
 * `python3-idna`, `etcd-server`, `haproxy` and `nftables`. SOAK_FAULTS=killed,disk is only the faults with these
 * words in their names (tests/soak/high-availability.ts).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { backUpUnderLoad } from '#tests/support/backups-under-load.ts';
import { killUnderLoad } from '#tests/support/kills-under-load.ts';
import { stopEverything } from '#tests/support/running-server.ts';
import { causeAlerts } from './alerts.ts';
import { besiege } from './availability.ts';
import { closeAQuarter } from './books.ts';
import { loseDatabaseNodes } from './high-availability.ts';
import { mixLoads } from './mixed-load.ts';
import { hang, killInTurns, promoteInTurns } from './postgres-outages.ts';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const SCALE = Number(process.env['SOAK_SCALE'] ?? 1);
const LONGEST_RUN_MS = 4 * 3_600_000;
const KILLS = scaled(500);
const TIPS = scaled(50_000);
/** Fewer cases than the short form has would show too little. */
const FUZZ_CASES = Math.max(2_600, scaled(50_000));
/** For each operation of the REST API. */
const DESCRIPTION_DRAWS = Math.max(60, scaled(600));
const MODEL_RUNS = Math.max(4, scaled(40));
const MODEL_OPERATIONS = Math.max(5_000, scaled(30_000));
/** Of processes that are killed while Stripe, webhooks and streams wait for them. */
const PROCESS_KILLS = Math.max(7, scaled(35));
const BACKUPS = scaled(20);
const MIXED_SECONDS = scaled(600);
const POSTGRES_KILLS = scaled(20);
const POSTGRES_HANGS = scaled(5);
const POSTGRES_PROMOTIONS = scaled(5);
const [FAULTS = scaled(10)] = process.argv
  .flatMap((word) => /^--times=(\d+)$/.exec(word)?.[1] ?? [])
  .map(Number);
/** Names of attacks separated by commas; all of them when empty. */
const ATTACKS = (process.env['SOAK_ATTACKS'] ?? '').split(',').filter((name) => name !== '');

const PLACE = {
  engine: process.env['SOAK_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite',
  isBehindCaddy: process.env['SOAK_THROUGH'] === 'caddy',
} as const;

type Figures = Readonly<Record<string, string | number>>;
interface Outcome {
  readonly figures: Figures;
  readonly violations: readonly string[];
  readonly table?: readonly string[];
}
type Report = (line: string) => void;

const SOAKS: Readonly<Record<string, (report: Report) => Promise<Outcome>>> = {
  kill: async (report) => {
    const compareEvery = Math.max(1, Math.round(KILLS / 10));
    const figures = await killUnderLoad({ kills: KILLS, tips: TIPS, compareEvery, report });
    return { figures: { ...figures }, violations: [] };
  },
  fuzz,
  models: compareWithModels,
  processes: killAndCutProcesses,
  backup: async (report) => {
    const figures = await backUpUnderLoad({
      backups: BACKUPS,
      givers: 16,
      tipsBetween: 500,
      isRestored: true,
      report,
    });
    return { figures: { ...figures }, violations: [] };
  },
  mixed: async (report) => {
    const { figures, violations } = await mixLoads(MIXED_SECONDS, report);
    return { figures: { ...figures }, violations };
  },
  'postgres-kills': async (report) => ({
    figures: await killInTurns(POSTGRES_KILLS, report),
    violations: [],
  }),
  'postgres-hangs': async (report) => ({ figures: await hang(POSTGRES_HANGS, report), violations: [] }),
  'postgres-promotions': async (report) => ({
    figures: await promoteInTurns(POSTGRES_PROMOTIONS, report),
    violations: [],
  }),
  availability: async (report) => {
    const { attacks, ...rest } = await besiege(SCALE, ATTACKS, PLACE, report);
    return { figures: { attacks }, ...rest };
  },
  alerts: causeAlerts,
  books: closeAQuarter,
  ha: () => loseDatabaseNodes(FAULTS),
};

/** Runs the test files with more cases: those of the fuzz tests from a printed seed. */
async function fuzz(report: Report): Promise<Outcome> {
  const seed = Math.floor(Math.random() * 2 ** 31);
  report(`${FUZZ_CASES} cases from the seed ${seed}`);
  const files = ['hostile-fuzz', 'openapi-strictness'].map((name) => `tests/server/${name}.test.ts`);
  const { code, said } = await runTests([...files, '--project', 'node'], report, {
    FUZZ_SEED: String(seed),
    FUZZ_CASES: String(FUZZ_CASES),
    DESCRIPTION_DRAWS: String(DESCRIPTION_DRAWS),
  });
  const cases = [...said.matchAll(/FUZZED (\d+) of which (\d+) refused/g)];
  const sumOf = (group: 1 | 2) => cases.reduce((sum, match) => sum + Number(match[group]), 0);
  const made = sumOf(1);
  return {
    figures: {
      seed,
      cases: made,
      drawsOfEachOperation: DESCRIPTION_DRAWS,
      refused: sumOf(2),
      tables: cases.length,
      serverFaults: code === 0 ? 0 : '?',
    },
    violations: [
      ...(code === 0 ? [] : [`the fuzz tests failed:\n${said}`]),
      ...(made >= FUZZ_CASES ? [] : [`only ${made} cases were made`]),
    ],
  };
}

/** The histories that are compared with a model, longer ones and more of them, on both engines. */
async function compareWithModels(report: Report): Promise<Outcome> {
  const { code, said } = await runTests(
    ['payments-model', 'ledger-model', 'records-agree'].map((name) => `tests/server/${name}.test.ts`),
    report,
    {
      MODEL_RUNS: String(MODEL_RUNS),
      MODEL_OPERATIONS: String(MODEL_OPERATIONS),
    },
  );
  return {
    figures: {
      runsOfPayments: 2 * MODEL_RUNS,
      historiesOfRecords: 2 * MODEL_RUNS,
      operationsOfTheLedger: 2 * MODEL_OPERATIONS,
    },
    violations: code === 0 ? [] : [`the models differ:\n${said}`],
  };
}

/** Processes that are killed at every request to Stripe and among webhooks, and streams that are cut, on both engines. */
async function killAndCutProcesses(report: Report): Promise<Outcome> {
  const { code, said } = await runTests(
    ['payments-processes', 'webhooks-processes', 'tip-feed-process'].map(
      (name) => `tests/server/${name}.test.ts`,
    ),
    report,
    {
      PAYMENT_KILLS: String(PROCESS_KILLS),
      WEBHOOK_KILLS: String(PROCESS_KILLS),
      FEED_DISCONNECTS: String(PROCESS_KILLS),
    },
  );
  return {
    figures: { killsOfEach: PROCESS_KILLS },
    violations: code === 0 ? [] : [`processes lost something:\n${said}`],
  };
}

/** Runs test files with settings of their own. @returns the exit code, and all that was said. */
async function runTests(
  files: readonly string[],
  report: Report,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly said: string }> {
  const args = [
    'run',
    ...files,
    '--testTimeout',
    String(LONGEST_RUN_MS),
    '--retry',
    '0',
    '--reporter',
    'verbose',
  ];
  const vitest = spawn(process.execPath, [join(PROJECT_FOLDER, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: PROJECT_FOLDER,
    env: { ...process.env, NO_COLOR: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const pipe of [vitest.stdout, vitest.stderr]) {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      said.push(text);
      for (const line of text.split('\n')) if (/[✓×]/.test(line)) report(line.trim());
    });
  }
  const [code] = await once(vitest, 'close');
  return { code, said: said.join('') };
}

function scaled(full: number): number {
  return Math.max(1, Math.ceil(full * SCALE));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function soak(names: readonly string[]): Promise<boolean> {
  say(
    `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(2)}; Node ${process.version}; scale ${SCALE}`,
  );
  const rows: string[] = [];
  const tables: string[] = [];
  let isSound = true;
  for (const name of names) {
    const run = SOAKS[name];
    if (!run) throw new Error(`There is no soak "${name}"; there are ${Object.keys(SOAKS).join(', ')}.`);
    say(`--- ${name}`);
    const startedAt = performance.now();
    const outcome = run((line) => say(`${name}: ${line}`)).catch(
      (error: unknown): Outcome => ({
        figures: {},
        violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      }),
    );
    const { figures, violations, table = [] } = await outcome;
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    for (const violation of violations) say(`${name}: VIOLATION: ${violation}`);
    if (violations.length > 0) isSound = false;
    tables.push(...table);
    const told = Object.entries({ minutes, ...figures }).map(([what, value]) => `${what}: ${value}`);
    rows.push(`${name.padEnd(21)}${violations.length === 0 ? 'holds   ' : 'VIOLATED'}  ${told.join('; ')}`);
    await stopEverything();
  }
  say('---');
  for (const row of [...tables, ...rows]) say(row);
  say(isSound ? 'Every guarantee held.' : 'Not every guarantee held.');
  return isSound;
}

const tooLong = setTimeout(() => {
  say(`not done after ${LONGEST_RUN_MS / 60_000} minutes`);
  void stopEverything().then(() => process.exit(1));
}, LONGEST_RUN_MS);
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void stopEverything().then(() => process.exit(1)));
try {
  const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  if (!(await soak(wanted.length > 0 ? wanted : Object.keys(SOAKS)))) process.exitCode = 1;
} finally {
  clearTimeout(tooLong);
  await stopEverything();
}
