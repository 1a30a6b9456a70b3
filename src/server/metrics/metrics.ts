/** What Prometheus is told. No label holds an id, a name or an amount of a person, and each has few values. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { OutboxState, OutboxStorage } from '#server/storage/port/outboxes.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Trouble } from '#server/troubles.ts';
import type { Clock } from '#shared/calendar.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import { onMeasure } from '../measures.ts';
import { RUNNING } from '../version.ts';

/** A route of a batch names its procedures, in any order and number. */
const BATCH = '/trpc (batch)';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** A scrape that Prometheus gives up on (after 10 s) would tell nothing at all. */
const STORAGE_PATIENCE_MS = 2_000;
/** In seconds: a recorded tip takes some milliseconds, a login some 30. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128];
const OUTBOXES = ['mails', 'notifications', 'payments', 'webhooks'] as const;

export interface Metrics {
  readonly contentType: string;
  /** What holds now, in the text format of Prometheus. It is answered also when the storage is not. */
  text(): Promise<string>;
  /** Wraps a storage, and counts the tips and refunds that it records. */
  counting(storage: Storage): Storage;
}

export interface Watched {
  readonly storage: Pick<OutboxStorage, 'readOutboxes'>;
  readonly streams: () => number;
  readonly troubles: () => ReadonlyMap<Trouble, boolean>;
  readonly maintenance: Maintenance | null;
}

/** @param patienceMs for how long a scrape waits for the database. */
export function createMetrics(
  clock: Clock,
  patienceMs = STORAGE_PATIENCE_MS,
): Metrics & { watch(watched: Watched): void } {
  const register = new Registry();
  collectDefaultMetrics({ register });
  // Prometheus keeps the ending `_total` for counters, which these are not.
  for (const name of ['handles', 'requests', 'resources'])
    register.removeSingleMetric(`nodejs_active_${name}_total`);
  const instruments = createInstruments(register);
  takeMeasures(instruments, clock);

  function setOutbox(outbox: (typeof OUTBOXES)[number], found: OutboxState): void {
    const { waiting, failing, oldest } = instruments;
    waiting.set({ outbox }, found.waiting);
    failing.set({ outbox }, found.failing);
    oldest.set({ outbox }, found.oldestAtMs === null ? 0 : Math.max(0, clock() - found.oldestAtMs) / 1_000);
  }

  let watched: Watched | null = null;

  return {
    contentType: register.contentType,
    watch(next) {
      watched = next;
    },

    async text() {
      if (watched) {
        const { streams, held, trouble, isStorageUp } = instruments;
        streams.set(watched.streams());
        held.set(watched.maintenance ? 1 : 0);
        for (const [name, isPresent] of watched.troubles()) trouble.set({ trouble: name }, isPresent ? 1 : 0);
        try {
          const found = await within(patienceMs, watched.storage.readOutboxes(clock()));
          for (const outbox of OUTBOXES) setOutbox(outbox, found[outbox]);
          isStorageUp.set(1);
        } catch {
          isStorageUp.set(0);
        }
      }
      return register.metrics();
    },

    counting: (storage) => countingStorage(storage, instruments),
  };
}

type Instruments = ReturnType<typeof createInstruments>;

function createInstruments(register: Registry) {
  const registers = [register];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `tipwell_${name}`, help, labelNames: [...labelNames], registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `tipwell_${name}`, help, labelNames: [...labelNames], registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ) =>
    new Histogram({
      name: `tipwell_${name}`,
      help,
      buckets: [...buckets],
      labelNames: [...labelNames],
      registers,
    });

  gauge('info', 'The running version.', ['version']).set({ version: RUNNING.version }, 1);
  const requests = histogram(
    'request_seconds',
    'Time from a request to its answer; streams count when they begin.',
    REQUEST_BUCKETS,
    ['method', 'route', 'status'],
  );
  const tips = counter(
    'tips_total',
    'Tips that this process recorded; without those whose commit was left unanswered, also when in the ledger.',
    ['mode'],
  );
  const refunds = counter('refunds_total', 'Refunds that this process recorded.');
  const groups = histogram('commit_group_size', 'Writes that shared one durable commit.', GROUP_BUCKETS);
  const waits = histogram(
    'work_wait_seconds',
    'How long expensive work waited for its turn.',
    REQUEST_BUCKETS,
    ['queue'],
  );
  const works = histogram('work_seconds', 'How long expensive work took.', REQUEST_BUCKETS, ['queue']);
  const refusedWork = counter('work_refused_total', 'Expensive work that found no place.', ['queue']);
  const isSound = gauge('ledger_adds_up', '1 while the newest check of the ledger found it whole, else 0.');
  const checkedAt = gauge('ledger_checked_timestamp_seconds', 'When the ledger was checked last.');
  const backedUpAt = gauge(
    'backup_timestamp_seconds',
    'When the newest backup was made; absent without one.',
  );
  const streams = gauge('streams', 'Open event streams.');
  const trouble = gauge('trouble', '1 for each line that /readyz adds, else 0.', ['trouble']);
  const held = gauge('maintenance', '1 while no money moves, else 0.');
  const waiting = gauge('outbox_waiting', 'What waits to be sent.', ['outbox']);
  const failing = gauge(
    'outbox_failing',
    'Of these, what was tried in vain, or is overdue at the payment service; not what fails for one recipient alone.',
    ['outbox'],
  );
  const oldest = gauge(
    'outbox_oldest_seconds',
    'How long the oldest of them waits, or has been overdue of payments; 0 without any, or of mails for one recipient.',
    ['outbox'],
  );
  const isStorageUp = gauge('storage_up', '1 when the database answered this scrape, else 0.');

  for (const mode of ['simulated', 'test', 'live']) tips.inc({ mode }, 0);
  // Until the first check there is nothing to say.
  isSound.remove();
  checkedAt.remove();
  backedUpAt.remove();
  return {
    requests,
    tips,
    refunds,
    groups,
    waits,
    works,
    refusedWork,
    isSound,
    checkedAt,
    backedUpAt,
    streams,
    trouble,
    held,
    waiting,
    failing,
    oldest,
    isStorageUp,
  };
}

/** Takes what the process measures of itself into the instruments. */
function takeMeasures(instruments: Instruments, clock: Clock): void {
  const { requests, groups, waits, works, refusedWork, isSound, checkedAt, backedUpAt } = instruments;
  onMeasure('request', ({ method, route, status, seconds }) =>
    requests.observe(
      {
        method: METHODS.includes(method) ? method : 'other',
        route: route.includes(',') ? BATCH : route,
        status,
      },
      seconds,
    ),
  );
  onMeasure('group', ({ size }) => groups.observe(size));
  onMeasure('work', ({ queue, waitSeconds, workSeconds }) => {
    waits.observe({ queue }, waitSeconds);
    if (workSeconds === null) refusedWork.inc({ queue });
    else works.observe({ queue }, workSeconds);
  });
  onMeasure('ledgerCheck', (check) => {
    isSound.set(check.isSound ? 1 : 0);
    checkedAt.set(clock() / 1_000);
  });
  onMeasure('backup', ({ ageMs }) => {
    if (ageMs === null) backedUpAt.remove();
    else backedUpAt.set((clock() - ageMs) / 1_000);
  });
}

function countingStorage(
  storage: Storage,
  { tips, refunds }: Pick<Instruments, 'tips' | 'refunds'>,
): Storage {
  return {
    ...storage,
    async recordTip(tip) {
      const recorded = await storage.recordTip(tip);
      if (recorded.outcome === 'recorded') tips.inc({ mode: recorded.transaction.paymentMode });
      return recorded;
    },
    async reverseTip(reversal) {
      const reversed = await storage.reverseTip(reversal);
      if (reversed.outcome === 'reversed') refunds.inc();
      return reversed;
    },
    payments: {
      ...storage.payments,
      async movePayment(id, move, nowMs, lookAtMs) {
        const moved = await storage.payments.movePayment(id, move, nowMs, lookAtMs);
        if (moved?.outcome !== 'moved') return moved;
        if (moved.entered === 'tip') tips.inc({ mode: moved.payment.paymentMode });
        if (moved.entered === 'reversal') refunds.inc();
        return moved;
      },
    },
  };
}

/** @throws Error when a database that hangs takes longer than somebody who scrapes waits. */
async function within<Result>(patienceMs: number, answer: Promise<Result>): Promise<Result> {
  const isAnswered = new AbortController();
  const tooLate = sleep(patienceMs, undefined, { signal: isAnswered.signal }).then(
    () => Promise.reject(new Error('the database did not answer in time')),
    () => answer,
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    isAnswered.abort();
  }
}
