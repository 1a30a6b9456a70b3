/** The past of a ledger as a note, `COUNT:HEX`: a hash chain over its tips (docs/decisions/015-a-noted-past.md). */
import { hash } from 'node:crypto';

/** 32 hexadecimal digits of a SHA-256, 128 bits, are short enough for paper. */
const NOTED_DIGITS = 32;

export interface NotedPast {
  /** The digest covers this many tips, from the first. */
  readonly count: number;
  readonly digest: string;
}

/** The value of the last column for tips from a time without payments. */
const SIMULATED = 'simulated';

/**
 * The order of the columns never changes, because notes of years ago must still compare. A constant stands for the
 * status column that tips once had.
 */
export function columnsOfPast(has: { readonly payments: boolean; readonly terms: boolean }): string {
  return `sequence, id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
  receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, 'completed', idempotency_key, created_at_ms,
  ${has.payments ? 'payment_mode' : `'${SIMULATED}'`}, ${has.terms ? 'terms_version' : '0'}`;
}

/** The last two columns are left out where they say nothing, so that notes from before they existed still fit. */
export function tipText(values: readonly unknown[]): string {
  if (values.at(-1) !== 0) return JSON.stringify(values);
  const [mode] = values.slice(-2);
  return JSON.stringify(values.slice(0, mode === SIMULATED ? -2 : -1));
}

/** Notes the first `count` tips, or all. @param tips texts of `tipText`, from the first tip. */
export function notePast(tips: Iterable<string>, count = Number.POSITIVE_INFINITY): NotedPast {
  const past = createPast();
  for (const tip of tips) {
    if (past.note().count >= count) break;
    past.add(tip);
  }
  return past.note();
}

/** A past that also compares itself with any number of earlier notes in one pass over the ledger. */
export function createComparedPast(noted: readonly NotedPast[]) {
  const past = createPast();
  const counts = new Set(noted.map(({ count }) => count));
  const notes = new Map([[0, past.note()]]);
  let count = 0;
  return {
    add(tip: string): void {
      past.add(tip);
      count += 1;
      if (counts.has(count)) notes.set(count, past.note());
    },
    compare(): { readonly past: NotedPast; readonly differences: readonly string[] } {
      const all = past.note();
      return {
        past: all,
        differences: noted.flatMap((one) => differencesFrom(one, notes.get(one.count) ?? all)),
      };
    },
  };
}

function createPast() {
  let count = 0;
  let digest = hash('sha256', '');
  return {
    add(tip: string): void {
      digest = hash('sha256', digest + tip);
      count += 1;
    },
    note: (): NotedPast => ({ count, digest: digest.slice(0, NOTED_DIGITS) }),
  };
}

export function spellPast({ count, digest }: NotedPast): string {
  return `${count}:${digest}`;
}

/** Null for a text that is no note of `spellPast`. */
export function parsePast(text: string): NotedPast | null {
  const [, count, digest = ''] = /^(\d{1,15}):([0-9a-f]{32})$/i.exec(text.trim()) ?? [];
  return count === undefined ? null : { count: Number(count), digest: digest.toLowerCase() };
}

/** Sentences that `findDiffering` reads. @param present the note of as many tips, or of all when there are fewer. */
function differencesFrom(noted: NotedPast, present: NotedPast): string[] {
  if (present.count < noted.count) {
    return [`Missing: ${spellPast(noted)} was noted, and the ledger has ${present.count} tips only`];
  }
  if (present.digest === noted.digest) return [];
  return [
    `Rewritten: ${spellPast(noted)} was noted, and now it is ${spellPast(present)}: these tips are not those of then`,
  ];
}

/** The notes named by sentences of `differencesFrom`. @param said these sentences among others. */
export function findDiffering(said: string): string[] {
  return [...said.matchAll(/^(?:Missing|Rewritten): (\d+:[0-9a-f]{32}) was noted/gm)].map(
    ([, noted = '']) => noted,
  );
}

/** The position of the first tip in which two ledgers differ, as far as both go; null when they agree. */
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
