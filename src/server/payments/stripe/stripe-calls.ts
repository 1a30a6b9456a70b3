/** How a call to Stripe can end: with its answer, with a refusal for good, or without either. */
import Stripe from 'stripe';
import type { Clock } from '#shared/calendar.ts';
import { ANSWER_TIME_MS, answerTimeLeftMs, answerWithin } from '../answer-time.ts';
import { PaymentNotAllowed, PaymentServiceUnavailable } from '../payment-service.ts';

export interface StripeSettings {
  readonly secretKey: string;
  /** One for the endpoint of the operator's account, and one for that of providers. */
  readonly webhookSecrets: readonly string[];
  /** The address of a stand-in for Stripe; null for Stripe itself. */
  readonly apiBase: string | null;
  /** How long a call may take, when that is less than the time in which a request is answered. */
  readonly patienceMs?: number;
}

/** Why Stripe has refused a call for good, in its own words. */
export interface ToldRefusal {
  readonly type: string;
  readonly code: string | null;
  /** Finds the request in Stripe's own log. */
  readonly stripeRequest: string | null;
  readonly reason: string;
}

export type StripeRefusal = InstanceType<typeof Stripe.errors.StripeError>;

/** The package waits for half a second to one second before it asks again. */
const LONGEST_PAUSE_MS = 1_000;
const ATTEMPTS = 2;
/** The length of a page of a list; Stripe gives no more. */
const PAGE_SIZE = 100;

export type StripeCalls = ReturnType<typeof createStripeCalls>;

/** Calls of one Stripe account. @param tell is told of each refusal. */
export function createStripeCalls(
  { secretKey, apiBase, patienceMs = ANSWER_TIME_MS }: StripeSettings,
  clock: Clock,
  tell: (refusal: ToldRefusal) => void,
) {
  let clockOffsetMs: number | null = null;
  const network = Stripe.createNodeHttpClient();
  const stripe = new Stripe(secretKey, {
    maxNetworkRetries: ATTEMPTS - 1,
    // Both attempts have to end within the time of one call.
    timeout: Math.ceil(Math.max(patienceMs - LONGEST_PAUSE_MS, patienceMs / 2) / ATTEMPTS),
    telemetry: false,
    httpClient: {
      getClientName: () => network.getClientName(),
      async makeRequest(...request) {
        const response = await network.makeRequest(...request);
        const toldMs = Date.parse(String(response.getHeaders()['date']));
        // The header has whole seconds, and names the one that has begun.
        if (Number.isFinite(toldMs)) clockOffsetMs = toldMs + 500 - clock();
        return response;
      },
    },
    ...(apiBase !== null && addressOf(apiBase)),
  });

  /**
   * @param refused gives the result when Stripe refuses for good.
   * @throws PaymentServiceUnavailable when the call may have succeeded, or may succeed later.
   */
  async function ask<Answer, Refused>(
    call: () => Promise<Answer>,
    refused: (error: StripeRefusal) => Refused | Promise<Refused>,
  ): Promise<Answer | Refused> {
    try {
      return await answerWithin(patienceMs, () => inTime(call));
    } catch (error) {
      if (error instanceof PaymentServiceUnavailable) throw error;
      if (error instanceof Stripe.errors.StripeError && isAnswered(error)) {
        const { type, code = null, requestId = null, message } = error;
        tell({ type, code, stripeRequest: requestId, reason: message });
        if (isRefusal(error)) return await refused(error);
        throw new PaymentNotAllowed('the payment service did not answer these keys', { cause: error });
      }
      throw new PaymentServiceUnavailable('the payment service did not answer', { cause: error });
    }
  }

  /**
   * Creates an object under an idempotency key, and once more under a fresh key when Stripe reports an error of its
   * own: it repeats that answer for a day, whether or not the object was created
   * (https://docs.stripe.com/api/idempotent_requests).
   * It is for what does no harm a second time: a payment keeps its first page, and a charge is captured, cancelled and
   * refunded in full once.
   */
  async function makeOnce<Made>(
    key: string,
    make: (options: { readonly idempotencyKey: string }) => Promise<Made>,
  ): Promise<Made> {
    try {
      return await make({ idempotencyKey: key });
    } catch (error) {
      // Whoever asked is answered by now, and may ask again.
      if (!hasFailed(error) || answerTimeLeftMs() <= 0) throw error;
      return make({ idempotencyKey: `${key}-${clock()}` });
    }
  }

  /**
   * Moves money under an idempotency key, whose first outcome is its only one: no other key may be used for the same
   * money while a call under this one can still move it. @param hasMoved looks for it after an error of Stripe's own.
   * @returns `refused` when nothing was moved and nothing will be; `undecided` when the key stands for another sum.
   */
  function moveOnce(
    key: string,
    make: (options: { readonly idempotencyKey: string }) => Promise<unknown>,
    hasMoved: () => Promise<boolean>,
  ): Promise<'moved' | 'refused' | 'undecided'> {
    return ask(
      async () => {
        try {
          await make({ idempotencyKey: key });
        } catch (error) {
          // Stripe repeats an answer 500 for a day. Any other may be a proxy's, while the call still goes on at Stripe.
          if (!(error instanceof Stripe.errors.StripeError) || error.statusCode !== 500) throw error;
          return (await hasMoved()) ? 'moved' : 'refused';
        }
        return 'moved';
      },
      (error) => (error instanceof Stripe.errors.StripeIdempotencyError ? 'undecided' : 'refused'),
    );
  }

  async function* all<Item extends { readonly id: string }>(
    page: (from: {
      readonly limit: number;
      readonly starting_after?: string;
    }) => Promise<{ readonly data: readonly Item[]; readonly has_more: boolean }>,
  ): AsyncGenerator<Item> {
    let last: string | undefined;
    for (;;) {
      const from = { limit: PAGE_SIZE, ...(last !== undefined && { starting_after: last }) };
      const { data, has_more } = await ask(() => page(from), unavailable);
      yield* data;
      last = data.at(-1)?.id;
      if (!has_more || last === undefined) return;
    }
  }

  let known: Promise<string> | null = null;

  function platform(): Promise<string> {
    const asked = known ?? ask(async () => (await stripe.accounts.retrieveCurrent()).id, unavailable);
    known = asked;
    asked.catch(() => {
      if (known === asked) known = null;
    });
    return asked;
  }

  return { stripe, ask, makeOnce, moveOnce, all, platform, clockOffsetMs: () => clockOffsetMs };
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** For `ask`, where a refusal is no answer. @throws PaymentServiceUnavailable. */
export function unavailable(error: StripeRefusal): never {
  throw new PaymentServiceUnavailable('the payment service gives none', { cause: error });
}

export function secondsOf(fromMs: number, toMs: number): { readonly gte: number; readonly lte: number } {
  return { gte: Math.floor(fromMs / 1_000), lte: Math.floor(toMs / 1_000) };
}

export function idOf(named: string | { readonly id: string }): string {
  return typeof named === 'string' ? named : named.id;
}

/** Null for an object that Stripe did not expand, though asked to, and for one that is absent. */
export function expanded<Expanded extends object>(
  named: string | Expanded | null | undefined,
): Expanded | null {
  return typeof named === 'string' ? null : (named ?? null);
}

async function inTime<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new PaymentServiceUnavailable('the payment service was too slow')),
      answerTimeLeftMs(),
    );
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function hasFailed(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && (error.statusCode ?? 0) >= 500;
}

/** Too many requests, and a concurrent one with the same key, say nothing of the call. */
function isAnswered({ statusCode = 0 }: StripeRefusal): boolean {
  return statusCode >= 400 && statusCode < 500 && statusCode !== 409 && statusCode !== 429;
}

/**
 * True when Stripe has refused for good. What wrong or weak keys are refused may succeed once they are mended
 * (https://docs.stripe.com/error-codes), except for an account of another platform.
 */
function isRefusal(error: StripeRefusal): boolean {
  return (error.statusCode !== 401 && error.statusCode !== 403) || isUnknownAccount(error);
}

/** Stripe says 403 with a code of its own, 404, or 400 with a sentence, according to where it is named. */
export function isUnknownAccount({ statusCode, code, message }: StripeRefusal): boolean {
  return (
    (statusCode === 403 && code === 'account_invalid') ||
    statusCode === 404 ||
    (statusCode === 400 && /^No such (?:account|destination)/.test(message))
  );
}

function addressOf(apiBase: string) {
  const { protocol, hostname, port } = new URL(apiBase);
  return { protocol: protocol === 'https:' ? 'https' : 'http', host: hostname, port } as const;
}
