/** Runs one attempt at a time, also when a button is clicked twice. */
import { useRef, useState } from 'react';

export interface Attempts {
  readonly isUnderWay: boolean;
  /** Does nothing while an attempt is under way. */
  run(attempt: () => Promise<void>): Promise<void>;
}

export function useAttempts(): Attempts {
  const isTaken = useRef(false);
  const [isUnderWay, setUnderWay] = useState(false);
  async function run(attempt: () => Promise<void>) {
    // A state would change with the next render only, and a double click is faster.
    if (isTaken.current) return;
    isTaken.current = true;
    setUnderWay(true);
    try {
      await attempt();
    } finally {
      isTaken.current = false;
      setUnderWay(false);
    }
  }
  return { isUnderWay, run };
}
