/**
 * What is left to a client of the limits that its request was counted by, as draft-ietf-httpapi-ratelimit-headers-10 tells it. Of several it
 * is the one that is nearest to its end. Nothing is read for it: counts that are kept with the data are told when they are used up alone.
 */
import type { AttemptCount } from '../storage/port/storage.ts';

export class Quota {
  #nearest: { readonly counted: AttemptCount; readonly left: number; readonly waitMs: number } | null = null;

  /**
   * Notes one of the limits.
   * @param left how many more are let through.
   * @param waitMs until all are let through again.
   */
  note(counted: AttemptCount, left: number, waitMs: number): void {
    const nearest = this.#nearest;
    if (nearest && (nearest.left < left || (nearest.left === left && nearest.waitMs >= waitMs))) return;
    this.#nearest = { counted, left, waitMs };
  }

  /**
   * The headers of the answer; none when nothing was counted.
   * @param isUsedUp whether the request is refused by a limit: one that has not been noted says nothing of it.
   */
  headers(isUsedUp = false): Record<string, string> {
    if (!this.#nearest) return {};
    const { counted, left, waitMs } = this.#nearest;
    if (isUsedUp && left > 0) return {};
    const { limit, maxCount, windowMs } = counted;
    return {
      ratelimit: `"${limit}";r=${left};t=${Math.max(1, Math.ceil(waitMs / 1_000))}`,
      'ratelimit-policy': `"${limit}";q=${maxCount};w=${windowMs / 1_000}`,
    };
  }
}
