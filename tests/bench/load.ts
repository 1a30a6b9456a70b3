/** Load by wrk: closed loops over some connections. A wrong answer ends the bench. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type BenchServer, pinned } from './servers.ts';

const SCRIPT = join(import.meta.dirname, 'load.lua');

const result = z.object({
  right: z.number(),
  wrong: z.number(),
  socketErrors: z.number(),
  seconds: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
});
export interface LoadResult extends z.infer<typeof result> {
  readonly perSecond: number;
  /**
   * Processor time of the server for each right answer in microseconds; less noisy than the rate beside other
   * processes.
   */
  readonly cpuUs: number;
}

export interface Load {
  /** A kind of `load.lua`. */
  readonly kind: 'get' | 'tips' | 'logins';
  readonly parameters: string;
  readonly connections: number;
  readonly seconds: number;
  /** Where the ids of acknowledged tips go. */
  readonly acknowledged?: string;
}

/** @throws Error when an answer was wrong, or a connection broke. */
export async function runLoad(server: BenchServer, load: Load): Promise<LoadResult> {
  const { kind, parameters, connections, seconds, acknowledged } = load;
  const options = ['-t', '1', '-c', `${connections}`, '-d', `${seconds}s`, '--timeout', '30s', '-s', SCRIPT];
  const ofScript = [kind, parameters, ...(acknowledged === undefined ? [] : [acknowledged])];
  const cpuMsBefore = server.cpuMs();
  const { stdout, stderr } = await promisify(execFile)(
    ...pinned('load', ['wrk', ...options, server.url, '--', ...ofScript]),
  );
  const measured = result.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  if (measured.wrong > 0 || measured.socketErrors > 0 || measured.right === 0) {
    throw new Error(`not every answer was right: ${JSON.stringify(measured)} ${stderr}`);
  }
  return {
    ...measured,
    perSecond: measured.right / measured.seconds,
    cpuUs: (1_000 * (server.cpuMs() - cpuMsBefore)) / measured.right,
  };
}
