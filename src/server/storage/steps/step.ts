/**
 * A step is a generator that runs statements by `yield*` and is committed whole or not at all. SQLite runs it in one
 * turn of the event loop: a step that waited would let other requests read uncommitted rows on the same connection.
 */

/** A step yields the promises that it waits for. */
export type Step<Result> = Iterable<Promise<unknown>, Result, void>;

/** A finished step. It is its own iterator and result, because one is made for each statement. */
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

/** Runs independent steps whose statements are sent together. */
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

/** Waits for all. @throws the error of the first failed step, which is the cause of the others. */
async function allOf(waiting: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(waiting)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Runs a step that never waits. @throws the step's error. */
export function runAtOnce<Result>(step: Step<Result>): Result {
  const { done, value } = step[Symbol.iterator]().next();
  if (!done) throw new Error('a step has waited that had to end at once');
  return value;
}

export async function runToEnd<Result>(step: Step<Result>): Promise<Result> {
  const running = step[Symbol.iterator]();
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
    await value;
  }
}
