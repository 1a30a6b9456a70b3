/** Follows the tips of the open demo: those from other tabs, and those that this tab sent before. */
import type { Cents } from '#shared/money.ts';
import { followDemoTips, takeDemoTips } from '../giving/demo-tips.ts';

/** @param arrive is called with the new tips, oldest first. */
export function followArrivals(
  arrive: (amountsCents: readonly Cents[], isFromHere: boolean) => void,
  signal: AbortSignal,
): void {
  if (signal.aborted) return;
  let stop = () => {};
  const begin = () => {
    stop();
    stop = followDemoTips((amountCents) => arrive([amountCents], false));
    const taken = takeDemoTips();
    if (taken.length > 0) arrive(taken, true);
  };
  begin();
  // Browsers keep no page with an open channel for Back (https://web.dev/articles/bfcache).
  window.addEventListener('pagehide', () => stop(), { signal });
  window.addEventListener('pageshow', ({ persisted }) => persisted && begin(), { signal });
  signal.addEventListener('abort', () => stop());
}
