/**
 * A code that has just refused a tip because it takes none for now. For a moment this tab stays with that, whatever a look-up says, which
 * does not know who asks: whoever the receiver takes no tips from sees what everybody sees at a paused code.
 */
import { read, write } from '../giving/tab-storage.ts';
import { pausedCodes } from './provider.ts';

/** Short, so that it keeps nobody from tipping who is told that the code takes tips again. */
const LASTS_MS = 60_000;

export function notePause(qrId: string, now = new Date()): void {
  write(nameFor(qrId), now.getTime());
  recallPause(qrId, now);
}

/**
 * Lets the pause of a code go on that was noted before a reload.
 * @returns whether it lasts still.
 */
export function recallPause(qrId: string, now = new Date()): boolean {
  const leftMs = Number(read(nameFor(qrId))) + LASTS_MS - now.getTime();
  // Of what is no time, nothing is left.
  if (!(leftMs > 0 && leftMs <= LASTS_MS)) return false;
  pausedCodes.add(qrId);
  setTimeout(() => pausedCodes.delete(qrId), leftMs);
  return true;
}

const nameFor = (qrId: string) => `paused:${qrId}`;
