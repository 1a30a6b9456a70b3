/**
 * What was read of a past period, kept in memory with the position of the account's newest entry at that time. The
 * entries since then tell whether it is still true, in every process, so that nothing has to be forgotten by a message.
 */
export interface PastReadings<Value> {
  /**
   * The kept value of a key, or a new reading.
   * @param options.newest the position of the account's newest entry, found before.
   * @param options.isStillTrue whether the entries after a position, up to `newest`, leave the period as it was.
   * @param options.read may also see entries after `newest`: they are looked at with the next question.
   */
  get(
    key: string,
    options: {
      readonly newest: number;
      readonly isStillTrue: (position: number) => Promise<boolean>;
      readonly read: () => Promise<Value>;
    },
  ): Promise<Value>;
}

/**
 * @param maxSize of all values together, by `sizeOf`; the least recently used go first. A larger value is not kept.
 * @param sizeOf one or more.
 */
export function createPastReadings<Value>(
  maxSize: number,
  sizeOf: (value: Value) => number,
): PastReadings<Value> {
  const kept = new Map<string, { readonly value: Value; readonly position: number }>();
  let size = 0;

  function forget(key: string): void {
    const reading = kept.get(key);
    if (reading && kept.delete(key)) size -= sizeOf(reading.value);
  }

  function keep(key: string, value: Value, position: number): void {
    forget(key);
    const sizeOfIt = sizeOf(value);
    if (sizeOfIt > maxSize) return;
    kept.set(key, { value, position });
    size += sizeOfIt;
    for (const oldest of kept.keys()) {
      if (size <= maxSize) return;
      forget(oldest);
    }
  }

  return {
    async get(key, { newest, isStillTrue, read }) {
      const found = kept.get(key);
      const isTrue = found && (found.position === newest || (await isStillTrue(found.position)));
      const value = isTrue ? found.value : await read();
      keep(key, value, newest);
      return value;
    },
  };
}
