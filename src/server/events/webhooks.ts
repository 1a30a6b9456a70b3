/** Webhooks: endpoints of an account that are told of its events. */
import type { Logger } from 'pino';
import type { FindAddresses } from '#server/outgoing/request.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { type Delivery, SECRET_BYTES, type WebhookRecord } from '#server/storage/port/webhooks.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { MAX_WEBHOOKS } from '#shared/event-types.ts';
import {
  type AccountEvent,
  type ChangedWebhook,
  type NewWebhook,
  NO_URL,
  OLD_SECRET_MS,
  type TestEvent,
  type Webhook,
  type WebhookDelivery,
  type WebhookWithSecret,
} from '#shared/events.ts';
import {
  eventIdFrom,
  isEventId,
  isWebhookId,
  newWebhookId,
  type RandomBytes,
  type UserId,
} from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { eventFrom } from './account-events.ts';
import { createCall, createFindWebhookTarget } from './call.ts';
import { secretText } from './signature.ts';
import { createWebhookSender } from './webhook-sender.ts';

const EVENT_ID_BYTES = 26;

/** Methods throw AppError `webhook_not_found` for a webhook that the account does not have. */
export interface Webhooks {
  list(userId: UserId): Promise<Webhook[]>;
  /**
   * The secret is told once. @throws AppError `invalid_input` for a forbidden URL and beyond an account's most;
   * `session_ended` also for a closed account.
   * @param token of the session, in which nothing is added any more once it has ended.
   */
  add(userId: UserId, webhook: NewWebhook, token: string): Promise<WebhookWithSecret>;
  /** `isMoved` when events go to another URL. @throws AppError `invalid_input` for a URL that must not be called. */
  change(
    userId: UserId,
    change: ChangedWebhook,
  ): Promise<{ readonly webhook: Webhook; readonly isMoved: boolean }>;
  /** Replaces the secret; the one before signs as well for a day. */
  rotate(userId: UserId, id: string): Promise<WebhookWithSecret>;
  remove(userId: UserId, id: string): Promise<void>;
  deliveries(userId: UserId, id: string): Promise<WebhookDelivery[]>;
  test(userId: UserId, id: string): Promise<WebhookDelivery>;
  /** Sends an event again, under its id. @throws AppError `not_found` for an unknown event. */
  sendAgain(userId: UserId, id: string, eventId: string): Promise<WebhookDelivery>;
  /** Sends what is due. Call it every second. @returns when everything begun by then has ended. Never throws. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

export function createWebhooks(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly draft: DraftMail;
  readonly findAddresses: FindAddresses;
  readonly isLoopbackAllowed: boolean;
  /** Writes an event as REST answers it. */
  spell(event: AccountEvent | TestEvent): string;
  /** Shows the owner's devices that the webhook to a host was switched off. */
  tellDevices(userId: UserId, host: string): Promise<void>;
}): Webhooks {
  const { storage, clock, random } = deps;
  const { webhooks } = storage;
  const findTarget = createFindWebhookTarget(deps.isLoopbackAllowed);
  const sender = createWebhookSender({ ...deps, call: createCall({ ...deps, findTarget }) });

  async function find(userId: UserId, id: string): Promise<WebhookRecord> {
    return known((await webhooks.list(userId)).find((each) => each.id === id));
  }

  async function send(
    userId: UserId,
    webhook: WebhookRecord,
    event: AccountEvent | TestEvent,
  ): Promise<WebhookDelivery> {
    const { outcome, delivery } = await sender.sendNow(webhook, event);
    await webhooks.noteDelivery(webhook.id, delivery, outcome === 'taken');
    // An endpoint that takes this takes the events that wait for their next try as well.
    if (outcome === 'taken') sender.lookAgain(userId);
    return shownDelivery(delivery);
  }

  return {
    list: async (userId) => (await webhooks.list(userId)).map((each) => shown(each, clock())),

    async add(userId, { url, events }, token) {
      if (!findTarget(url)) throw refusedUrl(NO_URL);
      const secret = random(SECRET_BYTES);
      const endpoint = { id: newWebhookId(random), userId, url, kinds: events, secret, createdAtMs: clock() };
      const outcome = await webhooks.add(endpoint, MAX_WEBHOOKS, hashOfToken(token));
      if (outcome === 'gone') throw new AppError('session_ended');
      if (outcome === 'full') throw refusedUrl(TOO_MANY);
      return { ...shown(await find(userId, endpoint.id), clock()), secret: secretText(secret) };
    },

    async change(userId, { id, url, events: kinds, isOn, skipsMissed = false }) {
      if (url !== undefined && !findTarget(url)) throw refusedUrl(NO_URL);
      const ownId = asId(id);
      const before = await find(userId, id);
      let record: WebhookRecord | null = before;
      if (url !== undefined || kinds) record = await webhooks.change(userId, ownId, { url, kinds });
      if (isOn === true) record = await webhooks.switchOn(userId, ownId, skipsMissed);
      if (isOn === false) record = await webhooks.switchOff(userId, ownId, clock());
      sender.lookAgain(userId);
      const present = known(record);
      return { webhook: shown(present, clock()), isMoved: present.url !== before.url };
    },

    async rotate(userId, id) {
      const secret = random(SECRET_BYTES);
      const nowMs = clock();
      const times = { nowMs, oldSecretUntilMs: nowMs + OLD_SECRET_MS };
      const record = await webhooks.rotate(userId, asId(id), secret, times);
      return { ...shown(known(record), clock()), secret: secretText(secret) };
    },

    async remove(userId, id) {
      if (!(await webhooks.remove(userId, asId(id)))) throw new AppError('webhook_not_found');
    },

    async deliveries(userId, id) {
      const { id: ownId } = await find(userId, id);
      return (await webhooks.listDeliveries(userId, ownId)).map(shownDelivery);
    },

    async test(userId, id) {
      const timestamp = isoTime(clock());
      const event = {
        id: eventIdFrom(random(EVENT_ID_BYTES)),
        type: 'webhook.test',
        timestamp,
        data: {},
      } as const;
      return send(userId, await find(userId, id), event);
    },

    async sendAgain(userId, id, eventId) {
      const webhook = await find(userId, id);
      const event = isEventId(eventId) ? await storage.events.findEvent(userId, eventId) : null;
      if (!event) throw new AppError('not_found');
      return send(userId, webhook, eventFrom(event));
    },

    pass: sender.pass,
    close: sender.close,
  };
}

const TOO_MANY = `You can have ${MAX_WEBHOOKS} webhooks. Remove one first.`;

function refusedUrl(message: string): AppError {
  return invalidField('url', message);
}

function asId(id: string) {
  if (!isWebhookId(id)) throw new AppError('webhook_not_found');
  return id;
}

function known(record: WebhookRecord | null | undefined): WebhookRecord {
  if (!record) throw new AppError('webhook_not_found');
  return record;
}

function shown(record: WebhookRecord, nowMs: number): Webhook {
  const { id, url, kinds, createdAtMs, offReason, offAtMs, failingSinceMs, nextTryMs } = record;
  const { oldSecretUntilMs } = record;
  const isFailing = offReason === null && failingSinceMs !== null;
  return {
    id,
    url,
    events: [...kinds],
    createdAt: isoTime(createdAtMs),
    isOn: offReason === null,
    offReason,
    offAt: isoTime(offAtMs),
    failingSince: isoTime(failingSinceMs),
    nextTryAt: isFailing ? isoTime(Math.max(nextTryMs, nowMs)) : null,
    oldSecretUntil: oldSecretUntilMs === null || oldSecretUntilMs <= nowMs ? null : isoTime(oldSecretUntilMs),
  };
}

function shownDelivery({
  eventId,
  kind,
  triedAtMs,
  tookMs,
  status,
  failure,
  answer,
}: Delivery): WebhookDelivery {
  const isDelivered = status !== null && status >= 200 && status < 300;
  return { eventId, type: kind, triedAt: isoTime(triedAtMs), tookMs, isDelivered, status, failure, answer };
}
