/** Spreads waits, so that what failed at one moment is not tried again at one moment. */
import type { RandomBytes } from '#shared/ids.ts';

/** @param share the most by which a wait becomes shorter or longer, such as 0.2. @returns whole milliseconds. */
export function createJitter(random: RandomBytes, share: number): (waitMs: number) => number {
  return (waitMs) => {
    const [byte = 0] = random(1);
    return Math.round(waitMs * (1 - share + (2 * share * byte) / 255));
  };
}
