/**
 * Sends one notice to the push service of one device (RFC 8030), encrypted for that device (RFC 8291). The request is made here, because
 * an endpoint is an address that a stranger gave: it goes to the address that was checked, and nowhere else.
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
/** Far more than push services answer; a longer one is an error. */
const MAX_HEADER_BYTES = 8_192;
/** Of all that comes before an answer: interim answers (RFC 9110, section 15.2), which may be many, and empty lines. */
const MAX_ANSWER_BYTES = 32_768;
const MAX_WAIT_MS = 86_400_000;

/** Where a device is reached, and what encrypts for it. */
export interface PushAddress {
  readonly endpoint: string;
  /** A point of P-256, uncompressed: 65 bytes. */
  readonly p256dh: Uint8Array;
  /** 16 bytes. */
  readonly auth: Uint8Array;
}

export type PushOutcome =
  /** The push service has it, and tells the device. */
  | { readonly outcome: 'delivered' }
  /** The push service knows no such device any more (RFC 8030, section 7.3). */
  | { readonly outcome: 'gone' }
  /** Something is wrong that does not pass by itself. Nothing in `reason` names the device. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** The same may work later, at the earliest when the push service says. */
  | {
      readonly outcome: 'later';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** Whether it did not answer at all, whoever the notice was for. */
      readonly isUnreachable: boolean;
    };

/** What is sent. */
export interface PushMessage {
  readonly payload: string;
  /** For how long the push service keeps it while the device is out of reach. */
  readonly ttlSeconds: number;
  /** What is still kept for the device under the same topic is replaced (RFC 8030, section 5.4): at most 32 characters of base64url. */
  readonly topic: string;
}

/** All addresses of a host name. */
export type FindAddresses = (host: string) => Promise<readonly string[]>;

/** Asks the system's resolver, as connections do. */
export const findAddresses: FindAddresses = async (host) =>
  (await lookUp(host, { all: true })).map(({ address }) => address);

/**
 * Sends a message to a device, unless `stop` is aborted before it is answered. Whatever is wrong with the device or its
 * push service is an outcome.
 * @throws Error when the message cannot be encrypted, which is a fault of this server.
 */
export type SendPush = (to: PushAddress, message: PushMessage, stop?: AbortSignal) => Promise<PushOutcome>;

interface PushRequestDependencies {
  readonly findTarget: FindTarget;
  readonly vapid: Vapid;
  readonly clock: Clock;
  readonly findAddresses: FindAddresses;
  /** For the whole of a request, with the look-up of its host. */
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
    if (Buffer.byteLength(message.payload) > MAX_PAYLOAD_BYTES) return refused('the notice is too long');
    if (!isPoint(to.p256dh) || to.auth.length !== AUTH_BYTES) return refused('its keys cannot encrypt');
    const encrypted = encrypt(to, message);
    return inTime(timeLimitMs, stop, (signal) => request(target, encrypted, signal)).catch((error: unknown) =>
      later(nameOf(error)),
    );
  };
}

/**
 * Runs something with a signal that is aborted when its time is over, or `stop` is aborted. Not AbortSignal.any: a signal that lives as
 * long as the process keeps a part of each that is made of it in memory (measured up to Node.js 26.10).
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

/** Tells if the bytes are an uncompressed point of P-256, which is what a browser gives as `p256dh`. */
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

/** What a promise comes to, unless the signal ends the wait: look-ups cannot be ended. */
function before<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** The other side has sent more than any push service does, and has not answered. */
class EndlessAnswer extends Error {}

/** Asks for the answer's status; its body is never read, and no more than a bound of what comes before it. Redirects are answers like others, and no proxy is used. */
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
      // An agent of its own, so that no connection is kept that goes to an address of an earlier look-up.
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

/** Answers what was checked, so that no second look-up can answer otherwise. */
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

/** The wait that Retry-After asks for: seconds, or a date (RFC 9110, section 10.2.3). */
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

/** The kind of an error without its message, which may name the address. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof EndlessAnswer) return 'its answer has no end';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'it took too long';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
