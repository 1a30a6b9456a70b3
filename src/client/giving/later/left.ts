/** The running time within which a giver may take a tip back. */
import { useEffect, useState } from 'react';
import { serverNow } from '../../api-client/server-clock.ts';

const SECOND_MS = 1_000;

/** Milliseconds until a moment of the server's clock, updated each second; 0 when it has passed or is null. */
export function useLeftMs(iso: string | null): number {
  const [nowMs, setNowMs] = useState(serverNow);
  const isTimed = iso !== null;
  useEffect(() => {
    if (!isTimed) return;
    const timer = setInterval(() => setNowMs(serverNow()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isTimed]);
  return iso === null ? 0 : Math.max(0, Date.parse(iso) - nowMs);
}

const MINUTE_S = 60;

/** The time as a clock shows it, rounded up: 9:58, or 1:00:00 from an hour on. */
export function countdown(leftMs: number): string {
  const seconds = Math.ceil(leftMs / SECOND_MS);
  const minutes = Math.floor(seconds / MINUTE_S);
  const hours = Math.floor(minutes / MINUTE_S);
  const two = (count: number) => String(count).padStart(2, '0');
  return hours === 0
    ? `${minutes}:${two(seconds % MINUTE_S)}`
    : `${hours}:${two(minutes % MINUTE_S)}:${two(seconds % MINUTE_S)}`;
}
