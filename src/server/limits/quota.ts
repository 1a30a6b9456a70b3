/**
 * What is left of the limits that counted a request, as draft-ietf-httpapi-ratelimit-headers-10 reports it; of several,
 * the one nearest to its end. Limits that are kept with the data are noted only when used up.
 */
import type { AttemptCount } from '../storage/port/attempts.ts';

export class Quota {
  #nearest: { readonly counted: AttemptCount; readonly left: number; readonly waitMs: number } | null = null;

  note(counted: AttemptCount, left: number, waitMs: number): void {
    const nearest = this.#nearest;
    if (nearest && (nearest.left < left || (nearest.left === left && nearest.waitMs >= waitMs))) return;
    this.#nearest = { counted, left, waitMs };
  }

  /**
   * The headers of the answer; empty when nothing was counted.
   * @param isUsedUp whether a limit refused the request: then only a used-up limit is reported.
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
