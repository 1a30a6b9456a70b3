/**
 * A new idempotency key: 128 random bits, not from `crypto.randomUUID`, which browsers have in secure
 * contexts only: not on plain http.
 */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
