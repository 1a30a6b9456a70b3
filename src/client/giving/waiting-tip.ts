/** The tip that waits while its giver logs in: the tip page keeps it, the login shows it, the tip page takes it. */
import { read, remove, write } from './tab-storage.ts';

export interface WaitingTip {
  /** The amount as a person would type it. */
  readonly figures: string;
  readonly receiver: string;
  /** The account that chose the amount, whose session has ended; null when nobody was logged in. */
  readonly preparedBy: string | null;
}

export function keepTip(qrId: string, tip: WaitingTip): void {
  write(tipName(qrId), tip);
}

/** Null when no tip waits at this code. */
export function waitingTip(qrId: string): WaitingTip | null {
  return tipIn(read(tipName(qrId)));
}

/** Reads what was kept; null for anything else. */
export function tipIn(kept: unknown): WaitingTip | null {
  const { figures, receiver, preparedBy }: Readonly<Record<string, unknown>> = Object(kept);
  if (typeof figures !== 'string' || typeof receiver !== 'string') return null;
  return { figures, receiver, preparedBy: typeof preparedBy === 'string' ? preparedBy : null };
}

/** As `waitingTip`, which then waits no longer. */
export function takeWaitingTip(qrId: string): WaitingTip | null {
  const tip = waitingTip(qrId);
  remove(tipName(qrId));
  return tip;
}

const tipName = (qrId: string) => `waiting-tip:${qrId}`;
