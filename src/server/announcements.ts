/** What the operator tells whoever is logged in: an announcement, a pause of tips, why an account is suspended. */
import { type Announcements, MAX_ANNOUNCEMENT_LENGTH } from '#shared/announcements.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import type { AppError } from '#shared/errors.ts';
import { invalidField } from '#shared/invalid-field.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import type {
  AnnouncementStorage,
  SeenAnnouncement,
  StoredAnnouncement,
} from './storage/port/announcements.ts';
import type { Act } from './storage/port/audit.ts';
import type { Account } from './storage/port/storage.ts';

/** Reads what holds now; each process reads it from the storage, so that all say the same. */
export function createAnnouncements(deps: {
  readonly storage: Pick<AnnouncementStorage, 'findAnnouncement'>;
  readonly clock: Clock;
  readonly maintenance: Maintenance | null;
}): (account: Pick<Account, 'suspension'>) => Promise<Announcements> {
  const { storage, clock, maintenance } = deps;
  const held = maintenance && { until: isoTime(maintenance.untilMs) };
  return async ({ suspension }) => {
    const found = await storage.findAnnouncement();
    const nowMs = clock();
    return {
      announcement:
        found && isShown(found, nowMs)
          ? { text: found.text, from: isoTime(found.fromMs), until: isoTime(found.untilMs) }
          : null,
      maintenance: held,
      suspension: suspension && {
        since: isoTime(suspension.sinceMs),
        reason: suspension.reason,
      },
    };
  };
}

export function isShown(
  { fromMs, untilMs }: Pick<StoredAnnouncement, 'fromMs' | 'untilMs'>,
  nowMs: number,
): boolean {
  return fromMs <= nowMs && (untilMs === null || nowMs < untilMs);
}

export interface AskedAnnouncement {
  readonly text: string;
  /** Undefined for now. */
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/**
 * Takes the place of the announcement before. @param seen as the storage takes it.
 * @throws AppError `invalid_input` for the field `text`, also where another one stands there, or `until`.
 */
export async function makeAnnouncement(
  storage: Pick<AnnouncementStorage, 'announce'>,
  asked: AskedAnnouncement,
  nowMs: number,
  act: Act,
  seen?: SeenAnnouncement | null,
): Promise<void> {
  if (!(await storage.announce(announcementOf(asked, nowMs), act, seen)))
    throw refusal('text', 'Somebody else has announced something meanwhile. Look, and try again.');
}

function announcementOf(
  { text: written, fromMs, untilMs }: AskedAnnouncement,
  nowMs: number,
): StoredAnnouncement {
  const text = written.replace(/\s+/gu, ' ').trim();
  if (text === '' || /[\p{Cc}\p{Cs}]/u.test(text))
    throw refusal('text', 'The announcement needs a text, without control characters.');
  const { length } = [...text];
  if (length > MAX_ANNOUNCEMENT_LENGTH)
    throw refusal(
      'text',
      `An announcement has at most ${MAX_ANNOUNCEMENT_LENGTH} characters. This has ${length}.`,
    );
  const beginMs = fromMs ?? nowMs;
  if (untilMs !== undefined && untilMs <= Math.max(beginMs, nowMs))
    throw refusal('until', 'The end has to be after the beginning, and ahead.');
  return { text, fromMs: beginMs, untilMs: untilMs ?? null };
}

function refusal(field: 'text' | 'until', message: string): AppError {
  return invalidField(field, message);
}
