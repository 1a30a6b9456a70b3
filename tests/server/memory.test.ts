/**
 * Memory outside the heap, which no collection bounds: whatever one account sends, the process stays below
 * what the deployment files give it.
 */
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { enter } from '#tests/support/rest-client.ts';
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
    const server = await startServer();
    const { token } = await enter(server, 'cam');
    const names = Intl.supportedValuesOf('timeZone');
    const spellings = [
      names,
      names.map((name) => name.toUpperCase()),
      names.map((name) => name.toLowerCase()),
    ];
    const zones = Array.from({ length: 8 }, () => spellings).flat(2);
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
