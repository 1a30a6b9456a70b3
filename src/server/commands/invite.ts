/** `npm run invite -- ...`: makes, lists and takes back invitations, also while a server runs. */
import { randomBytes } from 'node:crypto';
import { email } from '#shared/accounts.ts';
import { counted } from '#shared/counted.ts';
import { invitationUrl, MAX_INVITATION_DAYS, MAX_INVITATION_USES } from '#shared/invitations.ts';
import type { RegistrationMode } from '#shared/registration-mode.ts';
import { createInvitations, type Invitations } from '../auth/invitations.ts';
import { inUtc } from '../setting-forms.ts';
import type { Invitation } from '../storage/port/invitations.ts';
import { type Acts, actsOf, type Command, inOptions, parseWords, REASON, UsageError } from './command.ts';

const USAGE =
  'npm run invite -- [--for EMAIL] [--uses N] [--days N] [--reason TEXT] | list | revoke ID [--reason TEXT]';
const OPTIONS = {
  for: { type: 'string' },
  uses: { type: 'string', default: '1' },
  days: { type: 'string', default: '7' },
  ...REASON,
} as const;

const NOT_NEEDED: Readonly<Record<RegistrationMode, string | null>> = {
  open: 'REGISTRATION is open: anybody can sign up without it. Set REGISTRATION=invite to ask for one.',
  invite: null,
  closed: 'REGISTRATION is closed: nobody can sign up by it before REGISTRATION=invite is set.',
};

interface Outcome {
  readonly lines: readonly string[];
  readonly isDone: boolean;
}

type Action = (invitations: Invitations, publicUrl: string) => Promise<Outcome>;

export const invite: Command = async ({ database, config, words, actor, say }) => {
  const { publicUrl, registration: mode } = config;
  const act = actionOf(words, (reason) => actsOf(actor, reason, Date.now));
  const storage = await database.openForCommand();
  try {
    const invitations = createInvitations({ storage, clock: Date.now, random: randomBytes, mode });
    const { lines, isDone } = await act(invitations, publicUrl);
    for (const line of lines) say(line);
    const hint = NOT_NEEDED[mode];
    if (hint !== null) say(hint);
    return isDone;
  } finally {
    await storage.close();
  }
};

/** @throws UsageError */
function actionOf(words: readonly string[], acting: (reason: string | undefined) => Acts): Action {
  const [action] = words;
  if (action === 'list') {
    parseWords(words, { usage: USAGE, count: 1, options: {} });
    return list;
  }
  if (action === 'revoke') {
    const { positionals, values } = parseWords(words, { usage: USAGE, count: 2, options: REASON });
    const [, id = ''] = positionals;
    return revoking(id, acting(values.reason));
  }
  const { values } = parseWords(words, { usage: USAGE, count: 0, options: OPTIONS });
  const acts = acting(values.reason);
  const asked = {
    email: values.for === undefined ? null : readEmail(values.for),
    maxUses: readNumber('--uses', values.uses, MAX_INVITATION_USES),
    days: readNumber('--days', values.days, MAX_INVITATION_DAYS),
  };
  return async (invitations, publicUrl) => {
    const inviting = invitations.invite(asked, (id) => acts('invitation_made', id));
    const { token, ...made } = await inOptions({ maxUses: '--uses', email: '--for' }, inviting);
    const link = invitationUrl(publicUrl, { token, email: asked.email });
    return {
      lines: [
        link,
        `The link is shown this once. It makes ${accounts(made.maxUses)}, ${whose(made)}, until ${timeOf(made)}.`,
        `To take it back: npm run invite -- revoke ${made.id}`,
      ],
      isDone: true,
    };
  };
}

const list: Action = async (invitations) => {
  const found = await invitations.list();
  const lines = found.map(
    (each) =>
      `${each.id}  ${each.usesLeft} of ${accounts(each.maxUses)} left, ${whose(each)}, until ${timeOf(each)}`,
  );
  return { lines: lines.length > 0 ? lines : ['No invitation is open.'], isDone: true };
};

const revoking =
  (id: string, acts: Acts): Action =>
  async (invitations) => {
    const isDone = await invitations.revoke(id, acts('invitation_revoked', id));
    return { lines: [isDone ? `${id} no longer works.` : `There is no open invitation ${id}.`], isDone };
  };

const accounts = (count: number) => counted(count, 'account');

const whose = ({ emailKey }: Invitation) =>
  emailKey === null ? 'for anybody who has it' : `for ${emailKey}`;

const timeOf = ({ expiresAtMs }: Invitation) => inUtc(expiresAtMs);

function readEmail(text: string): string {
  const { data } = email.safeParse(text);
  if (data === undefined) throw new UsageError(`--for takes an email. This is ${JSON.stringify(text)}.`);
  return data;
}

function readNumber(option: string, text: string, most: number): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`${option} takes a whole number from 1 to ${most}. This is ${JSON.stringify(text)}.`);
}
