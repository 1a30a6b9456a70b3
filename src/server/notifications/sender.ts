/**
 * Notifies devices of new ledger entries (docs/decisions/027-the-ledger-is-the-outbox.md). Whatever happens in between,
 * even a kill, the entries are sent later; at worst twice, under the same tag.
 */
import { createHash } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createDueWork } from '#server/queue/due-work.ts';
import { createJitter } from '#server/queue/jitter.ts';
import type { ClaimedDevice, SettledDevice } from '#server/storage/port/devices.ts';
import { CLOCKS_APART_MS } from '#server/storage/port/outboxes.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { RandomBytes, UserId } from '#shared/ids.ts';
import { terms } from '#shared/money.ts';
import type { NotifiedTip, OfferedThanks, PushMessage } from '#shared/notifications.ts';
import { createPushQueue } from './push-queue.ts';
import { MAX_PAYLOAD_BYTES, type PushOutcome, type SendPush } from './push-request.ts';
import type { ProvenThanks } from './thank-proof.ts';
import { NEWS_MS, newsOf, shownMessageOf, type TipNews } from './tip-notification.ts';

/** Longer than a request and its wait for a place may take. */
const LEASE_MS = 60_000 + CLOCKS_APART_MS;
/** The minimum of the lease when a request begins: its time limit, and the time to settle. */
const LEASE_LEFT_MS = 15_000 + CLOCKS_APART_MS;
const CLAIMS_AT_ONCE = 64;
/** Notifications waiting in memory; the others wait in the storage, where a restart loses none. */
const MAX_UNDER_WAY = 256;
/** A burst of tips makes one notification in each such pause, with a count. */
const PAUSE_MS = 15_000;
const RETRY_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000] as const;
const LONGEST_RETRY_MS = 3_600_000;
/** A refused notification is retried after a quarter of an hour at the earliest. */
const REFUSED_TRIES = 4;
const JITTER = 0.2;
/** A longer wait was set before the clock was turned back. */
const MAX_WAIT_MS = LONGEST_RETRY_MS * (1 + JITTER);
/** Entries per read, and the most that one notification counts. */
const READ_SIZE = 100;
const MAX_ENTRIES = 10_000;

export interface Sender {
  /** Call it every second. @returns when everything begun by then has ended. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

interface SenderDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly send: SendPush;
  readonly offerThanks: (thanks: ProvenThanks) => Promise<OfferedThanks>;
}

export function createSender(deps: SenderDependencies): Sender {
  const { storage, clock, random, log, send, offerThanks } = deps;
  const queue = createPushQueue(clock);
  const jittered = createJitter(random, JITTER);
  const work = createDueWork<UserId, ClaimedDevice>({
    clock,
    maxUnderWay: MAX_UNDER_WAY,
    claimsAtOnce: CLAIMS_AT_ONCE,
    maxWaitMs: MAX_WAIT_MS,
    // No other process has this data, so each claim is that of an ended process.
    prepare: async () => {
      if (!storage.isShared) await storage.devices.endClaims();
    },
    claim: (nowMs, atMost, accounts) =>
      storage.devices.claimDue({ nowMs, leaseMs: LEASE_MS, maxWaitMs: MAX_WAIT_MS, atMost, accounts }),
    run: tell,
    report(err, device) {
      if (device) log.warn({ err, device: device.id }, 'could not tell a device of tips');
      else log.warn({ err }, 'could not look for devices that are to be told of tips');
    },
  });

  storage.subscribe({
    onEntries(accounts) {
      work.lookAgain(accounts === 'any' ? null : accounts);
    },
  });

  async function tell(device: ClaimedDevice): Promise<void> {
    const { news, upTo } = await readNews(storage, clock, device);
    if (news.count === 0) {
      await settle(device, { notifiedPosition: upTo, nextTryMs: 0, tries: 0 });
      return;
    }
    const content = await readContent(device, news);
    const host = new URL(device.endpoint).host;
    const outcome = await queue.run(host, async () => {
      // A device that waited too long has lost its claim, or is about to, and its session may have ended meanwhile.
      if (!(await storage.devices.isClaimed(device))) return null;
      const nowMs = clock();
      if (work.isClosed || nowMs > device.claimedUntilMs - LEASE_LEFT_MS) return null;
      const message = {
        payload: payloadOf(device, news, content, upTo),
        ttlSeconds: Math.max(0, news.newestAtMs + NEWS_MS - nowMs) / 1_000,
        topic: topicOf(device),
      };
      return send(device, message, work.stopping);
    });
    if (
      outcome === null ||
      (work.stopping.aborted && outcome !== 'postponed' && outcome.outcome === 'later')
    ) {
      await settle(device, { ...device, nextTryMs: clock() });
      return;
    }
    if (outcome === 'postponed') {
      await settle(device, { ...device, nextTryMs: clock() + jittered(RETRY_MS[1]) });
      return;
    }
    await note(device, outcome, upTo, host);
  }

  async function note(device: ClaimedDevice, outcome: PushOutcome, upTo: number, host: string) {
    const nowMs = clock();
    if (outcome.outcome === 'delivered') {
      await settle(device, { notifiedPosition: upTo, nextTryMs: nowMs + PAUSE_MS, tries: 0 });
      return;
    }
    if (outcome.outcome === 'gone') {
      log.info({ device: device.id, host }, 'a device gets no notifications any more');
      await storage.devices.forget(device);
      return;
    }
    const { reason } = outcome;
    log.warn(
      { device: device.id, host, reason, tries: device.tries + 1 },
      'a notification did not get through',
    );
    const isRefused = outcome.outcome === 'refused';
    const tries = isRefused ? Math.max(device.tries, REFUSED_TRIES) : device.tries;
    const asked = isRefused ? null : outcome.retryAfterMs;
    const waitMs = Math.max(
      jittered(RETRY_MS[tries] ?? LONGEST_RETRY_MS),
      Math.min(asked ?? 0, LONGEST_RETRY_MS),
    );
    const { notifiedPosition } = device;
    await settle(device, { notifiedPosition, nextTryMs: nowMs + waitMs, tries: tries + 1 });
  }

  async function settle(device: ClaimedDevice, settled: SettledDevice): Promise<void> {
    const { notifiedPosition, nextTryMs, tries } = settled;
    await storage.devices.settle(device, { notifiedPosition, nextTryMs, tries });
    work.remember(device.id, device.userId, nextTryMs);
  }

  /** Reads the giver's message of a single tip, for a device that shows messages, and offers to thank. */
  async function readContent({ id, userId, withWords }: ClaimedDevice, { count, tip }: TipNews) {
    if (count !== 1 || !tip) return null;
    const [message] = withWords ? await storage.messages.findMessages([tip.id]) : [];
    const thanks = await offerThanks({ deviceId: id, userId, transactionId: tip.id });
    return { ...tip, ...shownMessageOf(message), thanks };
  }

  return { pass: work.pass, close: work.close };
}

async function readNews(
  storage: Pick<Storage, 'listEntriesSince'>,
  clock: Clock,
  { userId, notifiedPosition }: ClaimedDevice,
) {
  let news = newsOf([], clock());
  let upTo = notifiedPosition;
  for (let read = 0; read < MAX_ENTRIES; read += READ_SIZE) {
    const entries = await storage.listEntriesSince(userId, upTo, READ_SIZE);
    news = newsOf(entries, clock(), news);
    upTo = entries.at(-1)?.position ?? upTo;
    if (entries.length < READ_SIZE) break;
    await turnOfTheLoop();
  }
  return { news, upTo };
}

function payloadOf(
  { notifiedPosition }: ClaimedDevice,
  { count, amountCents, netCents }: TipNews,
  tip: NotifiedTip | null,
  upTo: number,
): string {
  const { currency, exponent } = terms();
  const said = {
    v: 1,
    kind: 'tips',
    count,
    amountCents,
    netCents,
    upTo,
    tag: `tips-${notifiedPosition}`,
    ...(currency !== 'USD' && { currency, exponent }),
  } as const;
  const payload = JSON.stringify({ ...said, tip } satisfies PushMessage);
  if (tip === null || Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return payload;
  // The tip matters more than the thank-yous, which can be said in the dashboard.
  const { thanks: _, ...others } = tip;
  return JSON.stringify({ ...said, tip: others } satisfies PushMessage);
}

/** Equal for a notification and its repetition; it tells a push service nothing. */
function topicOf({ id, notifiedPosition }: ClaimedDevice): string {
  return createHash('sha256').update(`${id} ${notifiedPosition}`).digest('base64url').slice(0, 32);
}
