/** The events of an account in the form in which clients of the API get them, and the list of them. */
import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import { BEFORE_EVENTS, type EventPlace, type EventRecord } from '#server/storage/port/events.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { isoTime } from '#shared/calendar.ts';
import { type AccountEvent, type EventPage, type EventsQuery, LATEST } from '#shared/events.ts';
import { isEventId } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { terms } from '#shared/money.ts';

/** The number of entries in one read. Giving is no event, but most accounts receive more than they give. */
const MOST_IN_A_STEP = 200;
/** A page that would take more reads ends early; its cursor goes on behind what was looked at. */
const MAX_STEPS = 20;

export interface AccountEvents {
  /** Oldest first. @throws AppError `invalid_input` when `after` is no event of this account. */
  list(account: Account, query: EventsQuery, options?: StepOptions): Promise<EventPage>;
}

export function createAccountEvents(storage: Storage, queryQueue: StepQueue): AccountEvents {
  const stored = storage.events;

  async function placeOf({ id }: Account, after: string | null): Promise<EventPlace> {
    if (after === null) return BEFORE_EVENTS;
    const place = isEventId(after) ? await stored.findEventPlace(id, after) : null;
    if (place) return place;
    const message =
      'You have no event with this id, or not any more. Leave it out to begin at the first one.';
    throw invalidField('after', message);
  }

  return {
    async list(account, { after = null, limit }, options) {
      await queryQueue.step(account.id, options);
      const events: AccountEvent[] = [];
      let nextCursor = after === LATEST ? await stored.findNewestEventId(account.id) : after;
      let place = await placeOf(account, nextCursor);
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        if (steps > 0) await queryQueue.step(account.id, options);
        const most = Math.min(MOST_IN_A_STEP, limit - events.length);
        const step = await stored.listEvents(account.id, place, most);
        events.push(...step.events.map(eventFrom));
        place = step.upTo;
        nextCursor = step.lastId ?? nextCursor;
        if (step.isAtEnd) return { events, hasMore: false, nextCursor };
        if (events.length === limit) break;
      }
      return { events, hasMore: true, nextCursor };
    },
  };
}

/** The cents become decimals where all of REST does that. */
export function eventFrom(record: EventRecord): AccountEvent {
  const { id, kind: type, createdAtMs } = record;
  return { id, type, timestamp: isoTime(createdAtMs), data: dataOf(record) };
}

function dataOf(record: EventRecord): AccountEvent['data'] {
  switch (record.kind) {
    case 'tip.received':
    case 'tip.refunded': {
      const { transactionId, qrCodeId, amountCents, netAmountCents } = record;
      return { transactionId, qrCodeId, amountCents, netAmountCents, currency: terms().currency };
    }
    case 'tip.changed': {
      const { transactionId, qrCodeId, amountCents, netAmountCents, change } = record;
      const moved = { amountCents, netAmountCents, currency: terms().currency };
      return { transactionId, qrCodeId, ...moved, change: change === 'capture' ? 'captured' : change };
    }
    case 'tip.thanked':
      return { transactionId: record.subject };
    case 'code.changed':
      return { qrCodeId: record.subject };
    case 'statement.ready':
      return { month: record.subject };
  }
}
