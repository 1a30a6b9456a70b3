/** The storage port for the operator's announcement to everybody who is logged in. */

import type { Act } from './audit.ts';

export interface StoredAnnouncement {
  readonly text: string;
  readonly fromMs: number;
  /** Null for one that stays until it is ended. */
  readonly untilMs: number | null;
}

export interface AnnouncementStorage {
  /** The one announcement, also before and after its time; null without one. */
  findAnnouncement(): Promise<StoredAnnouncement | null>;
  /**
   * @param seen the one whose place it takes, null for none. Undefined for any.
   * @returns false, with nothing changed, where another one stands there.
   */
  announce(announcement: StoredAnnouncement, act?: Act, seen?: SeenAnnouncement | null): Promise<boolean>;
  /**
   * @param seen the one that is meant: another one that took its place meanwhile stays. Undefined for any.
   * @returns whether there was one.
   */
  endAnnouncement(act?: Act, seen?: SeenAnnouncement): Promise<boolean>;
}

export type SeenAnnouncement = Pick<StoredAnnouncement, 'text' | 'fromMs'>;
