import { AppError } from '#shared/errors.ts';
import type { OnHangUp } from './work-queue.ts';

/**
 * A queue for long work in steps, with a bounded number of steps in each turn of the event loop, so that
 * other work proceeds in between. Owners take turns step by step, however many steps each of them has queued.
 */
export interface StepQueue {
  /**
   * Resolves when the caller may take one step: at once while this turn of the loop has steps left.
   * @throws AppError `busy` when the owner has too many steps waiting, or when the caller hangs up.
   */
  step(owner: unknown, terms?: StepTerms): Promise<void>;
}

export interface StepTerms {
  readonly onHangUp?: OnHangUp;
  /**
   * Set for a step that continues an answer whose beginning has been sent and could only be cut off: it waits
   * in any case. An answer has one such step waiting at a time, so that the limits of such answers bound
   * them.
   */
  readonly isFurther?: boolean;
}

/** Of one owner: the ten calls of a batch, a few times over. */
const MAX_WAITING = 50;

export function createStepQueue(stepsPerTurn: number): StepQueue {
  /** Below `stepsPerTurn` exactly while a new turn is scheduled. */
  let left = stepsPerTurn;
  /** The first owner has waited longest since its last step. */
  const waiting = new Map<unknown, (() => void)[]>();

  function takeNext(owner: unknown, steps: (() => void)[]): void {
    const go = steps.shift();
    waiting.delete(owner);
    if (steps.length > 0) waiting.set(owner, steps);
    left -= 1;
    go?.();
  }

  function beginTurn(): void {
    left = stepsPerTurn;
    for (const [owner, steps] of waiting) {
      if (left === 0) break;
      takeNext(owner, steps);
    }
    if (left < stepsPerTurn) setImmediate(beginTurn);
  }

  function enqueue(owner: unknown, go: () => void, isFurther: boolean): void {
    const steps = waiting.get(owner) ?? [];
    if (steps.length >= MAX_WAITING && !isFurther) throw new AppError('busy');
    steps.push(go);
    waiting.set(owner, steps);
  }

  function takeOut(owner: unknown, go: () => void): boolean {
    const steps = waiting.get(owner) ?? [];
    const index = steps.indexOf(go);
    if (index === -1) return false;
    steps.splice(index, 1);
    if (steps.length === 0) waiting.delete(owner);
    return true;
  }

  return {
    async step(owner, { onHangUp, isFurther = false } = {}) {
      if (left === stepsPerTurn) setImmediate(beginTurn);
      if (left > 0) {
        left -= 1;
        return;
      }
      let stopListening = (): void => {};
      await new Promise<void>((go, reject) => {
        enqueue(owner, go, isFurther);
        stopListening =
          onHangUp?.(() => {
            if (takeOut(owner, go)) reject(new AppError('busy'));
          }) ?? stopListening;
      }).finally(() => stopListening());
    },
  };
}
