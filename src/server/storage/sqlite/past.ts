/**
 * The past of a ledger as one short note, `COUNT:HEX`: a hash over its tips, each hashed together with the hash of all before
 * it. It is computed when somebody asks, and kept by nobody here: docs/decisions/015-a-noted-past.md says why.
 */
import { hash } from 'node:crypto';
import type { Database } from './connection.ts';

/** Of a SHA-256, the hexadecimal digits that are noted: 128 bits, and short enough for paper. */
const NOTED_DIGITS = 32;

/** Every fact of a tip, in an order that never changes: notes of years ago must still compare. */
const TIPS = `
  SELECT sequence, id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents, receiver_fee_cents,
    net_amount_cents, giver_fee_rate, receiver_fee_rate, status, idempotency_key, created_at_ms
  FROM transactions ORDER BY sequence`;

export interface NotedPast {
  /** How many tips, from the first, the digest is of. */
  readonly count: number;
  /** Hexadecimal digits, in lower case. */
  readonly digest: string;
}

/** The note of the first `count` tips, or of all when there are fewer or no count is given. */
export function notePast(database: Database, count = Number.POSITIVE_INFINITY): NotedPast {
  let counted = 0;
  let digest = hash('sha256', '');
  for (const tip of tipsOf(database)) {
    if (counted >= count) break;
    digest = hash('sha256', digest + tip);
    counted += 1;
  }
  return { count: counted, digest: digest.slice(0, NOTED_DIGITS) };
}

export function spellPast({ count, digest }: NotedPast): string {
  return `${count}:${digest}`;
}

/** @returns null for what is no such note. */
export function parsePast(text: string): NotedPast | null {
  const [, count, digest = ''] = /^(\d{1,15}):([0-9a-f]{32})$/i.exec(text.trim()) ?? [];
  return count === undefined ? null : { count: Number(count), digest: digest.toLowerCase() };
}

/** The place in the ledger of the first tip that two databases tell differently, as far as both go; null when there is none. */
export function findFirstDifference(one: Database, other: Database): number | null {
  const others = tipsOf(other);
  try {
    let place = 0;
    for (const tip of tipsOf(one)) {
      place += 1;
      const { value, done } = others.next();
      if (done) return null;
      if (value !== tip) return place;
    }
    return null;
  } finally {
    others.return();
  }
}

/** The tips one by one, each as a text that no other tip has. */
function* tipsOf(database: Database): Generator<string, void> {
  for (const row of database.prepare<[], readonly unknown[]>(TIPS).raw().iterate()) yield JSON.stringify(row);
}
