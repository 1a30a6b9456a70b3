/**
 * Work that could go on for long, in steps: so many in each turn of the event loop, whoever takes them, and first come,
 * first served. However much of it there is, everything else gets its turn in between.
 */
export interface FairTurns {
  /** Resolves when the caller may take one step: at once while this turn of the loop has steps left. */
  step(): Promise<void>;
}

/** @param stepsPerTurn how many steps everybody together may take before the event loop gets its turn. */
export function createFairTurns(stepsPerTurn: number): FairTurns {
  /** Below `stepsPerTurn` exactly while the next turn is waited for. */
  let left = stepsPerTurn;
  const waiting: (() => void)[] = [];

  function beginTurn(): void {
    left = stepsPerTurn;
    for (const go of waiting.splice(0, stepsPerTurn)) {
      left -= 1;
      go();
    }
    if (left < stepsPerTurn) setImmediate(beginTurn);
  }

  return {
    async step() {
      if (left === stepsPerTurn) setImmediate(beginTurn);
      if (left > 0) {
        left -= 1;
        return;
      }
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    },
  };
}
