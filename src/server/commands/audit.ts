/** `npm run audit`: shows what operators did, and checks that nothing was changed in the log of it. */
import { counted } from '#shared/counted.ts';
import { readQrCodeId } from '#shared/ids.ts';
import { inUtc } from '../setting-forms.ts';
import { allAuditRows, checkAllRows, spellWrongRow } from '../storage/care/audit.ts';
import type { AuditLog, AuditRow } from '../storage/port/audit.ts';
import type { Storage } from '../storage/port/storage.ts';
import { type AuditNote, parseAuditNote } from '../storage/rules/audit.ts';
import { wordsOf } from '../storage/rules/audit-sentences.ts';
import { type Command, parseWords, readTime, UsageError } from './command.ts';

const USAGE = 'npm run audit -- [list] [--about ID] [--since TIME] | check [--digest COUNT:HEX]';
const OPTIONS = {
  about: { type: 'string' },
  since: { type: 'string' },
  digest: { type: 'string' },
} as const;

export const readAuditLog: Command = async ({ database, words, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: [0, 1], options: OPTIONS });
  const [action = 'list'] = positionals;
  const { about, since, digest } = values;
  const isCheck = action === 'check';
  const isOther = isCheck ? about !== undefined || since !== undefined : digest !== undefined;
  if ((action !== 'list' && !isCheck) || isOther) throw new UsageError(`Usage: ${USAGE}`);
  const noted = readNote(digest);
  const sinceMs = since === undefined ? 0 : readTime('since', since);
  const storage = await database.openForCommand();
  try {
    if (isCheck) return await check(storage.audit, noted, say);
    const subjects = about === undefined ? null : await subjectsOf(storage, about.trim());
    let count = 0;
    for await (const row of allAuditRows(storage.audit, sinceMs)) {
      if (subjects !== null && !subjects.includes(row.subject)) continue;
      for (const line of linesOf(row)) say(line);
      count += 1;
    }
    if (count === 0) say('Nothing of this is in the audit log.');
    return true;
  } finally {
    await storage.close();
  }
};

/** @throws UsageError */
function readNote(text: string | undefined): AuditNote | null {
  if (text === undefined) return null;
  const noted = parseAuditNote(text);
  if (noted) return noted;
  throw new UsageError(
    '--digest takes what was noted, a number of rows and 64 hexadecimal digits: COUNT:HEX. ' +
      `This is ${JSON.stringify(text)}.`,
  );
}

/**
 * An open account and an operator may be named by their email, which the log does not hold, and which may be the same;
 * a code as it is printed.
 */
async function subjectsOf(
  storage: Pick<Storage, 'findCredentials' | 'operators'>,
  typed: string,
): Promise<readonly (string | null)[]> {
  if (!typed.includes('@')) return [readQrCodeId(typed) ?? typed];
  const account = (await storage.findCredentials(typed))?.account;
  const operator = (await storage.operators.find(typed))?.operator;
  const ids = [account, operator].flatMap((found) => found?.id ?? []);
  if (ids.length > 0) return ids;
  throw new UsageError(
    `There is no account and no operator with the email ${typed}. Name a closed or removed one by its id.`,
  );
}

async function check(
  log: Pick<AuditLog, 'list'>,
  noted: AuditNote | null,
  say: (line: string) => void,
): Promise<boolean> {
  const found = await checkAllRows(log, noted);
  const wrong = found.firstWrong();
  for (const sentence of spellWrongRow(wrong)) say(sentence);
  if (!found.isAsNoted())
    say('It does not begin with what was noted: somebody has changed it or cut it off.');
  if (wrong !== null || !found.isAsNoted()) return false;
  say(`The audit log is whole: ${counted(found.count(), 'row')}.`);
  if (noted) say('It begins with what was noted.');
  say(`Its state, to note elsewhere: ${found.note()}`);
  return true;
}

/** The reason is quoted, so that none can imitate a line of this command. */
function linesOf({ number, atMs, actorName, host, action, subject, reason }: AuditRow): string[] {
  return [
    `${number}  ${inUtc(atMs)}  ${action}${subject === null ? '' : `  ${subject}`}`,
    `  what ${wordsOf(action)}`,
    `  by   ${actorName}, on ${host}`,
    `  why  ${reason === null ? 'no reason was given' : JSON.stringify(reason)}`,
  ];
}
