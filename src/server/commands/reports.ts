/** `npm run reports`: lists the messages of givers that receivers have reported, and closes reports. */
import { isTransactionId } from '#shared/ids.ts';
import { inUtc } from '../setting-forms.ts';
import type { MessageReport, ReportedPerson } from '../storage/port/messages.ts';
import { actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';

const USAGE = 'npm run reports [-- done TRANSACTION_ID [--reason TEXT]]';
const clock = Date.now;
const MAX_TOLD = 100;

export const readReports: Command = async ({ database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: [0, 2], options: REASON });
  const [action, id = ''] = positionals;
  const acts = actsOf(actor, values.reason, clock);
  if (action === undefined ? words.length > 0 : action !== 'done') throw new UsageError(`Usage: ${USAGE}`);
  const storage = await database.openForCommand();
  try {
    if (action === 'done') {
      const isSettled =
        isTransactionId(id) && (await storage.messages.settleReport(id, clock(), acts('report_settled', id)));
      say(isSettled ? `The report of ${id} is done.` : `There is no open report of ${JSON.stringify(id)}.`);
      return isSettled;
    }
    const reports = await storage.messages.listReports(MAX_TOLD + 1);
    for (const report of reports.slice(0, MAX_TOLD)) for (const line of linesOf(report)) say(line);
    if (reports.length > MAX_TOLD) say(`There are more; these are the oldest ${MAX_TOLD}.`);
    if (reports.length === 0) say('There are no open reports.');
    return true;
  } finally {
    await storage.close();
  }
};

/** Messages are quoted, so that none can imitate a line of this command. */
function linesOf({
  transactionId,
  reportedAtMs,
  message,
  giverName,
  giver,
  receiver,
}: MessageReport): string[] {
  const alias = giverName === null ? '' : `, as ${JSON.stringify(giverName)}`;
  return [
    `${transactionId}, reported at ${inUtc(reportedAtMs)}`,
    `  from     ${giver ? nameOf(giver) : 'somebody without an account'}${alias}`,
    `  to       ${nameOf(receiver)}`,
    `  message  ${message === null ? 'none' : JSON.stringify(message)}`,
  ];
}

function nameOf({ username, email, isClosed }: ReportedPerson): string {
  return isClosed ? 'an account that was closed' : `${username} <${email}>`;
}
