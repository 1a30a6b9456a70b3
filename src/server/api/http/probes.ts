/** The two probes, `/healthz` and `/readyz`, and their counts. */
import type { Hono } from 'hono';
import type { Troubles } from '#server/troubles.ts';
import { NAME_AND_VERSION } from '#server/version.ts';
import { type Clock, isoTime, isWithin } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import { refuseOtherMethods } from './door.ts';

const HEALTHZ = '/healthz';
const READYZ = '/readyz';
type Probe = typeof HEALTHZ | typeof READYZ;

const UNKEPT = { 'Cache-Control': 'no-store' };

function sentenceOf({ untilMs }: Maintenance): string {
  const until = untilMs === null ? '' : ` until ${isoTime(untilMs)}`;
  return `Tips and refunds are paused for maintenance${until}.`;
}

/** Counts probes, because a line in the log for each would hide all others. */
export interface ProbeCounts {
  /** @returns true for a probe with the same status as the one before, which needs no line in the log. */
  count(method: string, route: string, status: number): boolean;
  /** The counts since the last call; null when there were no probes. */
  take(): { readonly healthz: number; readonly readyz: number; readonly failed: number } | null;
}

export function createProbeCounts(): ProbeCounts {
  let counts = { [HEALTHZ]: 0, [READYZ]: 0, failed: 0 };
  const lastStatuses: Record<Probe, number> = { [HEALTHZ]: 200, [READYZ]: 200 };
  return {
    count(method, route, status) {
      if (!isProbe(route) || (method !== 'GET' && method !== 'HEAD')) return false;
      counts[route] += 1;
      if (status !== 200) counts.failed += 1;
      const isAsBefore = lastStatuses[route] === status;
      lastStatuses[route] = status;
      return isAsBefore;
    },
    take() {
      const { [HEALTHZ]: healthz, [READYZ]: readyz, failed } = counts;
      if (healthz + readyz === 0) return null;
      counts = { [HEALTHZ]: 0, [READYZ]: 0, failed: 0 };
      return { healthz, readyz, failed };
    },
  };
}

function isProbe(route: string): route is Probe {
  return route === HEALTHZ || route === READYZ;
}

/**
 * `/readyz` answers 200 while a tip could be recorded, and names maintenance and the troubles after its first line.
 * @param proveWritable rejects when nothing can be saved. It is called at most once a second, to spare the disk.
 */
export function serveProbes(
  app: Hono,
  deps: {
    readonly clock: Clock;
    readonly isShuttingDown: () => boolean;
    readonly proveWritable: () => Promise<void>;
    readonly troubles: Troubles;
    readonly maintenance: Maintenance | null;
  },
): void {
  const { clock, isShuttingDown, proveWritable, troubles } = deps;
  const maintenance = deps.maintenance ? [sentenceOf(deps.maintenance)] : [];
  let last: { readonly atMs: number; readonly proof: Promise<void> } | null = null;

  app.get(HEALTHZ, (c) => c.text(`ok\n${NAME_AND_VERSION}`, 200, UNKEPT));
  app.get(READYZ, async (c) => {
    if (isShuttingDown()) throw new AppError('shutting_down');
    const nowMs = clock();
    if (!last || !isWithin(1_000, last.atMs, nowMs)) last = { atMs: nowMs, proof: proveWritable() };
    await last.proof;
    return c.text(['ok', ...maintenance, ...troubles.lines()].join('\n'), 200, UNKEPT);
  });
  for (const probe of [HEALTHZ, READYZ]) refuseOtherMethods(app, probe);
}
