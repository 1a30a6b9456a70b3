const MINUTE_MS = 60_000;

/** A duration in words, rounded up; the last minute in seconds. */
export function timeLeft(ms: number): string {
  if (ms <= MINUTE_MS) return counted(ms / 1_000, 'second');
  return ms <= 90 * MINUTE_MS ? counted(ms / MINUTE_MS, 'minute') : counted(ms / (60 * MINUTE_MS), 'hour');
}

function counted(amount: number, unit: string): string {
  const count = Math.ceil(amount);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
