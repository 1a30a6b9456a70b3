/** Bounds how many tasks run at once, in all and for each host. Hosts take turns, however much waits for one. */
import { createFairQueue } from './fair-queue.ts';

export interface HostQueue {
  run<Result>(host: string, task: () => Promise<Result>): Promise<Result>;
  waiting(): number;
}

export function createHostQueue(maxAtOnce: number, maxAtOnceToHost: number): HostQueue {
  const running = new Map<string, number>();
  const queue = createFairQueue<string>();
  let count = 0;

  const countOf = (host: string) => running.get(host) ?? 0;

  function begin(): void {
    while (count < maxAtOnce) {
      const host = queue.letNextGo((each) => countOf(each) < maxAtOnceToHost);
      if (host === undefined) return;
      count += 1;
      running.set(host, countOf(host) + 1);
    }
  }

  return {
    async run(host, task) {
      const turn = queue.wait([host]);
      begin();
      await turn;
      try {
        return await task();
      } finally {
        count -= 1;
        if (countOf(host) > 1) running.set(host, countOf(host) - 1);
        else running.delete(host);
        begin();
      }
    },

    waiting: () => queue.count([]),
  };
}
