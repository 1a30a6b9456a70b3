/** The probes of a supervisor: whether the process lives, and whether it can take work. */
import type { Hono } from 'hono';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { refuseOtherMethods } from './door.ts';

const UNKEPT = { 'Cache-Control': 'no-store' };

/**
 * Serves `/healthz` and `/readyz`.
 * @param proveWritable rejects when nothing can be saved. It is asked at most once a second, so that probes cannot wear
 *   out the disk.
 */
export function serveProbes(
  app: Hono,
  deps: {
    readonly clock: Clock;
    readonly isShuttingDown: () => boolean;
    readonly proveWritable: () => Promise<void>;
  },
): void {
  const { clock, isShuttingDown, proveWritable } = deps;
  let last: { readonly atMs: number; readonly proof: Promise<void> } | null = null;

  app.get('/healthz', (c) => c.text('ok', 200, UNKEPT));
  app.get('/readyz', async (c) => {
    if (isShuttingDown()) throw new AppError('shutting_down');
    const nowMs = clock();
    if (last === null || nowMs < last.atMs || nowMs - last.atMs >= 1_000)
      last = { atMs: nowMs, proof: proveWritable() };
    await last.proof;
    return c.text('ok', 200, UNKEPT);
  });
  for (const probe of ['/healthz', '/readyz']) refuseOtherMethods(app, probe);
}
