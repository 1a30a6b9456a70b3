/** `npm run code -- ...`: finds a code and stops one that was stolen, also while a server runs. */
import type { FoundCode } from '#shared/console/codes.ts';
import { AppError } from '#shared/errors.ts';
import { createCodeSupport } from '../qr-codes/code-support.ts';
import { inUtc } from '../setting-forms.ts';
import { actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';
import { linesOfActs, spellParty } from './parties.ts';

const USAGE = 'npm run code -- find CODE_OR_LINK | stop CODE_OR_LINK [--reason TEXT]';

export const careForCode: Command = async ({ database, config, words, actor, say }) => {
  const { positionals, values } = parseWords(words, {
    usage: USAGE,
    count: 2,
    reading: ['find'],
    options: REASON,
  });
  const [action, name = ''] = positionals;
  if (action !== 'find' && action !== 'stop') throw new UsageError(`Usage: ${USAGE}`);
  const acts = actsOf(actor, values.reason, Date.now);
  const storage = await database.openForCommand();
  try {
    const { publicUrl } = config;
    const support = createCodeSupport({ storage, clock: Date.now, publicUrl });
    const found =
      action === 'find'
        ? await support.find(name)
        : await support.stop(name, (id) => acts('code_stopped', id));
    if (!found) {
      say(`There is no code ${JSON.stringify(name)}.`);
      return false;
    }
    if (action === 'stop')
      say(
        'The code is stopped: it takes no tips any more. Its owner reads of it in the profile, and may make a new one.',
      );
    for (const line of linesOf(found)) say(line);
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    say(
      'This code takes no tips any more: it was replaced, its service is no longer offered, or it was stopped.',
    );
    return false;
  } finally {
    await storage.close();
  }
};

/** What people wrote is quoted, so that none can imitate a line of this command. */
function linesOf({ id, url, status, serviceCategory, name, owner, createdAt, acts }: FoundCode): string[] {
  return [
    `${id}, ${status}`,
    `  link     ${url}`,
    `  service  ${serviceCategory}, since ${inUtc(Date.parse(createdAt))}`,
    `  name     ${JSON.stringify(name)}`,
    `  owner    ${spellParty(owner)}`,
    ...linesOfActs(acts),
  ];
}
