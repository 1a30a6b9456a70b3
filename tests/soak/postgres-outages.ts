/** The long forms of tests/server/processes.test.ts. What must hold is asserted by what they share. */
import {
  killServer,
  loseDatabase,
  type Outage,
  promoteStandby,
  watchEverywhere,
} from '#tests/support/outages.ts';
import { type PostgresCluster, startPostgresCluster } from '#tests/support/postgres-cluster.ts';
import { type PostgresServer, startPostgres } from '#tests/support/postgres-server.ts';
import { type SeveralProcesses, startSeveralProcesses } from '#tests/support/several-processes.ts';

const COMPARED_EVERY = 5;
const SETTINGS = { max_connections: '60' };

type Figures = Readonly<Record<string, string | number>>;
type Report = (line: string) => void;

/** @throws AssertionError */
export function killInTurns(kills: number, report: Report): Promise<Figures> {
  return withPostgres(async (postgres) => {
    const scene = await startSeveralProcesses(postgres.url('postgres'));
    return endure(
      scene,
      () => postgres.url('postgres'),
      kills,
      report,
      async (round) => [
        await killServer(scene, round % 2 === 0 ? 0 : 1),
        await loseDatabase(scene, 'kill of the database', postgres.kill, postgres.start),
      ],
    );
  });
}

/** @throws AssertionError */
export function hang(hangs: number, report: Report): Promise<Figures> {
  return withPostgres(async (postgres) => {
    const scene = await startSeveralProcesses(postgres.url('postgres'));
    return endure(
      scene,
      () => postgres.url('postgres'),
      hangs,
      report,
      async () => [await loseDatabase(scene, 'hang of the database', postgres.pause, postgres.resume)],
    );
  });
}

/** Each time a new standby is promoted in place of the primary. @throws AssertionError */
export async function promoteInTurns(promotions: number, report: Report): Promise<Figures> {
  const cluster: PostgresCluster = await startPostgresCluster();
  try {
    const scene = await startSeveralProcesses(cluster.url);
    return await endure(scene, cluster.directUrl, promotions, report, async () => {
      await cluster.addStandby();
      return [await promoteStandby(scene, cluster)];
    });
  } finally {
    await cluster.stop();
  }
}

async function withPostgres(run: (postgres: PostgresServer) => Promise<Figures>): Promise<Figures> {
  const postgres = await startPostgres(SETTINGS);
  try {
    return await run(postgres);
  } finally {
    await postgres.stop();
  }
}

async function endure(
  scene: SeveralProcesses,
  url: () => string,
  rounds: number,
  report: Report,
  suffer: (round: number) => Promise<Outage[]>,
): Promise<Figures> {
  try {
    await watchEverywhere(scene);
    const outages: Outage[] = [];
    let end = scene.startTipping();
    for (let round = 1; ; round += 1) {
      for (const outage of await suffer(round)) {
        outages.push(outage);
        report(`${outage.what}: tips were away for ${outage.tipsMs} ms, streams for ${outage.streamsMs} ms`);
      }
      if (round % COMPARED_EVERY !== 0 && round < rounds) continue;
      await end();
      const figures = await scene.compare(url());
      report(`${round} rounds: ${JSON.stringify(figures)}`);
      if (round >= rounds) return { ...figures, ...summaryOf(outages) };
      end = scene.startTipping();
    }
  } finally {
    await scene.close();
  }
}

function summaryOf(outages: readonly Outage[]): Figures {
  const middleAndMost = (times: readonly number[]) => {
    const sorted = times.toSorted((a, b) => a - b);
    return `${sorted[Math.floor(sorted.length / 2)]} / ${sorted.at(-1)} ms`;
  };
  const kinds = new Set(outages.map(({ what }) => what));
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const ofKind = outages.filter(({ what }) => what === kind);
      const tips = middleAndMost(ofKind.map(({ tipsMs }) => tipsMs));
      const streams = middleAndMost(ofKind.map(({ streamsMs }) => streamsMs));
      return [kind, `${ofKind.length} times, tips away ${tips}, streams ${streams} (median / most)`];
    }),
  );
}
