/** `npm run operator -- ...`: who may use the console, and the links by which they get in. */
import { randomBytes } from 'node:crypto';
import { email as emailForm } from '#shared/accounts.ts';
import { createLimits } from '../limits/limits.ts';
import {
  createOperatorAccounts,
  LINK_MINUTES,
  type OperatorAccounts,
} from '../operators/operator-accounts.ts';
import { inUtc } from '../setting-forms.ts';
import { type Acts, actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';

const USAGE =
  'npm run operator -- add EMAIL [--reason TEXT] | list | link EMAIL [--reason TEXT] | ' +
  'remove EMAIL [--reason TEXT]';

interface Outcome {
  readonly lines: readonly string[];
  readonly isDone: boolean;
}

type Action = (operators: OperatorAccounts) => Promise<Outcome>;
type ActOn = (operators: OperatorAccounts, email: string, acts: Acts) => Promise<Outcome>;

const OPEN_IT = `Open it within ${LINK_MINUTES} minutes, on the device that is to have the passkey. It is shown this once and works once.`;

const ACTIONS: Readonly<Record<string, ActOn>> = {
  async add(operators, email, acts) {
    const link = await operators.add(email, (id) => acts('operator_added', id));
    return link === null
      ? { lines: [`${email} is an operator already: npm run operator -- link ${email}`], isDone: false }
      : { lines: [link, OPEN_IT], isDone: true };
  },
  async link(operators, email, acts) {
    const link = await operators.makeLink(email, (id) => acts('operator_link_made', id));
    return link === null
      ? unknown(email)
      : {
          lines: [
            link,
            OPEN_IT,
            'When it is used, the passkeys, password and app of before end, and so do all sessions.',
          ],
          isDone: true,
        };
  },
  async remove(operators, email, acts) {
    const outcome = await operators.remove(email, (id) => acts('operator_removed', id));
    if (outcome === 'unknown') return unknown(email);
    return outcome === 'removed'
      ? { lines: [`${email} is no operator any more, and was logged out.`], isDone: true }
      : { lines: [`${email} is the only operator. Add another one first.`], isDone: false };
  },
};

const unknown = (email: string): Outcome => ({ lines: [`There is no operator ${email}.`], isDone: false });

export const careForOperators: Command = async ({ database, config, words, actor, say }) => {
  const act = actionOf(words, (reason) => actsOf(actor, reason, Date.now));
  const { publicUrl, console: settings } = config;
  const storage = await database.openForCommand();
  try {
    const operators = createOperatorAccounts({
      storage: storage.operators,
      limits: createLimits(storage, Date.now),
      clock: Date.now,
      random: randomBytes,
      publicUrl,
    });
    const { lines, isDone } = await act(operators);
    for (const line of lines) say(line);
    if (!settings.isOn) say('OPERATOR_CONSOLE is off: there is no console before it is on.');
    return isDone;
  } finally {
    await storage.close();
  }
};

/** @throws UsageError */
function actionOf(words: readonly string[], acting: (reason: string | undefined) => Acts): Action {
  const [name = ''] = words;
  if (name === 'list') {
    parseWords(words, { usage: USAGE, count: 1, options: {} });
    return list;
  }
  const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 2, options: REASON });
  if (!act) throw new UsageError(`Usage: ${USAGE}`);
  const [, typed = ''] = positionals;
  const { data: email } = emailForm.safeParse(typed);
  if (email === undefined) throw new UsageError(`This is no email: ${JSON.stringify(typed)}.`);
  const acts = acting(values.reason);
  return (operators) => act(operators, email, acts);
}

const list: Action = async (operators) => {
  const found = await operators.list();
  const lines = found.map(
    ({ id, email, enrolledAtMs }) =>
      `${email}  ${enrolledAtMs === null ? 'has not enrolled yet' : `enrolled ${inUtc(enrolledAtMs)}`}  ${id}`,
  );
  return {
    lines: lines.length > 0 ? lines : ['There is no operator. To add one: npm run operator -- add EMAIL'],
    isDone: true,
  };
};
