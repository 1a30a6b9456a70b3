/**
 * The primary of a PostgreSQL cluster dies for good under load, and the standby that every commit waited for
 * takes its place. `npm run soak -- postgres-promotions` does it several times over.
 */
import { expect, onTestFinished, test } from 'vitest';
import { promoteStandby, watchEverywhere } from '#tests/support/outages.ts';
import { startPostgresCluster } from '#tests/support/postgres-cluster.ts';
import { startSeveralProcesses } from '#tests/support/several-processes.ts';

// Windows has no signal that stops a process where it is, which comes before the end of all processes at
// once.
test.skipIf(process.platform === 'win32')(
  'a promoted standby has every acknowledged tip once, and the servers go on by themselves',
  async () => {
    const cluster = await startPostgresCluster();
    onTestFinished(cluster.stop);
    const scene = await startSeveralProcesses(cluster.url, { clients: 6, paceMs: 20 });
    onTestFinished(scene.close);
    await cluster.addStandby();
    await watchEverywhere(scene);
    const end = scene.startTipping();
    await promoteStandby(scene, cluster);
    await end();
    const figures = await scene.compare(cluster.directUrl());
    expect(figures).toMatchObject({ cutOff: 0 });
  },
);
