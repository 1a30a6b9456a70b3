/** `npm run db:restore -- FILE`: checks a backup and puts it in the place of the database. */
import { counted } from '#shared/counted.ts';
import { inUtc } from '../setting-forms.ts';
import type { AccountDifferences, Restored } from '../storage/port/database.ts';
import { wordsOf } from '../storage/rules/audit-sentences.ts';
import { actsOf, type Command, parseNoted, parseWords, REASON, spellFirst } from './command.ts';

const USAGE =
  'npm run db:restore -- FILE [--keep-sessions] [--other-past] [--digest COUNT:HEX] [--reason TEXT]';
const OPTIONS = {
  'keep-sessions': { type: 'boolean' },
  'other-past': { type: 'boolean' },
  digest: { type: 'string' },
  ...REASON,
} as const;

export const restoreDatabase: Command = async ({ database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 1, options: OPTIONS });
  const [file = ''] = positionals;
  const keepsSessions = values['keep-sessions'] ?? false;
  const noted = parseNoted(values.digest);
  const restored = await database.restore(file, {
    keepsSessions,
    acceptsOtherPast: values['other-past'] ?? false,
    noted,
    act: actsOf(actor, values.reason, Date.now)('database_restored'),
    tellLostTips(count) {
      if (count > 0)
        say(
          `${counted(count, 'tip')} of the present database ${count === 1 ? 'is' : 'are'} not in the backup.`,
        );
    },
  });
  const { tipCount, past, newestTipAtMs, sessionCount, apiKeyCount, lostTips, accounts } = restored;
  const { webhookCount, deviceCount, invitationCount, keptAside, isCurrent } = restored;
  const newest = newestTipAtMs === null ? '' : `, the newest of ${inUtc(newestTipAtMs)}`;
  say(`${database.name} is restored from ${file}: a ledger of ${counted(tipCount, 'tip')}${newest}.`);
  if (noted !== null) say(spellFirst(noted.count));
  say(`Its past, to note elsewhere: ${past}`);
  if (keptAside !== null) say(`What was there before is kept as ${keptAside}${spellLost(lostTips)}.`);
  say(`The passwords are those of the backup${keptAside === null ? '' : `: ${spellAccounts(accounts)}`}.`);
  say(
    keepsSessions
      ? `Sessions go on as they were when the backup was made: ${sessionCount}.`
      : `All sessions have ended (${sessionCount}): everybody logs in again.`,
  );
  if (apiKeyCount > 0)
    say(
      keepsSessions
        ? `API keys work as they did when the backup was made: ${apiKeyCount}.`
        : `All API keys have ended (${apiKeyCount}): their owners make new ones.`,
    );
  if (webhookCount > 0 && !keepsSessions)
    say(`All webhooks are off (${webhookCount}): their owners switch them on again in their profile.`);
  if (deviceCount > 0)
    say(`No device gets notifications (${deviceCount}): their owners turn them on again in their profile.`);
  if (invitationCount > 0) say(`All invitations have ended (${invitationCount}): make new ones.`);
  if (keptAside !== null) for (const line of linesOfActs(restored)) say(line);
  if (!isCurrent) say('It was written by an older version; starting the server brings it up to date.');
  return true;
};

function spellLost(lostTips: number | null): string {
  if (lostTips === null) return ', and could not be read: nobody knows whether it has tips that are gone now';
  return lostTips === 0
    ? ', and has no tip that is gone now'
    : `, and has ${counted(lostTips, 'tip')} that the backup has not`;
}

function spellAccounts(accounts: AccountDifferences | null): string {
  if (accounts === null)
    return 'what was there before could not be read, so nobody knows which have changed since';
  const { changedPasswords, missing } = accounts;
  if (changedPasswords + missing === 0) return 'none has changed since';
  const others = `${counted(changedPasswords, 'account')} changed theirs since`;
  return missing === 0
    ? others
    : `${others}, and ${counted(missing, 'account')} came later and ${missing === 1 ? 'is' : 'are'} not in it`;
}

function linesOfActs({ undoneActs, removedOperatorCount }: Restored): string[] {
  if (undoneActs === null)
    return [
      'Nobody knows what operators did since: see who is one now (npm run operator -- list), and do again what you know.',
    ];
  const { count, oldest } = undoneActs;
  if (count === 0) return [];
  const told = oldest.map(
    ({ atMs, action, subject }) =>
      `  ${inUtc(atMs)}  ${wordsOf(action)}${subject === null ? '' : `: ${subject}`}`,
  );
  const acts = count === 1 ? '1 act of an operator is' : `${count} acts of operators are`;
  return [
    `${acts} not in the backup. Do again what still holds:`,
    ...told,
    ...(count > told.length ? [`  and ${count - told.length} more`] : []),
    ...(removedOperatorCount > 0
      ? [`Operators who were removed since are not brought back: ${removedOperatorCount}.`]
      : []),
  ];
}
