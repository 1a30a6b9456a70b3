/** `npm run announce`: tells everybody who is logged in something, also while a server runs. */
import type { AnnouncementStorage } from '#server/storage/port/announcements.ts';
import { isShown, makeAnnouncement } from '../announcements.ts';
import { inUtc } from '../setting-forms.ts';
import { actsOf, type Command, inOptions, parseWords, REASON, readTime, UsageError } from './command.ts';

const USAGE =
  'npm run announce -- "TEXT" [--from TIME] [--until TIME] [--reason TEXT] | show | end [--reason TEXT]';
const OPTIONS = { from: { type: 'string' }, until: { type: 'string' }, ...REASON } as const;
const NOTHING = 'Nothing is announced.';

export const announce: Command = async ({ database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, {
    usage: USAGE,
    count: 1,
    reading: ['show'],
    options: OPTIONS,
  });
  const [text = ''] = positionals;
  const { from, until, reason } = values;
  const nowMs = Date.now();
  const isAction = text === 'show' || text === 'end';
  const acts = actsOf(actor, reason, Date.now);
  // Everybody would read `list` or `sohw`.
  if (!isAction && /^[a-z-]+$/.test(text.trim()))
    throw new UsageError(
      `To announce ${JSON.stringify(text)}, begin it with a capital letter. Usage: ${USAGE}`,
    );
  const others = Object.keys(values).filter((name) => name !== 'reason');
  if (isAction && others.length > 0) throw new UsageError(`Usage: ${USAGE}`);
  const times = {
    fromMs: from === undefined ? undefined : readTime('from', from),
    untilMs: until === undefined ? undefined : readTime('until', until),
  };
  const storage = await database.openForCommand();
  try {
    if (text === 'end') {
      const isEnded = await storage.endAnnouncement(acts('announcement_ended'));
      say(isEnded ? 'The announcement is gone.' : NOTHING);
      return isEnded;
    }
    const before = isAction ? null : await storage.findAnnouncement();
    if (!isAction) {
      const announcing = makeAnnouncement(storage, { text, ...times }, nowMs, acts('announcement_made'));
      await inOptions({ until: '--until' }, announcing);
    }
    say(await told(storage, nowMs));
    if (before && isShown(before, nowMs) && (times.fromMs ?? nowMs) > nowMs)
      say(`Nothing is announced until then: ${JSON.stringify(before.text)} is gone.`);
    return true;
  } finally {
    await storage.close();
  }
};

async function told(storage: Pick<AnnouncementStorage, 'findAnnouncement'>, nowMs: number): Promise<string> {
  const present = await storage.findAnnouncement();
  if (!present) return NOTHING;
  const { text, fromMs, untilMs } = present;
  const isOver = untilMs !== null && untilMs <= nowMs;
  const since = fromMs > nowMs ? `from ${inUtc(fromMs)}` : isOver ? 'over' : 'now';
  const until = untilMs === null ? 'until you end it' : `until ${inUtc(untilMs)}`;
  return `${JSON.stringify(text)} (${since}, ${until})`;
}
