/**
 * Preloaded into a server that is under attack: looks each few milliseconds whether the event loop turns, and
 * writes a line of JSON each tenth of a second to the file LOOP_PROBE_FILE: the stops since the line before,
 * the resident memory, and the processor time of all threads. The server ends when the process that started
 * it is gone.
 *
 * Not `monitorEventLoopDelay`: what happens between its `reset` and its next look is lost, and a stop often
 * begins just there. Without `reset` it has one maximum for the whole life of the process.
 */
import { appendFileSync, readFileSync } from 'node:fs';

const LOOK_EACH_MS = 5;
const WRITE_EACH_MS = 100;

const file = process.env['LOOP_PROBE_FILE'] ?? '/dev/null';
// A process that the server starts has another loop.
delete process.env['LOOP_PROBE_FILE'];
const parent = process.ppid;

let lookedAt = performance.now();
let computedMs = computedByTheLoop();
let writtenAt = lookedAt;
/** @type {{ readonly clockMs: number, readonly computingMs: number }[]} */
let stops = [];

/** Processor time of the main thread: the first number of schedstat(5), in nanoseconds. */
function computedByTheLoop() {
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

setInterval(() => {
  const now = performance.now();
  const computed = computedByTheLoop();
  const clockMs = now - lookedAt - LOOK_EACH_MS;
  if (clockMs > LOOK_EACH_MS) stops.push({ clockMs, computingMs: Math.min(clockMs, computed - computedMs) });
  lookedAt = now;
  computedMs = computed;
  if (now - writtenAt < WRITE_EACH_MS) return;
  writtenAt = now;
  if (process.ppid !== parent) process.exit(1);
  const { user, system } = process.cpuUsage();
  const sample = { atMs: Date.now(), stops, rss: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
  stops = [];
  appendFileSync(file, `${JSON.stringify(sample)}\n`);
}, LOOK_EACH_MS).unref();
