/** `npm run announce`: tells everybody who is logged in something, also while a server runs. */
import {
  type AnnouncementStorage,
  MAX_ANNOUNCEMENT_LENGTH,
  type StoredAnnouncement,
} from '#server/storage/port/announcements.ts';
import { inUtc } from '../setting-forms.ts';
import { actsOf, type Command, parseWords, REASON, readTime, UsageError } from './command.ts';

const USAGE =
  'npm run announce -- "TEXT" [--from TIME] [--until TIME] [--reason TEXT] | show | end [--reason TEXT]';
const OPTIONS = { from: { type: 'string' }, until: { type: 'string' }, ...REASON } as const;

export const announce: Command = async ({ database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 1, options: OPTIONS });
  const [text = ''] = positionals;
  const nowMs = Date.now();
  const isAction = text === 'show' || text === 'end';
  const acts = actsOf(actor, values.reason, Date.now);
  const others = Object.keys(values).filter((name) => name !== 'reason' || text === 'show');
  if (isAction && others.length > 0) throw new UsageError(`Usage: ${USAGE}`);
  const next = isAction ? null : announcementOf(text, values, nowMs);
  const storage = await database.openForCommand();
  try {
    if (text === 'end') {
      const isEnded = await storage.endAnnouncement(acts('announcement_ended'));
      say(isEnded ? 'The announcement is gone.' : NOTHING);
      return isEnded;
    }
    if (next) await storage.announce(next, acts('announcement_made'));
    say(await told(storage, nowMs));
    return true;
  } finally {
    await storage.close();
  }
};

const NOTHING = 'Nothing is announced.';

/** @throws UsageError */
function announcementOf(
  written: string,
  { from, until }: { readonly from?: string | undefined; readonly until?: string | undefined },
  nowMs: number,
): StoredAnnouncement {
  const text = written.replace(/\s+/gu, ' ').trim();
  const isStorable = text !== '' && !/[\p{Cc}\p{Cs}]/u.test(text);
  if (!isStorable) throw new UsageError('The announcement needs a text, without control characters.');
  const length = [...text].length;
  if (length > MAX_ANNOUNCEMENT_LENGTH)
    throw new UsageError(
      `An announcement has at most ${MAX_ANNOUNCEMENT_LENGTH} characters. This has ${length}.`,
    );
  const fromMs = from === undefined ? nowMs : readTime('from', from);
  const untilMs = until === undefined ? null : readTime('until', until);
  if (untilMs !== null && untilMs <= Math.max(fromMs, nowMs))
    throw new UsageError('--until has to be after --from, and ahead.');
  return { text, fromMs, untilMs };
}

async function told(storage: Pick<AnnouncementStorage, 'findAnnouncement'>, nowMs: number): Promise<string> {
  const present = await storage.findAnnouncement();
  if (!present) return NOTHING;
  const { text, fromMs, untilMs } = present;
  const isOver = untilMs !== null && untilMs <= nowMs;
  const since = fromMs > nowMs ? `from ${inUtc(fromMs)}` : isOver ? 'over' : 'now';
  const until = untilMs === null ? 'until you end it' : `until ${inUtc(untilMs)}`;
  return `${JSON.stringify(text)} (${since}, ${until})`;
}
