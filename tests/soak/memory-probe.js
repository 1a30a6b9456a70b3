/**
 * Preloaded into a server that is being soaked: writes what its memory looks like to the file
 * MEMORY_PROBE_FILE, a line of JSON each five seconds. Once a minute garbage is collected first, so that the
 * line tells what is really held (`isAfterCollection`).
 */
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const INTERVAL_MS = 5_000;
const COLLECTION_EVERY = 12;

const file = process.env['MEMORY_PROBE_FILE'];
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

let count = 0;
const probing = setInterval(() => {
  count += 1;
  const isAfterCollection = count % COLLECTION_EVERY === 0;
  // The memory without a forced collection.
  const { rss } = process.memoryUsage();
  if (isAfterCollection) {
    collectGarbage();
    // A collection that was under way keeps what died since it began.
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  const sample = { uptimeSeconds: process.uptime(), rss, heapUsed, external, isAfterCollection };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(sample)}\n`);
}, INTERVAL_MS);
probing.unref();
