/**
 * A code that has just refused a tip because it takes none for now. For a moment the page of this tab stays with that, whatever a
 * look-up says, which does not know who asks: whoever the receiver takes no tips from sees what everybody sees at a paused code.
 */
import { read, write } from '../tab-storage.ts';

/** Short, so that it keeps nobody from tipping who is told that the code takes tips again. */
const LASTS_MS = 60_000;

export function notePause(qrId: string, payerId: string, now = new Date()): void {
  write(pauseName(qrId), { payerId, atMs: now.getTime() });
}

export function wasPausedJustNow(qrId: string, payerId: string, now = new Date()): boolean {
  const noted = read(pauseName(qrId));
  if (typeof noted !== 'object' || noted === null || Reflect.get(noted, 'payerId') !== payerId) return false;
  const agoMs = now.getTime() - Number(Reflect.get(noted, 'atMs'));
  return agoMs >= 0 && agoMs < LASTS_MS;
}

const pauseName = (qrId: string) => `paused:${qrId}`;
