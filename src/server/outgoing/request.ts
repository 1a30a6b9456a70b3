/**
 * Makes a request to an address that somebody else has chosen. It goes only to the address that was looked up and
 * checked, follows no redirect, uses no proxy, and is bounded in time and in what it reads.
 */
import { lookup as lookUp, Resolver } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isLoopbackHost, isPublicAddress, type Target } from './address.ts';

/** Longer headers are an error. */
const MAX_HEADER_BYTES = 8_192;
/** Bounds all of an answer: interim answers (RFC 9110, section 15.2), empty lines, what stands between chunks. */
const MAX_ANSWER_BYTES = 32_768;
const MAX_WAIT_MS = 86_400_000;

export type FindAddresses = (host: string) => Promise<readonly string[]>;

export const findAddresses: FindAddresses = async (host) =>
  (await lookUp(host, { all: true })).map(({ address }) => address);

/**
 * A look-up by the operating system would hold one of the few threads that hash passwords, for as long as it takes.
 * @param newResolver is called for each look-up, because a resolver never hears that the machine has other name servers.
 */
export const createResolveAddresses =
  (newResolver = () => new Resolver({ timeout: 2_000, tries: 2 })): FindAddresses =>
  async (host) => {
    if (isLoopbackHost(host)) return findAddresses(host);
    const resolver = newResolver();
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [first] = found;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The part of the body that came in time, up to `readBytes`. */
  readonly body: Buffer;
}

export type RequestOutcome =
  | { readonly outcome: 'answered'; readonly answer: Answer }
  /** The host has an address that must not be called. */
  | { readonly outcome: 'forbidden' }
  /** There was no answer. `reason` never has the address. */
  | { readonly outcome: 'unreachable'; readonly reason: string };

export interface Outgoing {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer | null;
  /** How many bytes of the body of the answer are read; 0 for none. */
  readonly readBytes: number;
  /** For the whole request, with the look-up of its host. */
  readonly timeLimitMs: number;
  readonly stop?: AbortSignal | undefined;
}

/** Never throws: a request that `stop` or the time limit ends is `unreachable`. */
export async function post(
  target: Target,
  { headers, body, readBytes, timeLimitMs, stop }: Outgoing,
  find: FindAddresses,
): Promise<RequestOutcome> {
  return inTime(timeLimitMs, stop, async (signal): Promise<RequestOutcome> => {
    const addresses = await before(signal, addressesOf(target, find));
    if (addresses.length === 0) return { outcome: 'unreachable', reason: 'its host has no address' };
    if (!addresses.every(target.isLoopback ? isLoopbackAddress : isPublicAddress))
      return { outcome: 'forbidden' };
    const answer = await send({ target, addresses, headers, body, readBytes, signal });
    return { outcome: 'answered', answer };
  }).catch((error: unknown) => ({ outcome: 'unreachable', reason: nameOf(error) }));
}

/** Parses Retry-After (RFC 9110, section 10.2.3) to milliseconds from now; null when absent or malformed. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const waitMs = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_WAIT_MS);
}

/**
 * AbortSignal.any is not used: a signal that lives as long as the process keeps part of each derived signal in memory
 * (measured up to Node.js 26.10).
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

async function addressesOf({ url }: Target, find: FindAddresses): Promise<readonly string[]> {
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

/** Once there is a status, whatever ends the body ends the reading of it, and the status counts. */
function send({
  target: { url },
  addresses,
  headers,
  body,
  readBytes,
  signal,
}: Pick<Outgoing, 'headers' | 'body' | 'readBytes'> & {
  readonly target: Target;
  readonly addresses: readonly string[];
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
    let finish: (() => void) | null = null;
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let left = readBytes;
      finish = () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, retryAfter: answered['retry-after'], body: Buffer.concat(parts) });
        response.destroy();
      };
      response.on('error', finish);
      response.on('close', finish);
      if (readBytes === 0) {
        finish();
        return;
      }
      response.on('data', (part: Buffer) => {
        parts.push(part.subarray(0, left));
        left -= part.length;
        if (left <= 0) finish?.();
      });
    });
    request.on('socket', (socket) => {
      let countBytes = 0;
      socket.on('data', (bytes) => {
        countBytes += bytes.length;
        if (countBytes <= MAX_ANSWER_BYTES) return;
        if (finish === null) request.destroy(new EndlessAnswer());
        // The part of the body that came in these bytes is read first.
        else process.nextTick(finish);
      });
    });
    const fail = (error: Error) => (finish === null ? reject(error) : finish());
    request.on('error', fail);
    request.on('close', () => fail(new Error('the line was cut')));
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

/** The error's code or name; its message may contain the address. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof EndlessAnswer) return 'its answer has no end';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'it took too long';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
