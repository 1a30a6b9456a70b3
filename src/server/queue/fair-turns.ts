import { AppError } from '#shared/errors.ts';

/**
 * Work that could go on for long, in steps: so many in each turn of the event loop, whoever takes them. Those who wait take one after
 * the other, however many steps each of them asked for at once. However much of it there is, everything else gets its turn in between.
 */
export interface FairTurns {
  /**
   * Resolves when the caller may take one step: at once while this turn of the loop has steps left.
   * @param owner whose work it is.
   * @throws AppError `busy` when as many steps of the owner wait as may. Whoever has hung up keeps a step until its turn, so that
   *   nothing else would bound how many one client can ask for.
   */
  step(owner: unknown): Promise<void>;
}

/** Of one owner: the ten calls of a batch, a few times over. */
const MAX_WAITING = 50;

/** @param stepsPerTurn how many steps everybody together may take before the event loop gets its turn. */
export function createFairTurns(stepsPerTurn: number): FairTurns {
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

  return {
    async step(owner) {
      if (left === stepsPerTurn) setImmediate(beginTurn);
      if (left > 0) {
        left -= 1;
        return;
      }
      await new Promise<void>((resolve) => {
        const steps = waiting.get(owner);
        if (steps && steps.length >= MAX_WAITING) throw new AppError('busy');
        if (steps) steps.push(resolve);
        else waiting.set(owner, [resolve]);
      });
    },
  };
}
