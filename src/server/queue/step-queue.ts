/** Bounds the steps of long work in one turn of the event loop, so that all else gets its turn. Owners take turns. */
import { AppError } from '#shared/errors.ts';
import { createFairQueue, type OnHangUp } from './fair-queue.ts';

export interface StepQueue {
  /**
   * Resolves when the caller may take one step: at once while this turn of the event loop has steps left.
   * @throws AppError `busy` when too many steps of the asker wait, or nobody waits for the step any more.
   */
  step(owner: object | string, options?: StepOptions): Promise<void>;
}

export interface StepOptions {
  /** Who asks for the owner, such as an API key. Askers of an owner take turns, and each waits for itself. */
  readonly asker?: string;
  readonly onHangUp?: OnHangUp;
  /** An answer that has begun could only be cut off, so its step is never refused; it waits for one at a time. */
  readonly isFurther?: boolean;
}

/** The limit of one asker of an owner; a batch has ten calls. */
const MAX_WAITING = 50;

/** @param stepsPerTurn how many steps all owners together may take in one turn of the event loop. */
export function createStepQueue(stepsPerTurn: number): StepQueue {
  /** Below `stepsPerTurn` exactly while the next turn is waited for. */
  let left = stepsPerTurn;
  const queue = createFairQueue<object | string>();

  function beginTurn(): void {
    left = stepsPerTurn;
    while (left > 0 && queue.letNextGo() !== undefined) left -= 1;
    if (left < stepsPerTurn) setImmediate(beginTurn);
  }

  return {
    async step(owner, { asker = '', onHangUp, isFurther = false } = {}) {
      if (left === stepsPerTurn) setImmediate(beginTurn);
      if (left > 0) {
        left -= 1;
        return;
      }
      const path = [owner, asker];
      if (queue.count(path) >= MAX_WAITING && !isFurther) throw new AppError('busy');
      await queue.wait(path, { onHangUp });
    },
  };
}
