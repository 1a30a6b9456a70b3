/**
 * The past of a ledger as one short note, `COUNT:HEX`: a hash over its tips, each hashed together with the hash of all before
 * it. It is computed when somebody asks, and stored nowhere in the data: docs/decisions/015-a-noted-past.md says why.
 */
import { hash } from 'node:crypto';

/** Of a SHA-256, the hexadecimal digits that are noted: 128 bits, and short enough for paper. */
const NOTED_DIGITS = 32;

export interface NotedPast {
  /** How many tips, from the first, the digest is of. */
  readonly count: number;
  /** Hexadecimal digits, in lower case. */
  readonly digest: string;
}

/** The last of the columns, which a tip of a time without payments does not have. */
const SIMULATED = 'simulated';

/**
 * The columns of a tip that the past is made of: every fact, in an order that never changes, because notes of years ago must
 * still compare. Where a tip once had a column of its own for its status, which never changed, the same word stands for it.
 * @param has whether the ledger says how each tip was paid; one of a version before does not.
 */
export function columnsOfPast(has: { readonly payments: boolean }): string {
  return `sequence, id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
  receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, 'completed', idempotency_key, created_at_ms,
  ${has.payments ? 'payment_mode' : `'${SIMULATED}'`}`;
}

/**
 * A tip as a text that no other tip has. Only that it was paid is told, so that what was noted before there were payments
 * still fits.
 * @param values those of `columnsOfPast`.
 */
export function tipText(values: readonly unknown[]): string {
  return JSON.stringify(values.at(-1) === SIMULATED ? values.slice(0, -1) : values);
}

/** The note of the first `count` tips, or of all when there are fewer or no count is given. @param tips from the first, as texts. */
export function notePast(tips: Iterable<string>, count = Number.POSITIVE_INFINITY): NotedPast {
  const past = createPast();
  for (const tip of tips) {
    if (past.note().count >= count) break;
    past.add(tip);
  }
  return past.note();
}

/**
 * A past that grows by one tip after the other, and compares itself with what was noted of it earlier: however many notes there
 * are, the ledger is read once.
 */
export function createComparedPast(noted: readonly NotedPast[]) {
  const past = createPast();
  const counts = new Set(noted.map(({ count }) => count));
  const notes = new Map([[0, past.note()]]);
  let count = 0;
  return {
    /** @param tip as `tipText` spells it. */
    add(tip: string): void {
      past.add(tip);
      count += 1;
      if (counts.has(count)) notes.set(count, past.note());
    },
    /** The note of all tips, and how they differ from the earlier notes, in sentences. */
    compare(): { readonly past: NotedPast; readonly differences: readonly string[] } {
      const all = past.note();
      return {
        past: all,
        differences: noted.flatMap((one) => differencesFrom(one, notes.get(one.count) ?? all)),
      };
    },
  };
}

/** A past that grows by one tip after the other. */
export function createPast() {
  let count = 0;
  let digest = hash('sha256', '');
  return {
    /** @param tip as `tipText` spells it. */
    add(tip: string): void {
      digest = hash('sha256', digest + tip);
      count += 1;
    },
    /** The note of the tips so far. */
    note: (): NotedPast => ({ count, digest: digest.slice(0, NOTED_DIGITS) }),
  };
}

export function spellPast({ count, digest }: NotedPast): string {
  return `${count}:${digest}`;
}

/** @returns null for what is no such note. */
export function parsePast(text: string): NotedPast | null {
  const [, count, digest = ''] = /^(\d{1,15}):([0-9a-f]{32})$/i.exec(text.trim()) ?? [];
  return count === undefined ? null : { count: Number(count), digest: digest.toLowerCase() };
}

/**
 * How a past differs from the one that was noted, in sentences, which begin with the note (`findDiffering`).
 * @param present the note of as many tips, or of all when there are fewer.
 */
function differencesFrom(noted: NotedPast, present: NotedPast): string[] {
  if (present.count < noted.count) {
    return [`Missing: ${spellPast(noted)} was noted, and the ledger has ${present.count} tips only`];
  }
  if (present.digest === noted.digest) return [];
  return [
    `Rewritten: ${spellPast(noted)} was noted, and now it is ${spellPast(present)}: these tips are not those of then`,
  ];
}

/** The notes, as they are spelled, from which sentences of `differencesFrom` say that a ledger differs. @param said sentences, and others between them. */
export function findDiffering(said: string): string[] {
  return [...said.matchAll(/^(?:Missing|Rewritten): (\d+:[0-9a-f]{32}) was noted/gm)].map(
    ([, noted = '']) => noted,
  );
}

/** The place of the first tip that two ledgers tell differently, as far as both go; null when there is none. */
export function findFirstDifference(one: Iterable<string>, other: Iterable<string>): number | null {
  const others = other[Symbol.iterator]();
  try {
    let place = 0;
    for (const tip of one) {
      place += 1;
      const { value, done } = others.next();
      if (done) return null;
      if (value !== tip) return place;
    }
    return null;
  } finally {
    others.return?.();
  }
}
