/**
 * Two servers on one PostgreSQL database, both under load: what was acknowledged stays, once, whoever dies;
 * what is watched is told once and in order, whichever of the servers recorded it. `npm run soak --
 * postgres-kills` does it for longer, and `postgres-promotions` promotes standbys several times over.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { createCuttableLine } from '#tests/support/cuttable-line.ts';
import { OPENING } from '#tests/support/opening.ts';
import { killServer, loseDatabase, promoteStandby, watchEverywhere } from '#tests/support/outages.ts';
import { createPeople } from '#tests/support/people.ts';
import { type PostgresCluster, portOf, startPostgresCluster } from '#tests/support/postgres-cluster.ts';
import type { PostgresServer } from '#tests/support/postgres-server.ts';
import { type SeveralProcesses, startSeveralProcesses } from '#tests/support/several-processes.ts';

/** Windows has no signal that stops a process where it is. */
const testOnUnix = test.skipIf(process.platform === 'win32');

/** Between two tips of somebody, where the load lasts for as long as an outage. */
const UNHURRIED_MS = 40;
/** Of streams and tips that were refused, which are many while a database is away. */
const PAUSE_MS = 100;
/** The streams of `watchEverywhere`. */
const STREAMS = 7;

let cluster: PostgresCluster;
let scene: SeveralProcesses;

/**
 * The same two servers, people and streams for all tests: what one leaves has to hold when the next one
 * compares it.
 */
beforeAll(async () => {
  cluster = await startPostgresCluster();
  scene = await startSeveralProcesses(cluster.url, { clients: 6, pauseMs: PAUSE_MS });
  await watchEverywhere(scene);
});
afterAll(async () => {
  await scene?.close();
  await cluster?.stop();
});

const compare = () => scene.compare(cluster.directUrl());

test('two servers record every tip and every refund once, and tell each to every stream once and in order', async () => {
  await Promise.all([scene.watch(1, 0, 'tRPC'), scene.watch(2, 1, 'tRPC')]);
  const end = scene.startTipping();
  await scene.tips(40);
  const later = [scene.watch(0, 0), scene.watch(1, 1, 'tRPC'), scene.watch(3, 0), scene.watch(4, 1, 'tRPC')];
  await Promise.all(later);
  await scene.tips(80);
  await end();
  const { tips, refunds, ...rest } = await compare();
  expect(tips).toBeGreaterThanOrEqual(120);
  expect(refunds).toBeGreaterThanOrEqual(30);
  const connectionsOfStreams = STREAMS + 2 + later.length;
  expect(rest).toEqual({ cutOff: 0, refused: 0, recordedUnanswered: 0, connectionsOfStreams });
});

test('a server that is killed under load loses no tip and doubles none, and its clients go on at the other', async () => {
  const end = scene.startTipping();
  await killServer(scene, 0);
  await end();
  expect((await compare()).cutOff).toBeGreaterThan(0);
});

/** Takes the database away once, and holds that requests were refused meanwhile and none was cut off. */
async function endureWithout(
  what: string,
  takeAway: () => void | Promise<void>,
  bringBack: () => void | Promise<void>,
) {
  const before = { cutOff: scene.cutOff(), refused: scene.refused() };
  const end = scene.startTipping(UNHURRIED_MS);
  await loseDatabase(scene, what, takeAway, bringBack);
  await end();
  const { cutOff, refused } = await compare();
  expect(cutOff).toBe(before.cutOff);
  expect(refused).toBeGreaterThan(before.refused);
}

testOnUnix(
  'a database that is killed under load loses no tip and doubles none, and the servers go on by themselves',
  () => endureWithout('kill of the database', cluster.primary().kill, cluster.primary().start),
);

testOnUnix(
  'a database that hangs under load has every request refused in time, and loses no tip and doubles none once it goes on',
  () => endureWithout('hang of the database', cluster.primary().pause, cluster.primary().resume),
);

testOnUnix(
  'a standby, which may show what the primary never had, is not read from; promoted, it has every acknowledged tip once, and the servers go on',
  async () => {
    await expectNotToBeRead(await cluster.addStandby());
    const cutOff = scene.cutOff();
    const end = scene.startTipping(UNHURRIED_MS);
    await promoteStandby(scene, cluster);
    await end();
    expect((await compare()).cutOff).toBe(cutOff);
  },
);

/** Leads a storage to the standby, and back. */
async function expectNotToBeRead(standby: PostgresServer): Promise<void> {
  const primary = cluster.primary();
  const line = await createCuttableLine(portOf(primary));
  onTestFinished(line.cut);
  const url = new URL(cluster.directUrl());
  url.port = String(line.port);
  const storage = await databaseAt({ engine: 'postgres', url: url.href }).openForServer(OPENING);
  onTestFinished(() => storage.close());
  const { addAccount, addCode } = createPeople(storage);
  const code = await addCode(await addAccount('read', ['bartender']), 'bartender');
  const moveTo = async (server: PostgresServer) => {
    await line.cut();
    line.turn(portOf(server));
    await line.mend();
  };
  await moveTo(standby);
  await expect(storage.findQrCode(code)).rejects.toThrow(StorageUnavailable);
  await moveTo(primary);
  expect(await storage.findQrCode(code)).toMatchObject({ id: code });
}
