/** Passes over what is due: they claim one after the other, and what they begin runs on until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';

const CLOSE_PATIENCE_MS = 2_000;

export interface Passes {
  /** @param claim begins what is due, and never rejects. @returns when all begun by then has ended. */
  pass(claim: () => Promise<void>): Promise<void>;
  /** @param running never rejects. */
  begin(running: Promise<void>): void;
  underWayCount(): number;
  readonly isClosed: boolean;
  /** Lets what is under way end, for two seconds by itself and for two more after `stop`. */
  close(stop: () => void): Promise<void>;
}

export function createPasses(): Passes {
  const underWay = new Set<Promise<void>>();
  let claiming: Promise<void> | null = null;
  let isClosed = false;

  return {
    async pass(claim) {
      // A pass that waits for the storage sees what came later as well, or leaves it to the next pass.
      if (!claiming && !isClosed) {
        claiming = claim();
        await claiming;
        claiming = null;
      }
      await Promise.all(underWay);
    },

    begin(running) {
      const ended = running.finally(() => underWay.delete(ended));
      underWay.add(ended);
    },

    underWayCount: () => underWay.size,

    get isClosed() {
      return isClosed;
    },

    async close(stop) {
      isClosed = true;
      // What a claim under way hands out has to end as well, or to be put back.
      const allEnded = async () => {
        await claiming;
        await Promise.all(underWay);
      };
      const patience = () => sleep(CLOSE_PATIENCE_MS, undefined, { ref: false });
      await Promise.race([allEnded(), patience()]);
      stop();
      await Promise.race([allEnded(), patience()]);
    },
  };
}
