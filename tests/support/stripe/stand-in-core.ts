/** What all parts of the stand-in for Stripe share: its clock, ids, refusals, lists, and the events that it tells. */
import { randomUUID } from 'node:crypto';
import { type FormValue, problemsOfParameters } from './parameter-types.ts';

export interface StandInRequest {
  readonly method: string;
  /** Without the first version, such as `/checkout/sessions`; `/v2/core/accounts` of the second. */
  readonly path: string;
  readonly parameters: { readonly [name: string]: FormValue };
  readonly idempotencyKey: string | null;
  /** The connected account on behalf of which it is made. */
  readonly account: string | null;
}

export interface StandInWebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Where a request goes: `POST refunds`, `GET payment_intents/:id`. */
export type Routes = Readonly<Record<string, (request: StandInRequest, id: string) => unknown>>;

export class Refused extends Error {
  readonly answer: Answer;
  /** Whether the answer is kept with the idempotency key: what fails in its parameters is not. */
  readonly isKept: boolean;

  constructor(status: number, error: Record<string, unknown>, isKept = true) {
    super(String(error['message']));
    this.answer = { status, body: { error: { type: 'invalid_request_error', ...error } } };
    this.isKept = isKept;
  }
}

export const invalid = (message: string, code?: string) =>
  new Refused(400, { message, ...(code !== undefined && { code }) });

export const noSuch = (what: string, id: unknown) =>
  new Refused(404, { message: `No such ${what}: '${id}'`, code: 'resource_missing' });

/** Refuses parameters that the package does not declare, as Stripe does before it begins. */
export function check(file: string, type: string, parameters: FormValue): void {
  const [problem] = problemsOfParameters(file, type, parameters);
  if (problem !== undefined) throw new Refused(400, { message: problem }, false);
}

export type StandInCore = ReturnType<typeof createCore>;

export function createCore(given: {
  readonly nowMs: () => number;
  readonly secretKey: string;
  readonly hasReserves: boolean;
}) {
  const webhookEvents: StandInWebhookEvent[] = [];
  const livemode = given.secretKey.startsWith('sk_live_');
  let aheadMs = 0;
  let count = 0;
  const nowMs = () => given.nowMs() + aheadMs;
  const nowS = () => Math.floor(nowMs() / 1_000);
  const nextId = (prefix: string) => {
    count += 1;
    return `${prefix}_test_${count}${randomUUID().replaceAll('-', '').slice(0, 8)}`;
  };

  return {
    livemode,
    /** The platform answers for connected accounts, which may owe something then. */
    hasReserves: given.hasReserves,
    webhookEvents,
    nowMs,
    nowS,
    nextId,
    /** Lets Stripe's clock go on beside that of the test. */
    advance: (days: number) => {
      aheadMs += days * 86_400_000;
    },
    /** @param object as it is now: an event that is delivered late tells what was. */
    notify(type: string, object: unknown, account?: string): void {
      const id = nextId('evt');
      const event = {
        id,
        object: 'event',
        type,
        livemode,
        created: nowS(),
        ...(account !== undefined && { account }),
        data: { object },
      };
      webhookEvents.push({ id, type, payload: JSON.stringify(event) });
    },
    /** An event of the second version, which names its object alone. */
    notifyThinly(type: string, related: { readonly id: string; readonly type: string }): void {
      const id = nextId('evt');
      const created = new Date(nowMs()).toISOString();
      const url = `/v2/core/accounts/${related.id}`;
      const event = {
        id,
        object: 'v2.core.event',
        type,
        livemode,
        created,
        related_object: { ...related, url },
      };
      webhookEvents.push({ id, type, payload: JSON.stringify(event) });
    },
  };
}

/**
 * A page of a list, the newest first: https://docs.stripe.com/api/pagination
 * @param items oldest first.
 */
export function listOf<Item extends { readonly id: string; readonly created: number }>(
  items: readonly Item[],
  { created, limit, starting_after }: StandInRequest['parameters'],
  bodyOf: (item: Item) => unknown,
): unknown {
  const { gt = -1, gte = 0, lt = Number.POSITIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = Object(created);
  const newest = items
    .filter((item) => item.created > Number(gt) && item.created >= Number(gte))
    .filter((item) => item.created < Number(lt) && item.created <= Number(lte))
    .toReversed();
  const after = newest.findIndex(({ id }) => id === starting_after) + 1;
  if (starting_after !== undefined && after === 0) throw noSuch('object', starting_after);
  const size = Number(limit ?? 10);
  const data = newest.slice(after, after + size).map(bodyOf);
  return { object: 'list', data, has_more: newest.length > after + size };
}

/** Tells whether an object is asked for in full: https://docs.stripe.com/api/expanding_objects */
export function expansionOf({ expand }: StandInRequest['parameters'], within = '') {
  const paths = Array.isArray(expand) ? expand.map(String) : [];
  return (path: string): boolean =>
    paths.some((one) => one === `${within}${path}` || one.startsWith(`${within}${path}.`));
}
