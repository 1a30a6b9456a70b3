/** Chance that is the same in every run, so that whatever a test finds it finds again. */

/**
 * A small generator of even 32-bit numbers (mulberry32): not for secrets, but the same sequence every time.
 */
export function createChance(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (bound: number) => next() % bound,
    bytes: (size: number) => Uint8Array.from({ length: size }, () => next() & 255),
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('nothing to pick from');
      return items[next() % items.length] as Item;
    },
  };
}
