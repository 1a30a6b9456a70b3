/**
 * Atomic steps, written once for both engines: a step is a generator that runs statements by `yield*`, and is committed whole or not
 * at all. SQLite runs one to its end in a turn of the event loop, inside its group commit: a step that waited there would let another
 * request read on the same connection what is not committed. On PostgreSQL it waits for each answer, in a transaction.
 */

/** What a step yields is what it waits for. */
export type Step<Result> = Iterable<Promise<unknown>, Result, void>;

/** The step that has come to its end already, with a value. It is its own iterator and result, as it is made for each statement. */
export class Ended<Result> implements Step<Result> {
  readonly done = true;
  readonly value: Result;

  constructor(value: Result) {
    this.value = value;
  }

  [Symbol.iterator]() {
    return this;
  }

  next() {
    return this;
  }
}

/** Runs steps that need nothing of each other: their statements are sent together. */
export function* together(...steps: readonly Step<unknown>[]): Step<void> {
  const running = steps.map((step) => step[Symbol.iterator]());
  for (;;) {
    const waiting = running.flatMap((step) => {
      const { done, value } = step.next();
      return done ? [] : [value];
    });
    if (waiting.length === 0) return;
    yield allOf(waiting);
  }
}

/** Waits for all. @throws what the first of them has met: those behind it are refused on its account. */
async function allOf(waiting: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(waiting)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Runs a step that waits for nothing. @throws whatever the step throws. */
export function runAtOnce<Result>(step: Step<Result>): Result {
  const { done, value } = step[Symbol.iterator]().next();
  if (!done) throw new Error('a step has waited that had to end at once');
  return value;
}

/** Runs a step, waiting for whatever it waits for. */
export async function runToEnd<Result>(step: Step<Result>): Promise<Result> {
  const running = step[Symbol.iterator]();
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
    await value;
  }
}
