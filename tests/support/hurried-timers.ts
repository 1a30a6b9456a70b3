/** For servers whose tests are about what comes some time after a start, and not about that time. */
import { READING_DELAY_MS } from '#server/backups.ts';

/** @returns NODE_OPTIONS with which whatever shall be done after so long is done at once. */
export function atOnce(delayMs: number): string {
  const source = `
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (act, delay, ...words) => setTimeout(act, delay === ${delayMs} ? 0 : delay, ...words);`;
  return `--import=data:text/javascript;base64,${Buffer.from(source).toString('base64')}`;
}

/** All data is read through at the start, and not when clients that waited for it are served. */
export const READING_AT_ONCE = atOnce(READING_DELAY_MS);
