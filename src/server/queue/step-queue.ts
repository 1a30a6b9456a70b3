import { AppError } from '#shared/errors.ts';
import type { OnHangUp } from './work-queue.ts';

/**
 * Work that could go on for long, in steps: so many in each turn of the event loop, whoever takes them. Those who wait take one after
 * the other, however many steps each of them asked for at once. However much of it there is, everything else gets its turn in between.
 */
export interface StepQueue {
  /**
   * Resolves when the caller may take one step: at once while this turn of the loop has steps left.
   * @param owner whose work it is.
   * @throws AppError `busy` when as many steps of the owner wait as may, or nobody waits for it any more.
   */
  step(owner: unknown, terms?: StepTerms): Promise<void>;
}

export interface StepTerms {
  /** A step that waits is given up then. */
  readonly onHangUp?: OnHangUp;
  /**
   * Whether it goes on with an answer whose beginning has been sent, which could only be cut off: it waits however many others do. An
   * answer waits for one such step at a time, so that the limits of what begins them bound them.
   */
  readonly isFurther?: boolean;
}

/** Of one owner: the ten calls of a batch, a few times over. */
const MAX_WAITING = 50;

/** @param stepsPerTurn how many steps everybody together may take before the event loop gets its turn. */
export function createStepQueue(stepsPerTurn: number): StepQueue {
  /** Below `stepsPerTurn` exactly while the next turn is waited for. */
  let left = stepsPerTurn;
  /** Whoever is first here has waited longest since their last step. */
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

  /** @returns false for what waits no longer. */
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
