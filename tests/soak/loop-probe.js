/**
 * Preloaded into a server that is under attack: looks each few milliseconds whether the event loop turns, and writes a
 * line of JSON each tenth of a second to the file LOOP_PROBE_FILE: the stops since the line before, the resident memory,
 * and the processor time of all threads. The server ends when the process that started it is gone.
 *
 * Not `monitorEventLoopDelay`: what happens between its `reset` and its next look is lost, and a stop often begins just
 * there. Without `reset` it has one maximum for the whole life of the process.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const LOOK_EACH_MS = 5;
const WRITE_EACH_MS = 100;
/** proc(5): the second number is how long the main thread was ready to run while others had the core, in nanoseconds. */
const SCHEDULING = '/proc/self/schedstat';

const file = process.env['LOOP_PROBE_FILE'] ?? '/dev/null';
const parent = process.ppid;
const isSchedulingTold = existsSync(SCHEDULING);

let lookedAt = performance.now();
let waitedMs = waitedForACore();
let writtenAt = lookedAt;
/** @type {{ readonly clockMs: number, readonly ownMs: number }[]} */
let stops = [];

function waitedForACore() {
  return isSchedulingTold ? Number(readFileSync(SCHEDULING, 'utf8').split(' ')[1]) / 1e6 : 0;
}

setInterval(() => {
  const now = performance.now();
  const waited = waitedForACore();
  const clockMs = now - lookedAt - LOOK_EACH_MS;
  // What the server itself did in that time, computing or waiting for the disk.
  if (clockMs > LOOK_EACH_MS) stops.push({ clockMs, ownMs: Math.max(0, clockMs - (waited - waitedMs)) });
  lookedAt = now;
  waitedMs = waited;
  if (now - writtenAt < WRITE_EACH_MS) return;
  writtenAt = now;
  if (process.ppid !== parent) process.exit(1);
  const { user, system } = process.cpuUsage();
  const sample = { atMs: Date.now(), stops, rss: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
  stops = [];
  appendFileSync(file, `${JSON.stringify(sample)}\n`);
}, LOOK_EACH_MS).unref();
