/**
 * `npm run account -- ...`: the operator's actions on accounts, also while a server runs. The operator must
 * know by other means who is behind an email.
 */
import { randomBytes } from 'node:crypto';
import { type Accounts, createAccounts } from '../auth/accounts.ts';
import { createInvitations } from '../auth/invitations.ts';
import { createPasswords } from '../auth/passwords.ts';
import { createSessions, type Sessions } from '../auth/sessions.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import { createDrafts } from '../mail/drafts.ts';
import type { Remnants, Storage } from '../storage/port/storage.ts';
import { type Command, parseWords, UsageError } from './command.ts';

const USAGE =
  'npm run account -- reset-password EMAIL | unlock EMAIL | end-sessions EMAIL | end-sessions --all | ' +
  'end-keys EMAIL | close EMAIL | renew-keys';

interface Services {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly limits: Limits;
}

const KEYS_FORGOTTEN = [
  'The keys of this installation are forgotten. Restart the server now: it makes new ones when it starts, ' +
    'and uses the old ones until then.',
  'Devices that have logged in before count as unknown until their next login, and receivers see new ' +
    'pseudonyms of all givers. The links of guests to their receipts stop working, and no device gets ' +
    'notices until its owner opens the app again.',
];

const LEFT =
  'Unused parts of the files of the database may still hold some of it until they are written over';
const REMNANTS: Readonly<Record<Remnants, readonly string[]>> = {
  complete: [],
  partial: [`${LEFT}; a backup that is made now and restored is free of it.`],
  busy: [
    `${LEFT}, because others used them all the time: the next account that is closed clears that away too, ` +
      'and a backup that is made now and restored is free of it.',
  ],
};

const ACTIONS: Readonly<
  Record<string, (services: Services, email: string) => Promise<readonly string[] | null>>
> = {
  'reset-password': async ({ accounts, limits }, email) => {
    const password = await accounts.resetPassword(email);
    if (password === null) return null;
    await limits.unlock(email);
    return [
      `The new password of ${email} is: ${password}`,
      'It is shown this once and works for a day. Whoever logs in with it has to choose another one before ' +
        'anything else.',
      'All sessions have ended.',
    ];
  },
  unlock: async ({ accounts, limits }, email) => {
    if ((await accounts.idOf(email)) === null) return null;
    const wasCounted = await limits.unlock(email);
    return [
      wasCounted
        ? `The failed logins of ${email} are forgotten.`
        : `${email} had no failed logins; nothing was changed.`,
    ];
  },
  'end-sessions': async ({ accounts }, email) => {
    const count = await accounts.endSessions(email);
    return count === null ? null : [`${count} ${count === 1 ? 'session' : 'sessions'} of ${email} ended.`];
  },
  'end-keys': async ({ accounts }, email) => {
    const count = await accounts.endApiKeys(email);
    return count === null ? null : [`${count} ${count === 1 ? 'API key' : 'API keys'} of ${email} ended.`];
  },
  close: async ({ accounts }, email) => {
    const remnants = await accounts.closeAtOnce(email);
    if (remnants === null) return null;
    return [
      `The account of ${email} is closed for good.`,
      'Its sessions, API keys, names, email, phone, tip pages and password are gone, and its codes are retired. ' +
        'The ledger keeps its numbers.',
      'Backups that were made before still hold them: delete those, and make a new one.',
      ...REMNANTS[remnants],
    ];
  },
};

const ACTIONS_ON_ALL: Readonly<
  Record<string, (services: Services, storage: Storage) => Promise<readonly string[]>>
> = {
  'end-sessions --all': async ({ sessions }) => {
    const count = await sessions.endAll();
    return [`${count} ${count === 1 ? 'session' : 'sessions'} of all accounts ended.`];
  },
  'renew-keys': async (_services, storage) => {
    await storage.forgetSecrets();
    return KEYS_FORGOTTEN;
  },
};

export const careForAccount: Command = async ({ database, config, words, say }) => {
  const act = actionOf(words);
  const storage = await database.openForCommand();
  try {
    const clock = Date.now;
    const sessions = createSessions({
      storage,
      clock,
      random: randomBytes,
      lifetimeMs: config.sessionLifetimeMs,
    });
    const passwords = await createPasswords();
    // The running server sends what waits.
    const draft = config.mail ? createDrafts(clock, randomBytes) : undefined;
    const invitations = createInvitations({ storage, clock, random: randomBytes, mode: config.registration });
    const accounts = createAccounts({
      storage,
      sessions,
      passwords,
      clock,
      random: randomBytes,
      draft,
      invitations,
    });
    const { lines, isDone } = await act(
      { accounts, sessions, limits: createLimits(storage, clock) },
      storage,
    );
    for (const line of lines) say(line);
    return isDone;
  } finally {
    await storage.close();
  }
};

interface Outcome {
  readonly lines: readonly string[];
  readonly isDone: boolean;
}

function actionOf(words: readonly string[]): (services: Services, storage: Storage) => Promise<Outcome> {
  const typed = words.join(' ');
  const onAll = Object.hasOwn(ACTIONS_ON_ALL, typed) ? ACTIONS_ON_ALL[typed] : undefined;
  if (onAll) return async (...given) => ({ lines: await onAll(...given), isDone: true });
  const [name = '', person = ''] = parseWords(words, { usage: USAGE, count: 2, options: {} }).positionals;
  const onOne = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!onOne) throw new UsageError(`Usage: ${USAGE}`);
  const email = person.trim();
  return async (services) => {
    const lines = await onOne(services, email);
    return { lines: lines ?? [`There is no account with the email ${email}.`], isDone: lines !== null };
  };
}
