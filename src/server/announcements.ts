/** What the operator tells everybody who is logged in: an announcement, and that tips are paused. */
import type { Announcements } from '#shared/announcements.ts';
import type { Clock } from '#shared/calendar.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import type { AnnouncementStorage } from './storage/port/announcements.ts';

/** Reads what holds now; each process reads it from the storage, so that all say the same. */
export function createAnnouncements(deps: {
  readonly storage: Pick<AnnouncementStorage, 'findAnnouncement'>;
  readonly clock: Clock;
  readonly maintenance: Maintenance | null;
}): () => Promise<Announcements> {
  const { storage, clock, maintenance } = deps;
  const held = maintenance && { until: timeOf(maintenance.untilMs) };
  return async () => {
    const found = await storage.findAnnouncement();
    const nowMs = clock();
    const holds = found && found.fromMs <= nowMs && (found.untilMs === null || nowMs < found.untilMs);
    return {
      announcement: holds ? { text: found.text, until: timeOf(found.untilMs) } : null,
      maintenance: held,
    };
  };
}

const timeOf = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs).toISOString());
