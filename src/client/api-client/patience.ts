import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';

/** Ends a call with the signal that is given, and when nobody waits for its answer any longer. */
export function whilePatient(given: AbortSignal | null | undefined): AbortSignal {
  const ending = new AbortController();
  // Browsers before 2024 cannot combine signals by themselves.
  for (const signal of [given, AbortSignal.timeout(CLIENT_PATIENCE_MS)])
    signal?.addEventListener('abort', () => ending.abort());
  return ending.signal;
}
