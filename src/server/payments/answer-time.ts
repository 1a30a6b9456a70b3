/**
 * The time in which a request is answered, whatever the payment service does. It is less than the page waits, so that a
 * payment service that hangs is told as what it is. All calls of one request share the time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';

/** For the way between browser and server, and for the database. */
const WAY_MS = 3_000;
export const ANSWER_TIME_MS = CLIENT_PATIENCE_MS - WAY_MS;

const deadlines = new AsyncLocalStorage<number>();

/** Lets a step, with all that it awaits, end within this time or earlier; a step within another has no more. */
export function answerWithin<Result>(ms: number, step: () => Result): Result {
  return deadlines.run(performance.now() + Math.min(ms, answerTimeLeftMs()), step);
}

/** What is left of the time of this step; `ANSWER_TIME_MS` outside of any. */
export function answerTimeLeftMs(): number {
  const deadline = deadlines.getStore();
  return deadline === undefined ? ANSWER_TIME_MS : deadline - performance.now();
}
