/**
 * Two servers on one PostgreSQL database, both under load: what was acknowledged stays, once, whoever dies;
 * what is watched is told once and in order, whichever of the servers recorded it. `npm run soak --
 * postgres-kills` does it for longer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killServer, loseDatabase, watchEverywhere } from '#tests/support/outages.ts';
import { type PostgresServer, startPostgres } from '#tests/support/postgres-server.ts';
import { type SeveralProcesses, startSeveralProcesses } from '#tests/support/several-processes.ts';

/** Windows has no signal that stops a process where it is. */
const testOnUnix = test.skipIf(process.platform === 'win32');

/** Between two tips of somebody, where the load lasts for as long as an outage. */
const UNHURRIED_MS = 40;

let postgres: PostgresServer;
let scene: SeveralProcesses;

/**
 * The same two servers, people and streams for all tests: what one leaves has to hold when the next one
 * compares it.
 */
beforeAll(async () => {
  postgres = await startPostgres({ max_connections: '60' });
  scene = await startSeveralProcesses(postgres.url('postgres'), { clients: 6 });
});
afterAll(async () => {
  await scene?.close();
  await postgres?.stop();
});

const compare = () => scene.compare(postgres.url('postgres'));

test('two servers record every tip and every refund once, and tell each to every stream once and in order', async () => {
  await Promise.all([watchEverywhere(scene), scene.watch(1, 0, 'tRPC'), scene.watch(2, 1, 'tRPC')]);
  const streams = 9;
  const end = scene.startTipping();
  await scene.tips(40);
  await Promise.all([
    scene.watch(0, 0),
    scene.watch(1, 1, 'tRPC'),
    scene.watch(3, 0),
    scene.watch(4, 1, 'tRPC'),
  ]);
  await scene.tips(80);
  await end();
  const { tips, refunds, ...rest } = await compare();
  expect(tips).toBeGreaterThanOrEqual(120);
  expect(refunds).toBeGreaterThanOrEqual(30);
  expect(rest).toEqual({ cutOff: 0, refused: 0, recordedUnanswered: 0, connectionsOfStreams: streams + 4 });
});

test('a server that is killed under load loses no tip and doubles none, and its clients go on at the other', async () => {
  const end = scene.startTipping();
  for (const place of [0, 1] as const) await killServer(scene, place);
  await end();
  expect((await compare()).cutOff).toBeGreaterThan(0);
});

/** Takes the database away once, and holds that requests were refused meanwhile and none was cut off. */
async function endureWithout(
  what: string,
  takeAway: () => void | Promise<void>,
  bringBack: () => void | Promise<void>,
) {
  const before = await compare();
  const end = scene.startTipping(UNHURRIED_MS);
  await loseDatabase(scene, what, takeAway, bringBack);
  await end();
  const { cutOff, refused } = await compare();
  expect(cutOff).toBe(before.cutOff);
  expect(refused).toBeGreaterThan(before.refused);
}

testOnUnix(
  'a database that is killed under load loses no tip and doubles none, and the servers go on by themselves',
  () => endureWithout('kill of the database', postgres.kill, postgres.start),
);

testOnUnix(
  'a database that hangs under load has every request refused in time, and loses no tip and doubles none once it goes on',
  () => endureWithout('hang of the database', postgres.pause, postgres.resume),
);
