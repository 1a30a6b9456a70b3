/** What is promised of seconds, as far as a constant holds it: no test measures how long it takes. */
import { expect, test } from 'vitest';
import { TICK_INTERVAL_MS } from '#server/clockwork.ts';
import { SERVER_OPTIONS } from '#server/serve.ts';
import { HELD_PATIENCE_MS } from '#server/storage/sqlite/connection.ts';

/** What is left for whatever is done at the end of a time. */
const ROOM_MS = 1_000;

test('an open stream is closed within two seconds of the end of its session', () => {
  expect(TICK_INTERVAL_MS + ROOM_MS).toBeLessThanOrEqual(2_000);
});

test('whoever sends a request slowly is cut off within 15 seconds', () => {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = SERVER_OPTIONS;
  expect(Math.max(headersTimeout, requestTimeout) + connectionsCheckingInterval).toBeLessThanOrEqual(15_000);
});

test('a second process on the same file is refused within two seconds', () => {
  expect(HELD_PATIENCE_MS + ROOM_MS).toBeLessThanOrEqual(2_000);
});
