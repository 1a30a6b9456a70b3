/**
 * Sends a notification to the push service of a device (RFC 8030), encrypted for the device (RFC 8291). It
 * makes the HTTP request itself, because a stranger supplied the endpoint: the request goes only to the
 * address that was checked.
 */
import { ECDH } from 'node:crypto';
import { lookup as lookUp } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import webPush from 'web-push';
import type { Clock } from '#shared/calendar.ts';
import { type FindTarget, isLoopbackAddress, isPublicAddress, type PushTarget } from './push-endpoint.ts';
import type { Vapid } from './vapid.ts';

/** Push services take 4,096 bytes of ciphertext (RFC 8030, section 7.2). */
export const MAX_PAYLOAD_BYTES = 3_072;
const CURVE = 'prime256v1';
const POINT_BYTES = 65;
/** RFC 8291, section 3.2. */
const AUTH_BYTES = 16;
const TIME_LIMIT_MS = 10_000;
/** Far more than push services answer; longer headers are an error. */
const MAX_HEADER_BYTES = 8_192;
/**
 * Bounds everything before the final answer: interim answers (RFC 9110, section 15.2), which may be many, and
 * empty lines.
 */
const MAX_ANSWER_BYTES = 32_768;
const MAX_WAIT_MS = 86_400_000;

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
      /** True when the host did not answer, which concerns all of its devices. */
      readonly isUnreachable: boolean;
    };

export interface PushMessage {
  readonly payload: string;
  /** The push service keeps it for this time while the device is unreachable. */
  readonly ttlSeconds: number;
  /**
   * Replaces a kept message of the same topic (RFC 8030, section 5.4); at most 32 characters of base64url.
   */
  readonly topic: string;
}

export type FindAddresses = (host: string) => Promise<readonly string[]>;

export const findAddresses: FindAddresses = async (host) =>
  (await lookUp(host, { all: true })).map(({ address }) => address);

/**
 * Sends a message to a device, unless `stop` is aborted before the answer. Faults of the device or its push
 * service are outcomes.
 * @throws Error when the message cannot be encrypted, which is a fault of this server.
 */
export type SendPush = (to: PushAddress, message: PushMessage, stop?: AbortSignal) => Promise<PushOutcome>;

interface PushRequestDependencies {
  readonly findTarget: FindTarget;
  readonly vapid: Vapid;
  readonly clock: Clock;
  readonly findAddresses: FindAddresses;
  /** For the whole request, with the look-up of its host. */
  readonly timeLimitMs?: number;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

export function createSendPush({
  findTarget,
  vapid,
  clock,
  findAddresses,
  timeLimitMs = TIME_LIMIT_MS,
}: PushRequestDependencies): SendPush {
  async function request(
    target: PushTarget,
    { headers, body }: ReturnType<typeof encrypt>,
    signal: AbortSignal,
  ): Promise<PushOutcome> {
    const addresses = await before(signal, addressesOf(target, findAddresses));
    if (addresses.length === 0) return later('its host has no address');
    if (!addresses.every(target.isLoopback ? isLoopbackAddress : isPublicAddress))
      return refused('its host has an address that is not of the public internet');
    const signed = { ...headers, Authorization: vapid.authorizationFor(target.url.origin) };
    return outcomeOf(await post({ target, addresses, headers: signed, body, signal }), clock());
  }

  return async (to, message, stop) => {
    const target = findTarget(to.endpoint);
    if (!target) return refused('its host is none of a push service that is known');
    if (Buffer.byteLength(message.payload) > MAX_PAYLOAD_BYTES)
      return refused('the notification is too long');
    if (!isPoint(to.p256dh) || to.auth.length !== AUTH_BYTES) return refused('its keys cannot encrypt');
    const encrypted = encrypt(to, message);
    return inTime(timeLimitMs, stop, (signal) => request(target, encrypted, signal)).catch((error: unknown) =>
      later(nameOf(error)),
    );
  };
}

/**
 * Runs a task with a signal that is aborted by the time limit or by `stop`. AbortSignal.any is not used: a
 * signal that lives as long as the process keeps part of each derived signal in memory (measured up to
 * Node.js 26.10).
 */
async function inTime<Result>(
  limitMs: number,
  stop: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, limitMs);
  stop?.addEventListener('abort', end, { once: true });
  if (stop?.aborted) end();
  try {
    return await run(ending.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
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

function encrypt({ endpoint, p256dh, auth }: PushAddress, { payload, ttlSeconds, topic }: PushMessage) {
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  return webPush.generateRequestDetails(
    { endpoint, keys: { p256dh: base64url(p256dh), auth: base64url(auth) } },
    payload,
    { TTL: Math.max(0, Math.floor(ttlSeconds)), urgency: 'high', topic, contentEncoding: 'aes128gcm' },
  );
}

async function addressesOf({ url }: PushTarget, find: FindAddresses): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? find(host) : [host];
}

/** Rejects when the signal is aborted first, because a look-up cannot be cancelled. */
function before<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

class EndlessAnswer extends Error {}

/**
 * Reads the status alone: the body is never read, and the bytes before it are bounded. Redirects are not
 * followed, and no proxy is used.
 */
function post({
  target: { url },
  addresses,
  headers,
  body,
  signal,
}: {
  readonly target: PushTarget;
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | null;
  readonly signal: AbortSignal;
}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      headers,
      // A new agent, so that no connection to an address of an earlier look-up is reused.
      agent: false,
      lookup: lookupOf(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      rejectUnauthorized: true,
      signal,
    });
    request.on('response', (response) => {
      response.on('error', () => {});
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.destroy();
    });
    request.on('socket', (socket) => {
      let readBytes = 0;
      socket.on('data', (bytes) => {
        readBytes += bytes.length;
        if (readBytes > MAX_ANSWER_BYTES) request.destroy(new EndlessAnswer());
      });
    });
    request.on('error', reject);
    request.on('close', () => reject(new Error('the line was cut')));
    request.end(body);
  });
}

/** Returns the checked addresses, so that a second look-up cannot return others. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, answer) => {
    const [first] = all;
    if (options.all || !first) answer(null, all);
    else answer(null, first.address, first.family);
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

/** Parses Retry-After: seconds, or a date (RFC 9110, section 10.2.3). Null when absent or malformed. */
function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const waitMs = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_WAIT_MS);
}

function refused(reason: string): PushOutcome {
  return { outcome: 'refused', reason };
}

function later(reason: string): PushOutcome {
  return { outcome: 'later', reason, retryAfterMs: null, isUnreachable: true };
}

/** The error's code or name; its message may contain the address. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof EndlessAnswer) return 'its answer has no end';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'it took too long';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
