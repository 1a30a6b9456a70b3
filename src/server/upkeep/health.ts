/** How the server does, for an operator. It measures nothing that `/readyz` or the metrics measure already. */
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptBackup } from '#server/backup-schedule.ts';
import type { BackupKeeper } from '#server/backups.ts';
import type { Config } from '#server/config.ts';
import { freeBytesIn } from '#server/drive.ts';
import { onMeasure } from '#server/measures.ts';
import type { Outboxes, OutboxState } from '#server/storage/port/outboxes.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Troubles } from '#server/troubles.ts';
import { RUNNING } from '#server/version.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import type { Health, PaymentSigns } from '#shared/console/health.ts';
import { counted } from '#shared/counted.ts';
import { explainFailure } from './backup-desk.ts';
import { problemsOf } from './problems.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const LOOP_RESOLUTION_MS = 20;
const NANOSECONDS_OF_MS = 1e6;
const PATIENCE_MS = 3_000;

export interface HealthDependencies {
  readonly config: Config;
  readonly storage: Pick<Storage, 'readOutboxes' | 'measureDatabase' | 'proveWritable' | 'isShared'>;
  readonly clock: Clock;
  readonly troubles: Troubles;
  /** Null where this process makes no backups. */
  readonly backups: BackupKeeper | null;
  readonly paymentMode: string;
  /** The longest wait for a database that hangs. */
  readonly patienceMs?: number;
}

/** Call it at the start: it listens to what the process measures from then on. */
export function createHealth(deps: HealthDependencies) {
  const { config, storage, clock, troubles, backups, patienceMs = PATIENCE_MS } = deps;
  const startedAtMs = clock();
  let check: { readonly isSound: boolean; readonly atMs: number } | null = null;
  onMeasure('ledgerCheck', ({ isSound }) => {
    check = { isSound, atMs: clock() };
  });
  const loop = watchLoop();

  return {
    /** @param payments null without a watch over payments. */
    async read(streams: number, payments: PaymentSigns | null = null): Promise<Health> {
      const [size, outboxes, unwritable, disks, kept] = await Promise.all([
        answered(storage.measureDatabase(), patienceMs),
        answered(storage.readOutboxes(clock()), patienceMs),
        answered(
          storage.proveWritable().then(() => null, spellReason),
          patienceMs,
        ).then((said) => (said === undefined ? 'no answer' : said)),
        disksOf(deps),
        keptIn(backups),
      ]);
      const [newest] = kept ?? [];
      const failure = backups?.failure() ?? null;
      const found: Omit<Health, 'problems'> = {
        at: isoTime(clock()),
        process: {
          version: RUNNING.version,
          node: RUNNING.node,
          startedAt: isoTime(startedAtMs),
          host: hostname(),
          pid: process.pid,
          memoryBytes: process.memoryUsage.rss(),
          isShared: storage.isShared,
        },
        database: size
          ? {
              engine: config.database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL',
              ...size,
              growthBytesPerDay: growthOf(kept ?? [], size.bytes),
            }
          : null,
        disks,
        ledger: {
          checkedAt: check && isoTime(check.atMs),
          addsUp: check?.isSound ?? null,
          noted: newest?.past ? { past: newest.past, at: isoTime(newest.madeAtMs) } : null,
        },
        backup: {
          isMade: backups !== null,
          isListed: kept !== null,
          newestAt: newest ? isoTime(newest.madeAtMs) : null,
          failedAt: failure && isoTime(failure.atMs),
        },
        outboxes: outboxes ? spellOutboxes(outboxes) : null,
        payments,
        loop: loop.lastMinute(),
        streams,
        settings: settingsOf(deps),
      };
      const problems = problemsOf(found, {
        unwritable,
        troubles: troubles.begun(),
        backupFailure: failure && explainFailure(failure),
        isMaintained: config.maintenance !== null,
        warnings: config.warnings,
      });
      return { ...found, problems };
    },
  };
}

function spellReason(error: unknown): string {
  const reason = error instanceof Error ? (error.cause ?? error) : error;
  return reason instanceof Error ? reason.message : String(reason);
}

/** @returns undefined for what failed, or took longer than somebody waits. */
async function answered<Result>(answer: Promise<Result>, patienceMs: number): Promise<Result | undefined> {
  const isAnswered = new AbortController();
  const tooLate = sleep(patienceMs, undefined, { signal: isAnswered.signal }).catch(() => undefined);
  try {
    return await Promise.race([answer.catch(() => undefined), tooLate]);
  } finally {
    isAnswered.abort();
  }
}

/**
 * A backup of another past, or an unreadable one, says nothing about this database.
 * @returns null where their folder cannot be read.
 */
async function keptIn(backups: BackupKeeper | null): Promise<KeptBackup[] | null> {
  if (backups === null) return [];
  const found = await backups.list().catch(() => null);
  return found?.filter(({ isOther }) => !isOther) ?? null;
}

/** Bytes a day, in proportion to the backups: dumps are smaller than their database. */
function growthOf(kept: readonly KeptBackup[], bytes: number): number | null {
  const [newest] = kept;
  const oldest = kept.findLast(({ name }) => name.slice(-3) === newest?.name.slice(-3));
  if (!newest || !oldest || newest.bytes === 0) return null;
  const days = (newest.madeAtMs - oldest.madeAtMs) / DAY_MS;
  if (days < 1 / 2) return null;
  return Math.round(((newest.bytes - oldest.bytes) / newest.bytes) * (bytes / days));
}

async function disksOf({ config, backups }: HealthDependencies): Promise<Health['disks']> {
  const { database, backupFolder } = config;
  const ofDatabase = database.engine === 'sqlite' ? dirname(database.path) : null;
  const places = [
    ...(ofDatabase === null ? [] : [{ what: 'database', folder: ofDatabase, free: freeBytesIn(ofDatabase) }]),
    ...(backups === null || backupFolder === null
      ? []
      : [{ what: 'backups', folder: backupFolder, free: backups.freeBytes() }]),
  ];
  const found = await Promise.all(
    places.map(async ({ free, ...place }) => {
      const freeBytes = await answered(free, PATIENCE_MS);
      return freeBytes === undefined ? [] : [{ ...place, freeBytes }];
    }),
  );
  return found.flat();
}

function spellOutboxes({ mails, notifications, payments, webhooks }: Outboxes): Health['outboxes'] {
  const shown = ({ waiting, failing, oldestAtMs }: OutboxState) => ({
    waiting,
    failing,
    oldestAt: oldestAtMs === null ? null : isoTime(oldestAtMs),
  });
  return {
    mails: shown(mails),
    notifications: shown(notifications),
    payments: shown(payments),
    webhooks: shown(webhooks),
  };
}

/** How late the event loop was, in whole minutes. */
function watchLoop() {
  const histogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  histogram.enable();
  let last: Health['loop'] = null;
  const inMs = (nanoseconds: number) =>
    Math.max(0, Math.round(nanoseconds / NANOSECONDS_OF_MS) - LOOP_RESOLUTION_MS);
  setInterval(() => {
    last = { p99Ms: inMs(histogram.percentile(99)), longestMs: inMs(histogram.max) };
    histogram.reset();
  }, MINUTE_MS).unref();
  return { lastMinute: () => last };
}

const onOff = (isOn: boolean) => (isOn ? 'on' : 'off');

function settingsOf({ config, paymentMode }: HealthDependencies): Health['settings'] {
  const { mail, maintenance, metrics, trustedProxies, undoMs } = config;
  return [
    { name: 'Address', value: config.publicUrl },
    { name: 'Payments', value: paymentMode },
    { name: 'Guest tips', value: onOff(config.takesGuestTips) },
    { name: 'Registration', value: config.registration },
    { name: 'Mail', value: mail ? `from ${mail.from.address}` : 'off' },
    { name: 'Maintenance', value: onOff(maintenance !== null) },
    { name: 'Undo', value: undoMs === 0 ? 'off' : counted(undoMs / MINUTE_MS, 'minute') },
    { name: 'Contact', value: config.operatorContact || 'none' },
    { name: 'Rate limits', value: onOff(config.isRateLimited) },
    { name: 'Trusted proxies', value: trustedProxies.join(', ') || 'none' },
    { name: 'Metrics', value: metrics ? `port ${metrics.port}` : 'off' },
  ];
}
