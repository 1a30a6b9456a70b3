/** The end of a night has an address of its own, so that Back leads to the code, and a reload to the same. */
import { showOf } from '../../later/addresses.ts';

export const LAST_CALL = 'last-call';

export function lastCallOf(qrId: string): string {
  return `${showOf(qrId)}&${LAST_CALL}`;
}
