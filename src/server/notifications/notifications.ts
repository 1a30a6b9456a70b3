/** The devices of an account that are notified of tips with no page open. */
import type { Logger } from 'pino';
import type { FindAddresses } from '#server/outgoing/request.ts';
import type { DeviceRecord } from '#server/storage/port/devices.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import {
  type DeviceId,
  isDeviceId,
  newDeviceId,
  type RandomBytes,
  type TransactionId,
  type UserId,
} from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { PROPOSED_THANK_YOUS } from '#shared/message-rules.ts';
import {
  type DeviceChange,
  MAX_DEVICES,
  MAX_OFFERED_THANK_YOUS,
  type NewDevice,
  NO_P256DH,
  type NoticeThanks,
  type NotificationDevice,
  type OfferedThanks,
  type PushKey,
  type PushMessage,
} from '#shared/notifications.ts';
import { createFindTarget } from './push-endpoint.ts';
import { createSendPush, isPoint } from './push-request.ts';
import { createSender } from './sender.ts';
import { createThankProofs, type ProvenThanks } from './thank-proof.ts';
import { createVapid, subjectFrom } from './vapid.ts';

const TEST_TTL_S = 60;
/** The owner may sleep. */
const NEWS_TTL_S = 86_400;
const THANKS_MS = 86_400_000;

export interface Notifications {
  key(): PushKey;
  list(userId: UserId, token: string): Promise<NotificationDevice[]>;
  /**
   * Adds the device of a session, which is notified until the session ends. A device may be registered again.
   * @throws AppError `push_endpoint_refused`; `invalid_input`; `session_ended`.
   */
  register(userId: UserId, token: string, device: NewDevice): Promise<NotificationDevice>;
  /** @throws AppError `device_not_found`. */
  update(userId: UserId, token: string, change: DeviceChange): Promise<NotificationDevice>;
  /** @throws AppError `device_not_found`. */
  remove(userId: UserId, id: DeviceId): Promise<void>;
  /** @throws AppError `device_not_found`, also when its push service no longer knows it; `push_unavailable`. */
  test(userId: UserId, id: DeviceId): Promise<void>;
  /** Tells the account's devices that a webhook to this host was switched off. Never throws for a device. */
  tellOfWebhook(userId: UserId, host: string): Promise<void>;
  /**
   * Reads which thank-you a notification sends, by the proof that it carried. A proof ends with its device, after a
   * day, and when the account chooses other thank-yous.
   * @throws AppError `thanks_refused`, for whatever reason.
   */
  readThanks(thanks: NoticeThanks): Promise<ReadyThanks>;
  /** Call it every second. @returns when everything begun by then has ended. Never throws. */
  pass(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadyThanks {
  readonly userId: UserId;
  readonly transactionId: TransactionId;
  readonly text: string;
}

export function createNotifications(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly publicUrl: string;
  readonly pushHosts: readonly string[];
  readonly secret: Uint8Array;
  readonly findAddresses: FindAddresses;
}): Notifications {
  const { storage, clock, random, log, publicUrl, pushHosts, secret, findAddresses } = deps;
  const { devices } = storage;
  const findTarget = createFindTarget(pushHosts);
  const vapid = createVapid(secret, subjectFrom(publicUrl), clock);
  const send = createSendPush({ findTarget, vapid, clock, findAddresses });
  const offered = createOfferedThanks({ storage, clock, secret });
  const sender = createSender({
    storage,
    clock,
    random,
    log,
    send,
    offerThanks: offered.offer,
  });
  const publicKey = Buffer.from(vapid.publicKey).toString('base64url');

  async function find(userId: UserId, id: DeviceId): Promise<DeviceRecord> {
    const found = (await devices.list(userId, clock())).find((device) => device.id === id);
    if (!found) throw new AppError('device_not_found');
    return found;
  }

  return {
    key: () => ({ publicKey }),

    async list(userId, token) {
      const current = hashOfToken(token);
      return (await devices.list(userId, clock())).map((device) => shown(device, current));
    },

    async register(userId, token, { endpoint, withWords = false, ...keys }) {
      if (!findTarget(endpoint)) throw new AppError('push_endpoint_refused');
      const p256dh = Buffer.from(keys.p256dh, 'base64');
      if (!isPoint(p256dh)) throw invalidField('p256dh', NO_P256DH);
      const sessionHash = hashOfToken(token);
      const added = await devices.add(
        {
          id: newDeviceId(random),
          userId,
          sessionHash,
          endpoint,
          p256dh,
          withWords,
          auth: Buffer.from(keys.auth, 'base64'),
          createdAtMs: clock(),
        },
        MAX_DEVICES,
      );
      if (added.outcome === 'session_ended') throw new AppError('session_ended');
      return shown(added.device, sessionHash);
    },

    async update(userId, token, { id, withWords }) {
      const device = isDeviceId(id) ? await find(userId, id) : null;
      const changed =
        device && withWords !== undefined ? await devices.change(userId, device.id, withWords) : device;
      if (!changed) throw new AppError('device_not_found');
      return shown(changed, hashOfToken(token));
    },

    async remove(userId, id) {
      if (!isDeviceId(id) || !(await devices.remove(userId, id))) throw new AppError('device_not_found');
    },

    async test(userId, id) {
      if (!isDeviceId(id)) throw new AppError('device_not_found');
      const device = await find(userId, id);
      const notice: PushMessage = { v: 1, kind: 'test', tag: 'test' };
      const outcome = await send(device, {
        payload: JSON.stringify(notice),
        ttlSeconds: TEST_TTL_S,
        topic: 'test',
      });
      if (outcome.outcome === 'delivered') return;
      const { host } = new URL(device.endpoint);
      if (outcome.outcome === 'gone') {
        log.info({ device: device.id, host }, 'a device gets no notifications any more');
        await devices.remove(userId, device.id);
        throw new AppError('device_not_found');
      }
      log.warn({ device: device.id, host, reason: outcome.reason }, 'a notification did not get through');
      throw new AppError('push_unavailable');
    },

    async tellOfWebhook(userId, host) {
      const notice: PushMessage = { v: 1, kind: 'webhook', host, tag: 'webhook' };
      const message = { payload: JSON.stringify(notice), ttlSeconds: NEWS_TTL_S, topic: 'webhook' };
      await Promise.all((await devices.list(userId, clock())).map((device) => send(device, message)));
    },

    readThanks: offered.read,

    pass: sender.pass,
    close: sender.close,
  };
}

/** The thank-yous that a notification offers, and the proof by which one of them is sent without a login. */
function createOfferedThanks(deps: {
  readonly storage: Pick<Storage, 'devices' | 'messages'>;
  readonly clock: Clock;
  readonly secret: Uint8Array;
}) {
  const { storage, clock } = deps;
  const proofs = createThankProofs(deps.secret);

  async function readyThankYous(userId: UserId): Promise<readonly string[]> {
    const own = await storage.messages.listThankYous(userId);
    return (own.length > 0 ? own : PROPOSED_THANK_YOUS).slice(0, MAX_OFFERED_THANK_YOUS);
  }

  return {
    async offer(thanks: ProvenThanks): Promise<OfferedThanks> {
      const texts = await readyThankYous(thanks.userId);
      return { texts: [...texts], proof: proofs.make(thanks, texts, clock() + THANKS_MS) };
    },

    async read({ proof, choice }: NoticeThanks): Promise<ReadyThanks> {
      const proven = proofs.read(proof, clock());
      if (!proven) throw new AppError('thanks_refused');
      const { userId, deviceId, transactionId, isFor } = proven;
      const isLive = (await storage.devices.list(userId, clock())).some(({ id }) => id === deviceId);
      const texts = await readyThankYous(userId);
      const text = texts[choice];
      if (!isLive || !isFor(texts) || text === undefined) throw new AppError('thanks_refused');
      return { userId, transactionId, text };
    },
  };
}

function shown({ id, device, createdAtMs, withWords, sessionHash }: DeviceRecord, current: Uint8Array) {
  return {
    id,
    device: device === '' ? null : device,
    createdAt: isoTime(createdAtMs),
    isCurrent: Buffer.from(sessionHash).equals(current),
    withWords,
  };
}
