/**
 * Nobody stops the others: the production build, with its limits on, under one attack after the other, each
 * on a fresh copy of the same ledger. Beside it somebody asks /healthz, people tip, and people log in where
 * they have logged in before, first in quiet and then during the attack. What they met, and how long the
 * event loop of the server stood still, is a row of a table.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededLedger } from '#tests/bench/seeded-ledger.ts';
import {
  type Attack,
  attackAddress,
  type Bystander,
  LOST_STREAMS,
  type Scene,
  type Spoils,
  spoilsShape,
} from './attack-tools.ts';
import { ATTACKS } from './attacks.ts';
import { LONG_HISTORY, type Place, prepareSites, type Site } from './sites.ts';
import { createDevice, enter } from './visitor.ts';
import { type Crowd, type Deeds, type Phase, type Testimony, witness } from './witnesses.ts';

const REGULARS = 8;
const OWN_ACCOUNTS = 6;
const QUIET_SECONDS = 2.5;
const ATTACK_SECONDS = 5;
const SETTLING_MS = 300;
const ATTACK_PATIENCE_MS = 90_000;

/** The longest wait of somebody who asks for what an attack is about, in milliseconds. */
const LONGEST_WAIT_MS = 1_000;
const MOST_MEMORY_MB = 400;
/**
 * Milliseconds of computing without a turn of the event loop. The aim is 20; the limit leaves room for noise.
 */
const SHORT_STOP_MS = 50;
const MOST_SHORT_STOPS = 2;
const LONG_STOP_MS = 200;
const MEGABYTE = 1_048_576;

const REST_SECONDS = 2;

interface Sample {
  readonly atMs: number;
  /**
   * The loop's stops by the clock, and the processor time in them: the rest was waiting for a core or the
   * disk.
   */
  readonly stops: readonly { readonly clockMs: number; readonly computingMs: number }[];
  readonly rss: number;
  readonly cpuMs: number;
}

interface Watched<Result = unknown> {
  readonly result: Result;
  readonly testimony: Testimony;
  readonly samples: readonly (readonly Sample[])[];
}

interface Row {
  readonly cells: readonly string[];
  readonly violations: readonly string[];
}

const COLUMNS = [
  'attack',
  'healthz quiet',
  'healthz attacked',
  'loop stopped',
  'tips',
  'logins',
  'what the attack got',
  'cores',
  'RSS',
  'verdict',
];
const LEGEND = [
  'healthz: p50 / p99 / slowest in ms, from when each was due. loop stopped: the longest time that it computed without',
  `a turn, in ms, quiet -> attacked (how often above ${SHORT_STOP_MS}), and then the longest stop by the clock, in which it may`,
  'have waited for a core or the disk. tips, logins, during the attack: done / refused, slowest in ms. cores: how much',
  'of one the servers / the attacker took; with two cores, a sum near 2 says that they were in the way of each other and',
  'of those who measure. RSS: the most in MB of a process, quiet -> attacked -> some seconds later. What follows a "+"',
  'was tried afterwards; "waited" is the longest that somebody else waited for what the attack was about, in ms.',
];

/**
 * @param scale shortens the phases.
 * @param wanted the names of the attacks, all of them when there are none.
 * @param place what is attacked: which database, and whether through a proxy.
 * @throws Error when the system cannot show it.
 */
export async function besiege(
  scale: number,
  wanted: readonly string[],
  place: Place,
  report: (line: string) => void,
): Promise<{ table: readonly string[]; attacks: number; violations: readonly string[] }> {
  if (process.platform !== 'linux')
    throw new Error('only Linux has all of 127.0.0.0/8 as addresses of its own');
  const names = wanted.length > 0 ? wanted : Object.keys(ATTACKS);
  const sites = await prepareSites(place);
  const rows: Row[] = [];
  try {
    for (const name of names) {
      const attack = ATTACKS[name];
      if (!attack)
        throw new Error(`There is no attack "${name}"; there are ${Object.keys(ATTACKS).join(', ')}.`);
      const row = await stage(name, attack, { ...sites, scale }).catch((error: unknown): Row => {
        const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
        return { cells: [attack.what, 'could not be shown'], violations: [why] };
      });
      rows.push(row);
      report(row.cells.join(' | '));
    }
  } finally {
    await sites.close();
  }
  return {
    table: [...tableOf(rows), '', ...LEGEND],
    attacks: rows.length,
    violations: rows.flatMap(({ violations }, index) =>
      violations.map((violation) => `${names[index]}: ${violation}`),
    ),
  };
}

async function stage(
  name: string,
  attack: Attack,
  {
    ledger,
    open,
    scale,
  }: { readonly ledger: SeededLedger; readonly open: () => Promise<Site>; readonly scale: number },
): Promise<Row> {
  const attacker = fork(join(import.meta.dirname, 'attacker.ts'), [name], { execArgv: [] });
  const opening = open();
  try {
    const site = await opening;
    const { scene, crowd, bystander } = await setTheScene(
      site,
      ledger,
      Math.max(1.5, ATTACK_SECONDS * scale),
    );
    attacker.send(scene);
    await messageOf(attacker);
    if (attack.isFromAVenue) {
      for (const { device } of crowd.regulars.slice(0, REGULARS / 2)) device.moveTo(attackAddress(0));
    }
    const quiet = await watch(site, crowd, () => sleep(1_000 * Math.max(1, QUIET_SECONDS * scale)));
    const attacked = await watch(site, crowd, async () => {
      attacker.send('begin');
      return spoilsShape.parse(await messageOf(attacker));
    });
    const endedAtMs = Date.now();
    await sleep(1_000 * REST_SECONDS);
    const restMb = Math.max(...site.probeFiles.map((file) => samplesSince(file, endedAtMs).at(-1)?.rss ?? 0));
    const failed = (await attack.afterwards?.(scene, bystander)) ?? [];
    return judge(attack, { quiet, attacked, restMb: restMb / MEGABYTE, failed });
  } finally {
    attacker.kill('SIGKILL');
    await opening.then((site) => site.end());
  }
}

function samplesSince(probeFile: string, fromMs: number): Sample[] {
  const lines = readFileSync(probeFile, 'utf8').trim().split('\n');
  return lines.map((line): Sample => JSON.parse(line)).filter(({ atMs }) => atMs >= fromMs);
}

async function setTheScene({ port }: Site, ledger: SeededLedger, seconds: number) {
  const admit = async (username: string, address: string): Promise<Bystander> => {
    const device = createDevice(port, address);
    return { device, person: await enter(device, username) };
  };
  const admitAll = (name: string, network: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => admit(`${name}-${index}`, `${network}.${1 + index}`)),
    );
  const [regulars, own, bystander] = await Promise.all([
    admitAll('regular', '127.0.3', REGULARS),
    admitAll('attacker', '127.0.4', OWN_ACCOUNTS),
    admit('bystander', '127.0.5.1'),
  ]);
  const codes = ledger.codes.map(({ id, category }) => ({ id, category }));
  const scene: Scene = {
    port,
    seconds,
    long: { token: ledger.longHistoryToken, tips: LONG_HISTORY, oldestTip: ledger.oldestTip },
    // Attackers and others use different codes, so that nobody warms a cache for anybody.
    codes: codes.slice(0, 1_000),
    tokens: ledger.providerTokens,
    own: own.map(({ person }) => person),
    victim: { email: bystander.person.email },
  };
  const crowd: Crowd = { giverTokens: ledger.giverTokens, codes: codes.slice(1_000), regulars };
  return { scene, crowd, bystander };
}

async function watch<Result>(
  { port, probeFiles }: Site,
  crowd: Crowd,
  during: () => Promise<Result>,
): Promise<Watched<Result>> {
  const fromMs = Date.now();
  const phase: Phase = { overAt: Number.POSITIVE_INFINITY };
  const witnessing = witness(port, crowd, phase);
  const result = await during().finally(() => {
    phase.overAt = performance.now();
  });
  const testimony = await witnessing;
  await sleep(SETTLING_MS);
  return { result, testimony, samples: probeFiles.map((file) => samplesSince(file, fromMs)) };
}

function judge(
  attack: Attack,
  seen: {
    readonly quiet: Watched;
    readonly attacked: Watched<Spoils>;
    readonly restMb: number;
    readonly failed: readonly (string | null)[];
  },
): Row {
  const { quiet, attacked, restMb, failed } = seen;
  const spoils = attacked.result;
  const { probes, tips, logins } = attacked.testimony;
  const shortStops = computingOf(attacked).filter((ms) => ms > SHORT_STOP_MS).length;
  const longest = Math.max(0, ...computingOf(attacked));
  const longestByClock = Math.max(
    0,
    ...attacked.samples.flat().flatMap(({ stops }) => stops.map(({ clockMs }) => clockMs)),
  );
  const faults = Object.entries(spoils.counts).filter(
    ([what]) => /^5\d\d/.test(what) && !what.startsWith('503'),
  );
  const lostStreams = spoils.counts[LOST_STREAMS] ?? 0;
  const afterwards = failed.filter((violation) => violation !== null);
  const violations = [
    ...refusalsOf('/healthz', probes),
    ...refusalsOf('a tip', tips),
    ...refusalsOf('a login on a known device', logins),
    ...afterwards,
    ...Object.entries(spoils.waits).flatMap(([what, ms]) =>
      ms > LONGEST_WAIT_MS ? [`somebody else waited ${ms} ms for ${what}`] : [],
    ),
    ...(rssOf(attacked) > MOST_MEMORY_MB ? [`a process took ${rssOf(attacked).toFixed(0)} MB`] : []),
    ...(lostStreams > 0 ? [`${lostStreams} streams of others ended`] : []),
    ...faults.map(([what, count]) => `the attacker was answered ${what} ${count} times`),
    ...(longest > LONG_STOP_MS || shortStops > MOST_SHORT_STOPS
      ? [
          `the event loop computed for ${longest.toFixed(0)} ms without a turn, and ${shortStops} times above ${SHORT_STOP_MS} ms`,
        ]
      : []),
  ];
  const got = [
    ...Object.entries(spoils.counts).map(([what, count]) => `${what} x ${count}`),
    ...Object.entries(spoils.waits).map(([what, ms]) => `${what} waited ${ms}`),
  ];
  const shown =
    failed.length === 0 ? [] : [`+ ${failed.length - afterwards.length} of ${failed.length} held`];
  return {
    cells: [
      attack.what,
      timesOf(quiet.testimony.probes),
      timesOf(probes),
      `${briefly(Math.max(0, ...computingOf(quiet)))} -> ${briefly(longest)} (${shortStops}), ${briefly(longestByClock)}`,
      deedsOf(tips),
      deedsOf(logins),
      `${[...got, ...shown, `in ${spoils.seconds.toFixed(1)} s`].join('; ')}`,
      `${attacked.samples.map(coresOf).join(' + ')} / ${(spoils.cpuMs / spoils.seconds / 1_000).toFixed(2)}`,
      `${rssOf(quiet).toFixed(0)} -> ${rssOf(attacked).toFixed(0)} -> ${restMb.toFixed(0)}`,
      violations.length === 0 ? 'holds' : 'VIOLATES',
    ],
    violations,
  };
}

function refusalsOf(what: string, { done, refused }: Deeds): readonly string[] {
  const [first] = refused;
  return first === undefined
    ? []
    : [`${what} was refused ${refused.length} of ${done + refused.length} times: ${first}`];
}

function computingOf({ samples }: Watched): readonly number[] {
  return samples.flat().flatMap(({ stops }) => stops.map(({ computingMs }) => computingMs));
}

function rssOf({ samples }: Watched): number {
  return Math.max(0, ...samples.flat().map(({ rss }) => rss)) / MEGABYTE;
}

function coresOf(samples: readonly Sample[]): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || first === last) return '-';
  return ((last.cpuMs - first.cpuMs) / (last.atMs - first.atMs)).toFixed(2);
}

function timesOf({ timesMs }: Deeds): string {
  const sorted = [...timesMs].sort((a, b) => a - b);
  const at = (share: number) => briefly(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
}

function deedsOf({ done, refused, timesMs }: Deeds): string {
  return `${done} / ${refused.length}, ${briefly(Math.max(...timesMs))}`;
}

function briefly(ms: number): string {
  return Number.isFinite(ms) ? ms.toFixed(ms < 10 ? 1 : 0) : '-';
}

function tableOf(rows: readonly Row[]): readonly string[] {
  const lines = [COLUMNS, ...rows.map(({ cells }) => cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const lineOf = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head = '', ...body] = lines.map(lineOf);
  return [head, rule, ...body];
}

/** @throws Error when the process ends, or says nothing for too long, instead. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const done = new AbortController();
  const { signal } = done;
  try {
    const [message]: unknown[] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`the attacker ended with ${code}`);
      }),
      sleep(ATTACK_PATIENCE_MS, undefined, { signal }).then(() => {
        throw new Error('the attacker has told nothing for too long');
      }),
    ]);
    return message;
  } finally {
    done.abort();
  }
}
