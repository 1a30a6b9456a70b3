/**
 * The tip that waits while its giver logs in or signs up: the tip page keeps it, the login shows it, and the
 * tip page that they come back to takes it.
 */
import { read, remove, write } from './tab-storage.ts';

export interface WaitingTip {
  /** The amount as somebody would type it. */
  readonly figures: string;
  /** The full name of whoever is tipped. */
  readonly receiver: string;
}

/** @param qrId the code in the path of the tip page. */
export function keepTip(qrId: string, tip: WaitingTip): void {
  write(tipName(qrId), tip);
}

/** The tip that waits at this code; null without one. */
export function waitingTip(qrId: string): WaitingTip | null {
  const stored = read(tipName(qrId));
  if (typeof stored !== 'object' || stored === null) return null;
  const figures: unknown = Reflect.get(stored, 'figures');
  const receiver: unknown = Reflect.get(stored, 'receiver');
  return typeof figures === 'string' && typeof receiver === 'string' ? { figures, receiver } : null;
}

/** Takes the waiting tip away and returns it; null without one. */
export function takeWaitingTip(qrId: string): WaitingTip | null {
  const tip = waitingTip(qrId);
  remove(tipName(qrId));
  return tip;
}

const tipName = (qrId: string) => `waiting-tip:${qrId}`;
