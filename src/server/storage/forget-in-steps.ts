/** Some three milliseconds of the event loop. */
const FORGOTTEN_IN_A_STEP = 500;

/**
 * Calls `forget` until nothing is left, with a bounded number of rows each time. One statement for 237,000
 * rows stopped all requests for 3.5 s.
 * @param forget deletes at most `atMost` rows and returns how many it deleted.
 * @returns the number of deleted rows.
 */
export async function forgetInSteps(forget: (atMost: number) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const count = await forget(FORGOTTEN_IN_A_STEP);
    total += count;
    if (count < FORGOTTEN_IN_A_STEP) return total;
  }
}
