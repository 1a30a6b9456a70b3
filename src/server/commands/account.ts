/**
 * `npm run account -- ...`: what only the operator can do for somebody, also while a server runs. The person behind an
 * email must be known to the operator by other means.
 */
import { randomBytes } from 'node:crypto';
import { type Accounts, createAccounts } from '../auth/accounts.ts';
import { createPasswords } from '../auth/passwords.ts';
import { createSessions } from '../auth/sessions.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import type { Remnants } from '../storage/storage.ts';
import { type Command, parseWords, UsageError } from './command.ts';

const USAGE =
  'npm run account -- reset-password EMAIL | unlock EMAIL | end-sessions EMAIL | close EMAIL | renew-keys';

interface Services {
  readonly accounts: Accounts;
  readonly limits: Limits;
}

const RENEW_KEYS = 'renew-keys';
const KEYS_FORGOTTEN = [
  'The keys of this installation are forgotten. Restart the server now: it makes new ones when it starts, and uses the old ones until then.',
  'Devices that have logged in before count as unknown until their next login, and receivers see new pseudonyms of all givers. The links of guests to their receipts stop working, and no device gets notices until its owner opens the app again.',
];

const LEFT =
  'Unused parts of the files of the database may still hold some of it until they are written over';
const REMNANTS: Readonly<Record<Remnants, readonly string[]>> = {
  complete: [],
  partial: [`${LEFT}; a backup that is made now and restored is free of it.`],
  busy: [
    `${LEFT}, because others used them all the time: the next account that is closed clears that away too, and a backup that is made now and restored is free of it.`,
  ],
};

/** The actions by name; each answers lines that say what it did, or null when nobody has the email. */
const ACTIONS: Readonly<
  Record<string, (services: Services, email: string) => Promise<readonly string[] | null>>
> = {
  'reset-password': async ({ accounts, limits }, email) => {
    const password = await accounts.resetPassword(email);
    if (password === null) return null;
    await limits.unlock(email);
    return [
      `The new password of ${email} is: ${password}`,
      'It is shown this once and works for a day. Whoever logs in with it has to choose another one before anything else.',
      'All sessions have ended.',
    ];
  },
  unlock: async ({ accounts, limits }, email) => {
    if (!(await accounts.isKnown(email))) return null;
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
  close: async ({ accounts }, email) => {
    const remnants = await accounts.closeAtOnce(email);
    if (remnants === null) return null;
    return [
      `The account of ${email} is closed for good.`,
      'Its sessions, names, email, phone, tip pages and password are gone, and its codes are retired. The ledger keeps its numbers.',
      'Backups that were made before still hold them: delete those, and make a new one.',
      ...REMNANTS[remnants],
    ];
  },
};

export const careForAccount: Command = async ({ database, sessionLifetimeMs, words, say }) => {
  const count = words[0] === RENEW_KEYS ? 1 : 2;
  const [name = '', email = ''] = parseWords(words, { usage: USAGE, count, options: {} }).positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action && name !== RENEW_KEYS) throw new UsageError(`Usage: ${USAGE}`);
  const storage = await database.openForCommand();
  try {
    if (!action) {
      await storage.forgetSecrets();
      for (const line of KEYS_FORGOTTEN) say(line);
      return true;
    }
    const clock = Date.now;
    const sessions = createSessions({ storage, clock, random: randomBytes, lifetimeMs: sessionLifetimeMs });
    const accounts = createAccounts({
      storage,
      sessions,
      passwords: await createPasswords(),
      clock,
      random: randomBytes,
    });
    const lines = await action({ accounts, limits: createLimits(storage, clock) }, email.trim());
    for (const line of lines ?? [`There is no account with the email ${email}.`]) say(line);
    return lines !== null;
  } finally {
    await storage.close();
  }
};
