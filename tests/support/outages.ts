/** What may happen to one of several processes or to their database under load, and how each is got over. */
import { type PostgresCluster, until } from './postgres-cluster.ts';
import type { Absence, Place, SeveralProcesses } from './several-processes.ts';

/** Enough for every stream of `watchEverywhere` to have told one. */
const TIPS_BETWEEN = 20;

export interface Outage extends Absence {
  readonly what: string;
}

/** Watches every person at one server or at both, so that the two who are tipped are watched at each. */
export async function watchEverywhere({ watch }: SeveralProcesses): Promise<void> {
  await Promise.all([
    watch(0, 0),
    watch(0, 1),
    watch(1, 0),
    watch(1, 1),
    watch(2, 0),
    watch(3, 1),
    watch(4, 0),
  ]);
}

/**
 * Kills one of the servers under load, and starts another in its place once the other one has taken its
 * clients over.
 */
export async function killServer(scene: SeveralProcesses, place: Place): Promise<Outage> {
  await scene.tips(TIPS_BETWEEN);
  const atMs = Date.now();
  const restart = await scene.kill(place);
  await scene.tips(TIPS_BETWEEN, [place === 0 ? 1 : 0]);
  await restart();
  await scene.tips(TIPS_BETWEEN);
  return { what: 'kill of a server', ...scene.absenceSince(atMs) };
}

/**
 * Takes the database away under load, waits until both servers say that they cannot save anything, to those
 * who give tips as well, and brings it back. The servers go on by themselves.
 */
export async function loseDatabase(
  scene: SeveralProcesses,
  what: string,
  takeAway: () => void | Promise<void>,
  bringBack: () => void | Promise<void>,
): Promise<Outage> {
  await scene.tips(TIPS_BETWEEN);
  const refusedBefore = scene.refused();
  await takeAway();
  await scene.readiness(503);
  await until(
    () => scene.refused() > refusedBefore,
    () => 'a tip is refused',
  );
  const atMs = Date.now();
  await bringBack();
  await scene.tips(TIPS_BETWEEN);
  await scene.readiness(200);
  return { what, ...scene.absenceSince(atMs) };
}

export async function promoteStandby(scene: SeveralProcesses, cluster: PostgresCluster): Promise<Outage> {
  await scene.tips(TIPS_BETWEEN);
  const atMs = Date.now();
  await cluster.failOver();
  await scene.tips(TIPS_BETWEEN);
  await scene.readiness(200);
  return { what: 'promotion of the standby', ...scene.absenceSince(atMs) };
}
