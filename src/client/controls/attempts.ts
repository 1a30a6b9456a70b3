/** Runs one attempt at a time, even when somebody clicks a button twice. */
import { useRef, useState } from 'react';

export interface Attempts {
  readonly isUnderWay: boolean;
  run(attempt: () => Promise<void>): Promise<void>;
}

export function useAttempts(): Attempts {
  const isTaken = useRef(false);
  const [isUnderWay, setUnderWay] = useState(false);
  async function run(attempt: () => Promise<void>) {
    // A state would change with the next render, and a double click is faster.
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
