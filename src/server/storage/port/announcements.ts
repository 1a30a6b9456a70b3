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
  announce(announcement: StoredAnnouncement, act?: Act): Promise<void>;
  /**
   * @param seen the one that is meant: another one that took its place meanwhile stays. Undefined for any.
   * @returns whether there was one.
   */
  endAnnouncement(act?: Act, seen?: Pick<StoredAnnouncement, 'text' | 'fromMs'>): Promise<boolean>;
}
