/**
 * Memory outside the heap, which no collection bounds: whatever somebody sends, the process stays below what the
 * deployment files give it.
 */
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Hono } from 'hono';
import { afterAll, expect, test } from 'vitest';
import { createDoorGuard } from '#server/api/http/door.ts';
import { MAX_BODY_PIECES } from '#server/api/http/unread-requests.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';

const MAX_MB = 400;
const CALLS_IN_A_BATCH = 10;

afterAll(stopEverything);

/** The most memory that a process has taken so far, in megabytes. */
function peakOf({ process: { pid } }: RunningServer): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1_000;
}

/** Asks for summaries in each of these time zones. @returns the statuses of the calls. */
async function summarise(
  { url }: RunningServer,
  token: string,
  zones: readonly string[],
): Promise<Set<number>> {
  const paths = zones.map(() => 'transactions.summary').join();
  const input = JSON.stringify({ ...zones.map((timeZone) => ({ timeZone })) });
  const address = `${url}/trpc/${paths}?batch=1&input=${encodeURIComponent(input)}`;
  const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  const calls: { error?: { data: { httpStatus: number } } }[] = JSON.parse(await answer.text());
  return new Set(calls.map(({ error }) => error?.data.httpStatus ?? 200));
}

test.runIf(platform() === 'linux')(
  'is not taken by time zones, however many and however spelled',
  async () => {
    const { path, people } = await prepareLedger(['cam']);
    const token = people[0]?.token ?? '';
    const server = await startServer({ DATABASE_URL: path });
    const names = Intl.supportedValuesOf('timeZone');
    const spellings = [
      names,
      names.map((name) => name.toUpperCase()),
      names.map((name) => name.toLowerCase()),
    ];
    // That each is read once for as long as the process lives is told of the calendar.
    const zones = spellings.flat();
    const offsets = Array.from({ length: 600 }, (_, minutes) => {
      const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
      return `+${digits.join(':')}`;
    });
    for (const [asked, status] of [
      [zones, 200],
      [offsets, 422],
    ] as const) {
      for (let start = 0; start < asked.length; start += CALLS_IN_A_BATCH) {
        const answered = await summarise(server, token, asked.slice(start, start + CALLS_IN_A_BATCH));
        expect(answered).toEqual(new Set([status]));
      }
      expect(peakOf(server)).toBeLessThan(MAX_MB);
    }
  },
);

test('is taken by an unfinished body for its bytes, and not for each of the pieces in which they came', async () => {
  const app = new Hono();
  app.use(createDoorGuard(() => false));
  const bodies = 100;
  const pieces = MAX_BODY_PIECES - 1;
  let read = 0;
  const unfinished = () => {
    let left = pieces;
    return new ReadableStream({
      async pull(controller) {
        if (left === 0) await new Promise(() => {});
        left -= 1;
        read += 1;
        controller.enqueue(new Uint8Array(1));
      },
    });
  };
  const before = bytesInUse();
  // What reads a body is in use for as long as the body is.
  const held = Array.from({ length: bodies }, () => {
    const body = unfinished();
    const headers = { 'Content-Type': 'application/json' };
    // @ts-expect-error: the types of the platform lack what it requires for a stream.
    app.request('/', { method: 'POST', headers, body, duplex: 'half' });
    return body;
  });
  while (read < bodies * pieces) await turnOfTheLoop();
  await turnOfTheLoop();
  expect((bytesInUse() - before) / held.length).toBeLessThan(80_000);
});

function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
