import type { Hono } from 'hono';
import { NAME_AND_VERSION } from '#server/version.ts';
import { type Clock, isoTime, isWithin } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import { refuseOtherMethods } from './door.ts';

const HEALTHZ = '/healthz';
const READYZ = '/readyz';
type Probe = typeof HEALTHZ | typeof READYZ;

const UNKEPT = { 'Cache-Control': 'no-store' };

/** These troubles do not keep tips from being recorded. `/readyz` is public: no sentence here says more. */
const TROUBLES = [
  ['backup', 'The daily backup has failed or found something wrong'],
  ['late', 'The newest backup has been older than 26 hours'],
  ['past', 'The folder of the backups has held some of another past than that of the database'],
  ['data', 'The data has been found damaged, or could not be read through,'],
  ['ledger', 'The ledger has not added up'],
  ['unanswered', 'The payment service has not answered, or has refused the keys,'],
  ['unheard', 'The payment service has told nothing of payments that were paid, or of accounts that changed,'],
  ['owed', 'Money that went back to a giver has not been taken back from its receiver'],
  ['unreturned', 'A refund has not reached its giver'],
  ['undelivered', 'Money of a won dispute has not reached its receiver'],
  ['dispute', 'A dispute has been open to answer'],
  ['unknown', 'A payment has been found that the database does not know,'],
  ['uncaptured', 'A tip has waited to be captured'],
  ['clock', 'The clock has differed from that of the payment service'],
] as const;
export type Trouble = (typeof TROUBLES)[number][0];
const SENTENCES: ReadonlyMap<Trouble, string> = new Map(TROUBLES);

export interface Troubles {
  begin(trouble: Trouble): void;
  end(trouble: Trouble): void;
  lines(): string[];
  /** When each present trouble began, in milliseconds since 1970. */
  begun(): ReadonlyMap<Trouble, number>;
  /** Whether each trouble is present. */
  present(): ReadonlyMap<Trouble, boolean>;
}

export function createTroubles(clock: Clock): Troubles {
  const begunAtMs = new Map<Trouble, number>();
  return {
    begin(trouble) {
      if (!begunAtMs.has(trouble)) begunAtMs.set(trouble, clock());
    },
    end: (trouble) => void begunAtMs.delete(trouble),
    begun: () => begunAtMs,
    lines: () =>
      [...begunAtMs].map(
        ([trouble, atMs]) => `${SENTENCES.get(trouble)} since ${isoTime(atMs)}; the log says what.`,
      ),
    present: () => new Map(TROUBLES.map(([trouble]) => [trouble, begunAtMs.has(trouble)])),
  };
}

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
