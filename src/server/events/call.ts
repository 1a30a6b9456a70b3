/** Tells an endpoint of one event: the request, and what its answer comes to. */
import { LOOPBACK_HOSTS, readTarget, type Target } from '#server/outgoing/address.ts';
import { type FindAddresses, post, type RequestOutcome, readRetryAfter } from '#server/outgoing/request.ts';
import type { Delivery, WebhookRecord, WebhookSecrets } from '#server/storage/port/webhooks.ts';
import type { Clock } from '#shared/calendar.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '#shared/event-types.ts';
import type { AccountEvent, TestEvent } from '#shared/events.ts';
import { isEventId } from '#shared/ids.ts';
import { signedHeaders } from './signature.ts';

export const TIME_LIMIT_MS = 12_000;
/** The part of an answer's body that the owner of the webhook sees. */
const MAX_ANSWER_BYTES = 4_096;
const USER_AGENT = 'Tipwell-Webhooks/1';

/** @returns null for a URL that must not be called. */
export type FindWebhookTarget = (url: string) => Target | null;

/** @param isLoopbackAllowed whether receivers on this machine may be called, over http as well. */
export function createFindWebhookTarget(isLoopbackAllowed: boolean): FindWebhookTarget {
  const loopbackHosts = isLoopbackAllowed ? LOOPBACK_HOSTS : [];
  return (url) => (url.length <= MAX_WEBHOOK_URL_LENGTH ? readTarget(url, () => true, loopbackHosts) : null);
}

export interface Called {
  /** `gone`: the endpoint asks never to be called again. */
  readonly outcome: 'taken' | 'failed' | 'gone';
  readonly retryAfterMs: number | null;
  readonly delivery: Delivery;
}

export type Call = (
  webhook: Pick<WebhookRecord, 'url'> & WebhookSecrets,
  event: AccountEvent | TestEvent,
  stop?: AbortSignal,
) => Promise<Called>;

export function createCall(deps: {
  readonly findTarget: FindWebhookTarget;
  readonly findAddresses: FindAddresses;
  readonly clock: Clock;
  spell(event: AccountEvent | TestEvent): string;
  readonly timeLimitMs?: number;
}): Call {
  const { findTarget, findAddresses, clock, spell, timeLimitMs = TIME_LIMIT_MS } = deps;

  async function request(
    { url, ...secrets }: Parameters<Call>[0],
    event: AccountEvent | TestEvent,
    stop: AbortSignal | undefined,
  ): Promise<RequestOutcome> {
    const target = findTarget(url);
    if (!target) return { outcome: 'forbidden' };
    const body = spell(event);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': USER_AGENT,
      ...signedHeaders({ id: event.id, body, nowMs: clock() }, secrets),
    };
    const outgoing = { headers, body: Buffer.from(body), readBytes: MAX_ANSWER_BYTES, timeLimitMs, stop };
    return post(target, outgoing, findAddresses);
  }

  return async (webhook, event, stop) => {
    if (!isEventId(event.id)) throw new Error('an event has no id');
    const triedAtMs = clock();
    const result = await request(webhook, event, stop);
    const tried = {
      eventId: event.id,
      kind: event.type,
      triedAtMs,
      tookMs: Math.max(0, clock() - triedAtMs),
    };
    if (result.outcome !== 'answered') {
      const failure = result.outcome === 'forbidden' ? FORBIDDEN : result.reason;
      const delivery = { ...tried, status: null, failure, answer: '' };
      return { outcome: 'failed', retryAfterMs: null, delivery };
    }
    const { status, retryAfter, body } = result.answer;
    return {
      outcome: outcomeOf(status),
      retryAfterMs: readRetryAfter(retryAfter, clock()),
      delivery: { ...tried, status, failure: null, answer: readable(body) },
    };
  };
}

const FORBIDDEN = 'its address is not of the public internet';
const GONE = 410;

/** A redirect is a failure, because it would lead to an address that nobody has checked. */
function outcomeOf(status: number): Called['outcome'] {
  if (status >= 200 && status < 300) return 'taken';
  return status === GONE ? 'gone' : 'failed';
}

/** As text, without characters that move a cursor or turn the text around; PostgreSQL refuses NUL in a text. */
function readable(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replace(CONTROLS, '\ufffd');
  return text.slice(0, MAX_ANSWER_BYTES);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be shown
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
