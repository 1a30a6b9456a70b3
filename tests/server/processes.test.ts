/**
 * Two servers on one PostgreSQL database, both under load: what was acknowledged stays, once, whoever dies; what is watched is told
 * once and in order, whichever of the servers recorded it. `npm run soak -- postgres-kills` does it for longer.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { killServer, loseDatabase, watchEverywhere } from '#tests/support/outages.ts';
import { ask } from '#tests/support/postgres-cluster.ts';
import { type PostgresServer, startPostgres } from '#tests/support/postgres-server.ts';
import { startSeveralProcesses } from '#tests/support/several-processes.ts';

/** Windows has no signal that stops a process where it is. */
const testOnUnix = test.skipIf(process.platform === 'win32');

let postgres: PostgresServer;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres({ max_connections: '60' });
});
afterAll(() => postgres?.stop());

/** Two servers on a database of their own. */
async function setTheScene() {
  databases += 1;
  const name = `processes_${databases}`;
  await ask(postgres.url('postgres'), `CREATE DATABASE ${name}`);
  const url = postgres.url(name);
  const scene = await startSeveralProcesses(url);
  onTestFinished(scene.close);
  return { url, scene };
}

test('two servers record every tip and every refund once, and tell each to every stream once and in order', async () => {
  const { url, scene } = await setTheScene();
  await Promise.all([watchEverywhere(scene), scene.watch(1, 0, 'tRPC'), scene.watch(2, 1, 'tRPC')]);
  const streams = 9;
  const end = scene.startTipping();
  await scene.tips(100);
  await Promise.all([
    scene.watch(0, 0),
    scene.watch(1, 1, 'tRPC'),
    scene.watch(3, 0),
    scene.watch(4, 1, 'tRPC'),
  ]);
  await scene.tips(300);
  await end();
  const { tips, refunds, ...rest } = await scene.compare(url);
  expect(tips).toBeGreaterThanOrEqual(400);
  expect(refunds).toBeGreaterThanOrEqual(100);
  expect(rest).toEqual({ cutOff: 0, refused: 0, recordedUnanswered: 0, connectionsOfStreams: streams + 4 });
});

test('a server that is killed under load loses no tip and doubles none, and its clients go on at the other', async () => {
  const { url, scene } = await setTheScene();
  await watchEverywhere(scene);
  const end = scene.startTipping();
  for (const place of [0, 1, 0] as const) await killServer(scene, place);
  await end();
  expect((await scene.compare(url)).cutOff).toBeGreaterThan(0);
});

testOnUnix(
  'a database that is killed under load loses no tip and doubles none, and the servers go on by themselves',
  async () => {
    const { url, scene } = await setTheScene();
    await watchEverywhere(scene);
    const end = scene.startTipping();
    for (let kill = 1; kill <= 2; kill += 1)
      await loseDatabase(scene, 'kill of the database', postgres.kill, postgres.start);
    await end();
    const figures = await scene.compare(url);
    expect(figures).toMatchObject({ cutOff: 0 });
    expect(figures.refused).toBeGreaterThan(0);
  },
);

testOnUnix(
  'a database that hangs under load has every request refused in time, and loses no tip and doubles none once it goes on',
  async () => {
    const { url, scene } = await setTheScene();
    await watchEverywhere(scene);
    const end = scene.startTipping();
    await loseDatabase(scene, 'hang of the database', postgres.pause, postgres.resume);
    await end();
    const figures = await scene.compare(url);
    expect(figures).toMatchObject({ cutOff: 0 });
    expect(figures.refused).toBeGreaterThan(0);
  },
);
