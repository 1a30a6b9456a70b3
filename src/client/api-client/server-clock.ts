/** The server's clock, read from its answers, because the clock of a device may be hours off. */

/** In milliseconds, added to the clock of the device; 0 before the first answer. */
let aheadMs = 0;

/** The Date header of HTTP has whole seconds, rounded down. */
const TOLD_PRECISION_MS = 1_000;

export function learnTime(answer: Response, now = new Date()): Response {
  const toldMs = Date.parse(answer.headers.get('Date') ?? '');
  // An offer that ends at some moment had better end a second early than be refused.
  if (toldMs > 0) aheadMs = toldMs + TOLD_PRECISION_MS - now.getTime();
  return answer;
}

/** The present time of the server, in milliseconds since 1970. */
export function serverNow(now = new Date()): number {
  return now.getTime() + aheadMs;
}
