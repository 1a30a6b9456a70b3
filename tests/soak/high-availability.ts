/**
 * Two processes of Tipwell on the database cluster of deploy/ha, with people who tip and people who watch, while the
 * node that leads dies, is cut off, runs out of disk, or hands over. What must hold is asserted by what it
 * shares with the other outages: no acknowledged tip is lost, doubled or changed, and streams tell each once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { watchEverywhere } from '#tests/support/outages.ts';
import {
  type DatabaseNode,
  type PatroniCluster,
  startPatroniCluster,
} from '#tests/support/patroni-cluster.ts';
import { ask } from '#tests/support/postgres-cluster.ts';
import { type Cut, runInNamespaces } from '#tests/support/private-machines.ts';
import { stopEverything } from '#tests/support/running-server.ts';
import {
  type Pauses,
  type SeveralProcesses,
  startSeveralProcesses,
} from '#tests/support/several-processes.ts';
import { requireTools } from '#tests/support/system-tools.ts';

const PROGRAMS = ['patroni', 'etcd', 'haproxy', 'nft', 'ip', 'unshare', 'setpriv', 'curl'];
const PACKAGES = [
  'postgresql',
  'patroni',
  'python3-idna',
  'etcd-server',
  'haproxy',
  'nftables',
  'iproute2',
  'curl',
];
const HOW_TO = `This needs Linux, root, and on Debian 12: apt-get install ${PACKAGES.join(' ')}.`;

const CLIENTS = 6;
/** Some tips are on their way at every moment, and few enough to compare all of them after each fault. */
const PACE_MS = 120;
const TIPS_BETWEEN = 40;
/** Longer than a lock lasts. */
const LOCK_LOST_MS = 30_000;
const PROBE_PAUSE_MS = 100;
const PROBE_PATIENCE_MS = 20_000;

type Report = (line: string) => void;

const outcomeShape = z.object({
  figures: z.record(z.string(), z.union([z.string(), z.number()])),
  violations: z.array(z.string()),
  table: z.array(z.string()),
});
type Outcome = z.infer<typeof outcomeShape>;

/**
 * Runs `endureFaults` in namespaces.
 * @param times how often each fault is made.
 * @throws Error where this machine has not what it needs.
 */
export async function loseDatabaseNodes(times: number): Promise<Outcome> {
  // Nothing is installed unasked, because Debian starts these services at once.
  requireTools(PROGRAMS, [], HOW_TO);
  return outcomeShape.parse(await runInNamespaces(import.meta.filename, [String(times)]));
}

interface Scene {
  readonly cluster: PatroniCluster;
  readonly processes: SeveralProcesses;
  readonly probe: Probe;
}

/** Makes a fault at the node that leads and mends it, under load. */
type Fault = (scene: Scene, leader: DatabaseNode, synchronous: DatabaseNode) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  'the primary is killed': async ({ cluster, processes }, leader) => {
    leader.killDatabase();
    await cluster.replaced(leader);
    await processes.tips(TIPS_BETWEEN);
    leader.startDatabase();
  },
  'its machine is cut off': cutOff('everybody'),
  'it is cut off from the other nodes, and not from Tipwell': cutOff('the other machines'),
  'its disk is full': async ({ cluster, processes }, leader) => {
    leader.fillDisk();
    try {
      await cluster.replaced(leader);
      await processes.tips(TIPS_BETWEEN);
    } finally {
      leader.emptyDisk();
    }
  },
  'it hands over': async ({ cluster }, leader, synchronous) => {
    await cluster.switchOver(leader, synchronous);
    await cluster.replaced(leader);
  },
  'the standby that confirms is cut off': async ({ processes }, _, synchronous) => {
    synchronous.cutOff('everybody');
    try {
      await sleep(1_000);
      await processes.tips(TIPS_BETWEEN);
    } finally {
      synchronous.rejoin();
    }
  },
  'etcd stands still on all nodes': async ({ cluster, processes }) => {
    for (const node of cluster.nodes) node.pauseLock();
    try {
      await sleep(LOCK_LOST_MS);
      await processes.tips(TIPS_BETWEEN);
    } finally {
      for (const node of cluster.nodes) node.resumeLock();
    }
    // On a busy machine the lock that stood still runs out before its owner renews it, and another node leads.
    await sleep(LOCK_LOST_MS);
  },
};

function cutOff(from: Cut): Fault {
  return async ({ cluster, processes, probe }, leader) => {
    leader.cutOff(from);
    const end = probe.writeTo(leader);
    try {
      await cluster.replaced(leader);
      await processes.tips(TIPS_BETWEEN);
    } finally {
      await end();
      leader.rejoin();
    }
  };
}

/**
 * Somebody on the node itself who writes there and notes what is acknowledged, since nobody else reaches a node
 * that was cut off.
 */
interface Probe {
  /** @returns a function that ends the writing. */
  writeTo(node: DatabaseNode): () => Promise<void>;
  figures(): { readonly tried: number; readonly acknowledged: number };
  /** How many acknowledged rows the cluster does not have. */
  countLost(url: string): Promise<number>;
}

async function createProbe(url: string): Promise<Probe> {
  await ask(url, 'CREATE TABLE public.probe (number integer PRIMARY KEY)');
  let tried = 0;
  const acknowledged: number[] = [];
  return {
    writeTo(node) {
      let isEnding = false;
      const write = async () => {
        const client = new Client({
          connectionString: node.socketUrl,
          query_timeout: PROBE_PATIENCE_MS,
          connectionTimeoutMillis: PROBE_PATIENCE_MS,
        });
        client.on('error', () => {});
        try {
          await client.connect();
          while (!isEnding) {
            tried += 1;
            const number = tried;
            await client.query('INSERT INTO public.probe VALUES ($1)', [number]);
            acknowledged.push(number);
            await sleep(PROBE_PAUSE_MS);
          }
        } finally {
          await client.end().catch(() => {});
        }
      };
      const writing = (async () => {
        while (!isEnding) {
          await write().catch(() => {});
          await sleep(PROBE_PAUSE_MS);
        }
      })();
      return () => {
        isEnding = true;
        return writing;
      };
    },
    figures: () => ({ tried, acknowledged: acknowledged.length }),
    async countLost(address) {
      const rows = await ask<{ number: number }>(address, 'SELECT number FROM public.probe');
      const kept = new Set(rows.map(({ number }) => number));
      return acknowledged.filter((number) => !kept.has(number)).length;
    },
  };
}

async function endureFaults(cluster: PatroniCluster, times: number, report: Report): Promise<Outcome> {
  const [url] = cluster.urls;
  const met = new Map<string, Pauses[]>();
  let tips = 0;
  const violations: string[] = [];
  let processes: SeveralProcesses | null = null;
  try {
    processes = await startSeveralProcesses(cluster.urls, { clients: CLIENTS, paceMs: PACE_MS });
    await watchEverywhere(processes);
    const probe = await createProbe(url);
    const wanted = (process.env['SOAK_FAULTS'] ?? '').split(',').filter((name) => name !== '');
    const faults = Object.entries(FAULTS).filter(
      ([what]) => wanted.length === 0 || wanted.some((part) => what.includes(part)),
    );
    for (let round = 1; round <= times; round += 1) {
      for (const [what, makeFault] of faults) {
        const end = processes.startTipping();
        const { leader, synchronous } = await cluster.healthy();
        await processes.tips(TIPS_BETWEEN);
        const atMs = Date.now();
        await makeFault({ cluster, processes, probe }, leader, synchronous);
        await cluster.healthy();
        await processes.readiness(200);
        await processes.tips(TIPS_BETWEEN);
        await end();
        ({ tips } = await processes.compare(url));
        const pauses = processes.pausesSince(atMs);
        met.set(what, [...(met.get(what) ?? []), pauses]);
        report(`${round}: ${what} (${leader.name}): ${JSON.stringify(pauses)}, ${tips} tips so far`);
      }
    }
    const lost = await probe.countLost(url);
    if (lost > 0) violations.push(`a node that was cut off acknowledged ${lost} rows that are lost`);
    const { tried, acknowledged } = probe.figures();
    return {
      figures: {
        tips,
        lost: 0,
        doubled: 0,
        wrong: 0,
        probes: `${tried} at nodes cut off, ${acknowledged} acknowledged, ${lost} lost`,
      },
      violations,
      table: tableOf(met),
    };
  } catch (error) {
    report(cluster.lastWords());
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { figures: { tips }, violations: [reason], table: tableOf(met) };
  } finally {
    await processes?.close();
  }
}

function tableOf(met: ReadonlyMap<string, readonly Pauses[]>): string[] {
  const seconds = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(1));
    return `${sorted[Math.floor(sorted.length / 2)]} / ${sorted.at(-1)}`;
  };
  return [
    '| fault (seconds: median / most) | times | no tip acknowledged | one tip, with its repetitions | a tip to the dashboards |',
    '| --- | --- | --- | --- | --- |',
    ...[...met].map(([what, pauses]) =>
      [
        '',
        what,
        pauses.length,
        seconds(pauses.map(({ withoutTipMs }) => withoutTipMs)),
        seconds(pauses.map(({ givingMs }) => givingMs)),
        seconds(pauses.map(({ unseenMs }) => unseenMs)),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ];
}

/** In the namespaces this module is the program. */
if (import.meta.main) {
  let cluster: PatroniCluster | null = null;
  const stop = async () => {
    await cluster?.stop();
    await stopEverything();
  };
  process.once('disconnect', () => void stop().finally(() => process.exit(1)));
  cluster = await startPatroniCluster();
  const times = Number(process.argv[2]);
  const outcome = await endureFaults(cluster, times, (line) => process.stdout.write(`ha: ${line}\n`));
  await stop();
  process.send?.(outcome, () => process.exit(0));
}
