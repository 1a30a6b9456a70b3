/**
 * Notifies devices of new ledger entries of their accounts. Nothing is queued beside the ledger: a due device
 * is claimed, the entries after its position are read, and its position moves once the push service has
 * accepted the notification. Whatever happens in between, even a kill, the entries are sent later; at worst
 * twice, under the same tag.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ClaimedDevice, SettledDevice } from '#server/storage/port/devices.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { DeviceId, RandomBytes, UserId } from '#shared/ids.ts';
import { terms } from '#shared/money.ts';
import type { NotifiedTip, OfferedThanks, PushMessage } from '#shared/notifications.ts';
import { createPushQueue } from './push-queue.ts';
import { MAX_PAYLOAD_BYTES, type PushOutcome, type SendPush } from './push-request.ts';
import type { ProvenThanks } from './thank-proof.ts';
import { NEWS_MS, newsOf, shownMessageOf, type TipNews } from './tip-notification.ts';

/** A full pass finds retries of other processes and what an ended process left. */
const FULL_PASS_MS = 30_000;
/** Longer than a request and its wait for a place may take. */
const LEASE_MS = 60_000;
/** The minimum of the lease when a request begins: its time limit, and the time to settle. */
const LEASE_LEFT_MS = 15_000;
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
const CLOSE_PATIENCE_MS = 2_000;

export interface Sender {
  /**
   * Sends what is due for accounts with new entries or due retries, and regularly for all. Call it every
   * second.
   * @returns when everything begun by then has ended.
   */
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

/** @param deps its storage is listened to for as long as the process lives. */
export function createSender(deps: SenderDependencies): Sender {
  const { storage, clock, random, log, send, offerThanks } = deps;
  const fresh = new Set<UserId>();
  /** The due times of waiting devices that this process knows of; a full pass finds the others. */
  const waiting = new Map<DeviceId, { readonly userId: UserId; readonly atMs: number }>();
  const queue = createPushQueue(clock);
  const underWay = new Set<Promise<void>>();
  let lastFullPassMs = Number.NEGATIVE_INFINITY;
  let areClaimsKnown = false;
  let isClaiming = false;
  let isClosed = false;
  const stopping = new AbortController();

  storage.subscribe({
    onEntries(accounts) {
      lookAgain(accounts === 'any' ? null : accounts);
    },
  });

  async function claim(nowMs: number): Promise<void> {
    if (!areClaimsKnown) {
      // No other process has this data, so each claim is that of an ended process.
      if (!storage.isShared) await storage.devices.endClaims();
      areClaimsKnown = true;
    }
    const isFull = nowMs >= lastFullPassMs + FULL_PASS_MS || nowMs < lastFullPassMs;
    for (const [id, { userId, atMs }] of waiting) {
      if (atMs > nowMs && atMs <= nowMs + MAX_WAIT_MS) continue;
      waiting.delete(id);
      fresh.add(userId);
    }
    if (!isFull && fresh.size === 0) return;
    if (isFull) lastFullPassMs = nowMs;
    const accounts = isFull ? null : [...fresh];
    fresh.clear();
    const times = { nowMs, leaseMs: LEASE_MS, maxWaitMs: MAX_WAIT_MS };
    for (;;) {
      const atMost = Math.min(CLAIMS_AT_ONCE, MAX_UNDER_WAY - underWay.size);
      if (isClosed) return;
      if (atMost <= 0) {
        lookAgain(accounts);
        return;
      }
      const claimed = await storage.devices.claimDue({ ...times, atMost, accounts });
      for (const device of claimed) begin(device);
      if (claimed.length < atMost) return;
    }
  }

  function lookAgain(accounts: readonly UserId[] | null): void {
    if (accounts === null) lastFullPassMs = Number.NEGATIVE_INFINITY;
    else for (const userId of accounts) fresh.add(userId);
  }

  function begin(device: ClaimedDevice): void {
    const running = tell(device)
      .catch((err: unknown) => log.warn({ err, device: device.id }, 'could not tell a device of tips'))
      .finally(() => underWay.delete(running));
    underWay.add(running);
  }

  async function tell(device: ClaimedDevice): Promise<void> {
    const { news, upTo } = await readNews(device);
    if (news.count === 0) {
      await settle(device, { notifiedPosition: upTo, nextTryMs: 0, tries: 0 });
      return;
    }
    const content = await readContent(device, news);
    const host = new URL(device.endpoint).host;
    const outcome = await queue.run(host, async () => {
      const nowMs = clock();
      // A device that waited too long has lost its claim, or is about to.
      if (isClosed || nowMs > device.claimedUntilMs - LEASE_LEFT_MS) return null;
      const message = {
        payload: payloadOf(device, news, content, upTo),
        ttlSeconds: Math.max(0, news.newestAtMs + NEWS_MS - nowMs) / 1_000,
        topic: topicOf(device),
      };
      return send(device, message, stopping.signal);
    });
    if (
      outcome === null ||
      (stopping.signal.aborted && outcome !== 'postponed' && outcome.outcome === 'later')
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
    waiting.set(device.id, { userId: device.userId, atMs: nextTryMs });
  }

  async function readNews({ userId, notifiedPosition }: ClaimedDevice) {
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

  /** Reads the giver's message of a single tip, for a device that shows messages, and offers to thank. */
  async function readContent({ id, userId, withWords }: ClaimedDevice, { count, tip }: TipNews) {
    if (count !== 1 || !tip) return null;
    const [message] = withWords ? await storage.messages.findMessages([tip.id]) : [];
    const thanks = await offerThanks({ deviceId: id, userId, transactionId: tip.id });
    return { ...tip, ...shownMessageOf(message), thanks };
  }

  function jittered(waitMs: number): number {
    const [byte = 0] = random(1);
    return Math.round(waitMs * (1 - JITTER + (2 * JITTER * byte) / 255));
  }

  return {
    async pass() {
      // A pass that waits for the storage sees later entries as well, or leaves them to the next pass.
      if (!isClaiming && !isClosed) {
        isClaiming = true;
        await claim(clock()).catch((err: unknown) => {
          lookAgain(null);
          log.warn({ err }, 'could not look for devices that are to be told of tips');
        });
        isClaiming = false;
      }
      await Promise.all(underWay);
    },

    async close() {
      isClosed = true;
      const ended = () => Promise.all(underWay);
      await Promise.race([ended(), sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
      stopping.abort();
      await Promise.race([ended(), sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}

function payloadOf(
  { notifiedPosition }: ClaimedDevice,
  { count, amountCents, netCents }: TipNews,
  tip: NotifiedTip | null,
  upTo: number,
): string {
  const said = {
    v: 1,
    kind: 'tips',
    count,
    amountCents,
    netCents,
    upTo,
    tag: `tips-${notifiedPosition}`,
    ...(terms().currency !== 'USD' && { currency: terms().currency }),
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
