/** The table of what waits: all work that is too much to be done for everybody at once, and how much of each waits for how long. */
import type { Room } from './turns.ts';

/** Far below the time after which the server cuts a silent connection. */
const PATIENCE_MS = 8_000;

export const ROOMS = {
  /** Some thirty milliseconds of a thread each. A login is worth waiting for more than anything else. */
  hashing: { atOnce: 2, maxWaiting: 64, patienceMs: PATIENCE_MS },
  /** Decoding a photo takes one of the threads that hash passwords, for some ten milliseconds. */
  photos: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** In a thread of its own a code takes some ten milliseconds, a sheet some hundred. */
  drawing: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** Those of ten years take some ten milliseconds of the event loop, with the work of others in between. */
  insights: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
} as const satisfies Readonly<Record<string, Room>>;
