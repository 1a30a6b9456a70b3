/** Steps of events. An event is noted under the lock of its account, like the entries of tips. */
import { eventIdOf, transactionOfEvent, type UserId } from '#shared/ids.ts';
import { BEFORE_EVENTS, type Events } from '../port/events.ts';
import { type EventToNote, KEPT_EVENTS, mergeEvents, notedRow } from '../rules/events.ts';
import type { Statements } from '../statements/all.ts';
import { lockOpen } from './account-locks.ts';
import { changeOf, isOfChange, readWhatFollowed } from './adjustments.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import { findNewest, findPlace } from './records.ts';
import { findInSpans } from './spans.ts';
import type { Step } from './step.ts';

export function createEvents(engine: Engine): Events {
  return {
    listEvents: reading(engine)(listEvents),
    findEventPlace: reading(engine)(findEventPlace),
    findEvent: reading(engine)(findEvent),
    findNewestEventId: reading(engine)(findNewestEventId),
    noteStatement: transacting(engine)(noteStatement),
    listMonthlyReaders: (first, sinceMs, atMost) =>
      findInSpans(
        first,
        atMost,
        (after) => engine.read(({ endOfReaders }) => endOfReaders.one({ after })),
        (span, left) =>
          engine.read(({ monthlyReaders }) => monthlyReaders.all({ ...span, sinceMs, atMost: left })),
      ),
  };
}

const listEvents: StepOf<Events['listEvents']> = function* (statements, _, userId, after, limit) {
  const entries = yield* eventEntries(statements, userId, after.position, limit);
  const upTo = entries.at(-1)?.position ?? after.position;
  const noted = yield* statements.notedEventsSince.all({ userId, after: after.number, upTo, limit });
  return mergeEvents(after, entries, noted, limit);
};

function* eventEntries(statements: Statements, userId: UserId, after: number, limit: number) {
  const rows = yield* statements.eventEntriesSince.all({ userId, after, limit });
  const changed = rows.flatMap(({ kind, transactionId }) => (isOfChange(kind) ? [transactionId] : []));
  const followed = yield* readWhatFollowed(statements, changed);
  return rows.map((row) => {
    const { changes = [], receiverPositionOfReversal = null } = followed.get(row.transactionId) ?? {};
    const earlierCents = changes
      .filter(({ kind, receiverPosition }) => kind !== 'refund_failed' && receiverPosition < row.position)
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
    return { ...row, change: changeOf(row, changes) ?? null, earlierCents, receiverPositionOfReversal };
  });
}

const findEventPlace: StepOf<Events['findEventPlace']> = function* (statements, _, userId, id) {
  const entry = transactionOfEvent(id);
  if (!entry) {
    const noted = yield* statements.notedEventsById.one({ userId, id });
    return noted ? { position: noted.position, number: noted.number } : null;
  }
  const position = (yield* findPlace(statements, userId, entry))?.position;
  if (position === undefined) return null;
  const before = yield* statements.notedBeforeEntry.one({ userId, position });
  return { position, number: before?.number ?? 0 };
};

const findEvent: StepOf<Events['findEvent']> = function* (statements, _, userId, id) {
  const entry = transactionOfEvent(id);
  const place = entry ? yield* findPlace(statements, userId, entry) : null;
  const entries = place ? yield* eventEntries(statements, userId, place.position - 1, 1) : [];
  const noted = entry ? [] : yield* statements.notedEventsById.all({ userId, id });
  const { events } = mergeEvents(BEFORE_EVENTS, entries, noted, 1);
  return events.find((event) => event.id === id) ?? null;
};

const findNewestEventId: StepOf<Events['findNewestEventId']> = function* (statements, _, userId) {
  const noted = yield* statements.newestNotedEvent.one({ userId });
  const entry = yield* findNewest(statements, userId);
  if (!entry || (noted && noted.position >= entry.position)) return noted?.id ?? null;
  return eventIdOf(entry);
};

const noteStatement: StepOf<Events['noteStatement']> = function* (
  statements,
  isRepeated,
  userId,
  subject,
  createdAtMs,
) {
  if (!(yield* lockOpen(statements, userId))) return false;
  const isNoted = yield* noteEvent(statements, userId, { kind: 'statement.ready', subject, createdAtMs });
  return isNoted || isRepeated;
};

/** Requires the account's lock. @returns false for an event that was noted before. */
export function* noteEvent(statements: Statements, userId: UserId, event: EventToNote): Step<boolean> {
  const row = notedRow(yield* newestPlace(statements, userId), userId, event);
  if ((yield* statements.insertNotedEvent.change(row)) === 0) return false;
  if (row.number > KEPT_EVENTS)
    yield* statements.deleteOldNotedEvents.change({ userId, upTo: row.number - KEPT_EVENTS });
  return true;
}

export function* newestPlace({ newestEventPlace }: Statements, userId: UserId) {
  const place = yield* newestEventPlace.one({ userId });
  if (!place) throw new Error('an account with events has gone');
  return place;
}
