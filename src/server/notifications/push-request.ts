/** Sends a notification to the push service of a device (RFC 8030), encrypted for the device (RFC 8291). */
import { createECDH, ECDH } from 'node:crypto';
import { encrypt } from 'http_ece';
import { type Answer, type FindAddresses, post, readRetryAfter } from '#server/outgoing/request.ts';
import type { Clock } from '#shared/calendar.ts';
import type { FindTarget } from './push-endpoint.ts';
import type { Vapid } from './vapid.ts';

/** Push services take 4,096 bytes of ciphertext (RFC 8030, section 7.2). */
export const MAX_PAYLOAD_BYTES = 3_072;
const CURVE = 'prime256v1';
const POINT_BYTES = 65;
/** RFC 8291, section 3.2. */
const AUTH_BYTES = 16;
/** RFC 8030, section 5.4. */
const TOPIC = /^[\w-]{1,32}$/;
const TIME_LIMIT_MS = 10_000;

export interface PushAddress {
  readonly endpoint: string;
  /** An uncompressed point of P-256: 65 bytes. */
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

export type PushOutcome =
  | { readonly outcome: 'delivered' }
  /** The push service no longer knows the device (RFC 8030, section 7.3). */
  | { readonly outcome: 'gone' }
  /** A retry alone does not help. `reason` never identifies the device. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** A retry may succeed, not before the time that the push service names. */
  | {
      readonly outcome: 'later';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** The host did not answer, which concerns all of its devices. */
      readonly isUnreachable: boolean;
    };

export interface PushRequest {
  readonly payload: string;
  /** The push service keeps it for this time while the device is unreachable. */
  readonly ttlSeconds: number;
  /** Replaces a kept message of the same topic; at most 32 characters of base64url. */
  readonly topic: string;
}

/** Faults of the device or its push service are outcomes. @throws Error for a malformed topic. */
export type SendPush = (to: PushAddress, message: PushRequest, stop?: AbortSignal) => Promise<PushOutcome>;

interface PushRequestDependencies {
  readonly findTarget: FindTarget;
  readonly vapid: Vapid;
  readonly clock: Clock;
  readonly findAddresses: FindAddresses;
  readonly timeLimitMs?: number;
}

export function createSendPush({
  findTarget,
  vapid,
  clock,
  findAddresses,
  timeLimitMs = TIME_LIMIT_MS,
}: PushRequestDependencies): SendPush {
  return async (to, message, stop) => {
    const target = findTarget(to.endpoint);
    if (!target) return refused('its host is none of a push service that is known');
    if (Buffer.byteLength(message.payload) > MAX_PAYLOAD_BYTES)
      return refused('the notification is too long');
    if (!isPoint(to.p256dh) || to.auth.length !== AUTH_BYTES) return refused('its keys cannot encrypt');
    const body = encrypted(to, message.payload);
    const headers = { ...headersOf(message, body), Authorization: vapid.authorizationFor(target.url.origin) };
    const outgoing = { headers, body, readBytes: 0, timeLimitMs, stop };
    const result = await post(target, outgoing, findAddresses);
    switch (result.outcome) {
      case 'answered':
        return outcomeOf(result.answer, clock());
      case 'forbidden':
        return refused('its host has an address that is not of the public internet');
      case 'unreachable':
        return { outcome: 'later', reason: result.reason, retryAfterMs: null, isUnreachable: true };
    }
  };
}

/** True for an uncompressed point of P-256, the form of `p256dh` from browsers. */
export function isPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== POINT_BYTES) return false;
  try {
    ECDH.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** The content of a request: one record, which only the device can read (RFC 8291, section 4). */
function encrypted({ p256dh, auth }: PushAddress, payload: string): Buffer {
  const privateKey = createECDH(CURVE);
  privateKey.generateKeys();
  const [dh, authSecret] = [Buffer.from(p256dh), Buffer.from(auth)];
  return encrypt(Buffer.from(payload), { version: 'aes128gcm', dh, privateKey, authSecret });
}

function headersOf({ ttlSeconds, topic }: PushRequest, body: Buffer) {
  if (!TOPIC.test(topic))
    throw new Error('a topic has other characters than those of base64url, or too many');
  return {
    TTL: String(Math.max(0, Math.floor(ttlSeconds))),
    'Content-Length': String(body.length),
    'Content-Type': 'application/octet-stream',
    'Content-Encoding': 'aes128gcm',
    Urgency: 'high',
    Topic: topic,
  };
}

function outcomeOf({ status, retryAfter }: Answer, nowMs: number): PushOutcome {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  if (status === 404 || status === 410) return { outcome: 'gone' };
  const reason = `status ${status}`;
  if (status === 408 || status === 429 || status >= 500)
    return {
      outcome: 'later',
      reason,
      retryAfterMs: readRetryAfter(retryAfter, nowMs),
      isUnreachable: false,
    };
  return { outcome: 'refused', reason };
}

function refused(reason: string): PushOutcome {
  return { outcome: 'refused', reason };
}
