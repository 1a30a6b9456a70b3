/**
 * Tells endpoints of the events of their accounts, each endpoint in order. After a kill the same events are sent again,
 * under the same ids (docs/decisions/046-webhooks-follow-the-ledger.md).
 */
import type { Logger } from 'pino';
import { createDueWork } from '#server/queue/due-work.ts';
import { createHostQueue, type HostQueue } from '#server/queue/host-queue.ts';
import { createJitter } from '#server/queue/jitter.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import { CLOCKS_APART_MS } from '#server/storage/port/outboxes.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { ClaimedWebhook, Delivery, SettledWebhook } from '#server/storage/port/webhooks.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { AccountEvent, TestEvent } from '#shared/events.ts';
import type { RandomBytes, UserId } from '#shared/ids.ts';
import { eventFrom } from './account-events.ts';
import { type Call, type Called, TIME_LIMIT_MS } from './call.ts';

const LEASE_MS = 60_000 + CLOCKS_APART_MS;
/** The minimum of the lease when a request begins: its time limit, and the time to settle. */
const LEASE_LEFT_MS = TIME_LIMIT_MS + 5_000 + CLOCKS_APART_MS;
const CLAIMS_AT_ONCE = 64;
const MAX_UNDER_WAY = 256;
/** The number of events sent in one claim; a killed process repeats at most these. */
const MAX_SENT_AT_ONCE = 20;
const READ_SIZE = 50;
/** The number of reads in one claim, whose endpoint may want few of the events. */
const MAX_READS = 20;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The pauses between ten tries: 71.6 hours in all. */
const PAUSES_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  20 * HOUR_MS,
];
const JITTER = 0.1;
/** A receiver may ask for a longer pause than the first ones, up to this. */
const LONGEST_ASKED_MS = HOUR_MS;
const MAX_WAIT_MS = 20 * HOUR_MS * (1 + JITTER);

const MAX_AT_ONCE = 24;
const MAX_AT_ONCE_TO_HOST = 4;
const MAX_SLOW_AT_ONCE = 8;
const SLOW_MS = 2_000;
/** More wait in the storage, so that they hold no claims that others need. */
const MAX_SLOW_WAITING = 32;
const POSTPONED_MS = 5_000;
const MAX_BY_HAND_AT_ONCE = 8;
const MAX_BY_HAND_OF_ACCOUNT = 2;
const MAX_BY_HAND_WAITING = 16;
/** Endpoints are forgotten to be slow beyond so many; the next call says it again. */
const MAX_REMEMBERED_SLOW = 10_000;

export interface WebhookSender {
  /** Sends one event outside of the order. @throws AppError `busy` when the account has two under way, or many wait. */
  sendNow(
    webhook: Parameters<Call>[0] & { readonly id: string; readonly userId: UserId },
    event: AccountEvent | TestEvent,
  ): Promise<Called>;
  lookAgain(userId: UserId): void;
  pass(): Promise<void>;
  close(): Promise<void>;
}

interface WebhookSenderDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly call: Call;
  readonly draft: DraftMail;
  tellDevices(userId: UserId, host: string): Promise<void>;
}

/** @param deps its storage is listened to for as long as the process lives. */
export function createWebhookSender(deps: WebhookSenderDependencies): WebhookSender {
  const { storage, clock, random, log, call } = deps;
  const { webhooks, events } = storage;
  const jittered = createJitter(random, JITTER);
  const lanes = createLanes();
  const byHand = createCallsByHand();
  const owners = createOwnersToTell(deps);
  const afterFailure = createAfterFailure(deps);
  const work = createDueWork<UserId, ClaimedWebhook>({
    clock,
    maxUnderWay: MAX_UNDER_WAY,
    claimsAtOnce: CLAIMS_AT_ONCE,
    maxWaitMs: MAX_WAIT_MS,
    // No other process has this data, so each claim is that of an ended process.
    prepare: async () => {
      if (!storage.isShared) await webhooks.endClaims();
    },
    claim: (nowMs, atMost, accounts) =>
      webhooks.claimDue({ nowMs, leaseMs: LEASE_MS, maxWaitMs: MAX_WAIT_MS, atMost, accounts }),
    run: tell,
    report(err, webhook) {
      if (webhook) log.warn({ err, webhook: webhook.id }, 'could not tell a webhook of events');
      else log.warn({ err }, 'could not look for webhooks that are to be told of events');
    },
  });

  const lookAgain = (accounts: readonly UserId[] | 'any') =>
    work.lookAgain(accounts === 'any' ? null : accounts);
  storage.subscribe({ onEntries: lookAgain, onCodes: lookAgain });

  async function tell(webhook: ClaimedWebhook): Promise<void> {
    const deliveries: Delivery[] = [];
    let state: Omit<SettledWebhook, 'deliveries' | 'off'> = { ...webhook, nextTryMs: 0 };
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const step = await events.listEvents(webhook.userId, state.place, READ_SIZE);
      for (const event of step.events) {
        if (!webhook.kinds.includes(event.kind)) continue;
        const isMore = deliveries.length < MAX_SENT_AT_ONCE;
        const called = isMore ? await callInTime(webhook, state.tries, eventFrom(event)) : null;
        if (called === null || called === 'postponed') {
          // Due from now on: webhooks that wait for their first turn come before it.
          const nextTryMs = clock() + (called === null ? 0 : jittered(POSTPONED_MS));
          await settle(webhook, { ...state, nextTryMs, deliveries, off: null });
          return;
        }
        deliveries.push(called.delivery);
        if (called.outcome !== 'taken') {
          await settle(webhook, { ...afterFailure(webhook, state, called), deliveries });
          return;
        }
        state = { place: event.place, nextTryMs: 0, tries: 0, failingSinceMs: null };
      }
      state = { ...state, place: step.upTo };
      if (step.isAtEnd) break;
    }
    await settle(webhook, { ...state, deliveries, off: null });
  }

  /** Null when the claim has no time left or has ended, or this process is ending. */
  async function callInTime(
    webhook: ClaimedWebhook,
    tries: number,
    event: AccountEvent,
  ): Promise<Called | null | 'postponed'> {
    const mayCall = () => !work.isClosed && clock() <= webhook.claimedUntilMs - LEASE_LEFT_MS;
    if (!mayCall()) return null;
    const lane = lanes.laneOf(webhook.id, tries);
    if (lane === null) return 'postponed';
    const called = await lane.run(new URL(webhook.url).host, async () =>
      // The owner may have changed or removed the webhook while others were told, or since the last event.
      mayCall() && (await webhooks.isClaimed(webhook)) ? call(webhook, event, work.stopping) : null,
    );
    if (called) lanes.remember(webhook.id, called.delivery);
    // A call that this process broke off says nothing about the endpoint.
    return called?.outcome !== 'taken' && work.stopping.aborted ? null : called;
  }

  async function settle(webhook: ClaimedWebhook, settled: SettledWebhook): Promise<void> {
    await webhooks.settle(webhook, settled);
    if (settled.off) owners.lookAgain();
    else work.remember(webhook.id, webhook.userId, settled.nextTryMs);
  }

  return {
    async sendNow(webhook, event) {
      const { id, userId, url } = webhook;
      const { host } = new URL(url);
      const called = await byHand.run(userId, host, () => call(webhook, event, work.stopping));
      lanes.remember(id, called.delivery);
      return called;
    },

    lookAgain: (userId) => work.lookAgain([userId]),

    async pass() {
      const telling = work.isClosed ? null : owners.tell();
      await Promise.all([work.pass(), telling]);
    },

    close: work.close,
  };
}

/** Decides what a failed try leads to: a later one, or the end of the webhook. */
function createAfterFailure({
  clock,
  random,
  log,
  draft,
}: Pick<WebhookSenderDependencies, 'clock' | 'random' | 'log' | 'draft'>) {
  const jittered = createJitter(random, JITTER);

  return (
    { id, url }: ClaimedWebhook,
    { place, tries, failingSinceMs }: Pick<SettledWebhook, 'place' | 'tries' | 'failingSinceMs'>,
    { outcome, retryAfterMs, delivery }: Called,
  ) => {
    const nowMs = clock();
    const pauseMs = PAUSES_MS[tries];
    const isOff = outcome === 'gone' || pauseMs === undefined;
    const { host } = new URL(url);
    const { status, failure } = delivery;
    const told = { webhook: id, host, status, failure, tries: tries + 1 };
    if (isOff) log.warn(told, 'a webhook was switched off');
    else log.info(told, 'a webhook did not take an event');
    const waitMs = Math.max(jittered(pauseMs ?? 0), Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS));
    const reason = outcome === 'gone' ? ('gone' as const) : ('failed' as const);
    return {
      place,
      tries: tries + 1,
      failingSinceMs: failingSinceMs ?? nowMs,
      nextTryMs: nowMs + waitMs,
      off: isOff ? { reason, atMs: nowMs, mail: draft('webhook_off', { host, reason }) } : null,
    };
  };
}

/** Tells owners whose webhooks were switched off. Devices may be told twice, by two processes or after a kill. */
function createOwnersToTell({
  storage: { webhooks },
  log,
  tellDevices,
}: Pick<WebhookSenderDependencies, 'storage' | 'log' | 'tellDevices'>) {
  let mayBeUntold = true;
  return {
    lookAgain(): void {
      mayBeUntold = true;
    },
    /** Never throws. */
    async tell(): Promise<void> {
      if (!mayBeUntold) return;
      mayBeUntold = false;
      try {
        const untold = await webhooks.listUntold(CLAIMS_AT_ONCE);
        for (const { id, userId, url } of untold) {
          await tellDevices(userId, new URL(url).host);
          await webhooks.markTold(id);
        }
        if (untold.length === CLAIMS_AT_ONCE) mayBeUntold = true;
      } catch (err) {
        mayBeUntold = true;
        log.warn({ err }, 'could not tell an owner of a webhook that was switched off');
      }
    },
  };
}

/** Where endpoints wait for their turn: those that failed or were slow the last time take no place from the others. */
function createLanes() {
  const fast = createHostQueue(MAX_AT_ONCE, MAX_AT_ONCE_TO_HOST);
  const slow = createHostQueue(MAX_SLOW_AT_ONCE, MAX_AT_ONCE_TO_HOST);
  const knownSlow = new Set<string>();
  return {
    /** Null where too many wait. */
    laneOf(id: string, tries: number): HostQueue | null {
      if (tries === 0 && !knownSlow.has(id)) return fast;
      return slow.waiting() < MAX_SLOW_WAITING ? slow : null;
    },
    remember(id: string, { tookMs }: Delivery): void {
      if (tookMs <= SLOW_MS) knownSlow.delete(id);
      else if (knownSlow.size < MAX_REMEMBERED_SLOW) knownSlow.add(id);
    },
  };
}

/** Calls that owners ask for have places of their own, so that a flood of them delays no event. */
function createCallsByHand() {
  const queue = createHostQueue(MAX_BY_HAND_AT_ONCE, MAX_AT_ONCE_TO_HOST);
  const counts = new Map<UserId, number>();
  return {
    /** @throws AppError `busy` when the account has two under way, or many wait. */
    async run(userId: UserId, host: string, call: () => Promise<Called>): Promise<Called> {
      const countOf = () => counts.get(userId) ?? 0;
      if (countOf() >= MAX_BY_HAND_OF_ACCOUNT || queue.waiting() >= MAX_BY_HAND_WAITING)
        throw new AppError('busy');
      counts.set(userId, countOf() + 1);
      try {
        return await queue.run(host, call);
      } finally {
        if (countOf() > 1) counts.set(userId, countOf() - 1);
        else counts.delete(userId);
      }
    },
  };
}
