/** Reads rows of any number page by page. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/**
 * Requests have their turn between two pages: SQLite reads within the turn of whoever asks, and 21,000 readers of
 * statements in one turn stopped them for 230 ms.
 * @param first the place after which the first page begins. @param read answers at most `atMost` rows after a place.
 */
export async function* rowsInPages<Row, Place>(
  first: Place,
  atMost: number,
  read: (after: Place, atMost: number) => Promise<readonly Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row, void> {
  for (let after = first; ; ) {
    const rows = await read(after, atMost);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < atMost) return;
    after = placeOf(last);
    await turnOfTheLoop();
  }
}
