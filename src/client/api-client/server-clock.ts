/**
 * The server's clock, as far as its answers tell: a device's own may be hours off.
 */

/** How far the server's clock is ahead of the device's, in milliseconds; 0 until an answer has told it. */
let aheadMs = 0;

/** HTTP tells whole seconds, rounded down. */
const TOLD_PRECISION_MS = 1_000;

/** Learns the time from an answer that has just arrived, and hands it on. */
export function learnTime(answer: Response, now = new Date()): Response {
  const toldMs = Date.parse(answer.headers.get('Date') ?? '');
  // What is offered until some moment had better end a second early than be refused.
  if (toldMs > 0) aheadMs = toldMs + TOLD_PRECISION_MS - now.getTime();
  return answer;
}

/** The present time of the server, in milliseconds since 1970. */
export function serverNow(now = new Date()): number {
  return now.getTime() + aheadMs;
}
