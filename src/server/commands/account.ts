/** `npm run account -- ...`: acts on accounts. The operator must know by other means who is behind an email. */
import { randomBytes } from 'node:crypto';
import { counted } from '#shared/counted.ts';
import { type AccountSupport, createAccountSupport } from '../auth/account-support.ts';
import { createPasswordLinks, HANDED_LINK_MINUTES, type PasswordLinks } from '../auth/password-links.ts';
import { createPasswords } from '../auth/passwords.ts';
import { createSessions, type Sessions } from '../auth/sessions.ts';
import { createSuspending, type Suspending } from '../auth/suspending.ts';
import { createLimits, type Limits } from '../limits/limits.ts';
import { createDrafts, NO_DRAFTS } from '../mail/drafts.ts';
import { createPeople, type People } from '../people/people.ts';
import { showPeople } from '../people/person-lines.ts';
import type { Account, Remnants, Storage } from '../storage/port/storage.ts';
import { termsAt } from '../tips/terms.ts';
import { type Acts, actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';

const USAGE =
  'npm run account -- reset-password EMAIL | unlock EMAIL | end-sessions EMAIL | end-sessions --all | ' +
  'end-keys EMAIL | show PERSON | export EMAIL --to FILE | send-link EMAIL | remove-factors EMAIL | ' +
  'suspend EMAIL --reason TEXT | lift EMAIL | close EMAIL | renew-keys [--reason TEXT]';

interface Services {
  readonly accounts: AccountSupport;
  readonly sessions: Sessions;
  readonly limits: Limits;
  readonly suspending: Suspending;
  readonly people: People;
  readonly passwordLinks: PasswordLinks;
  readonly storage: Storage;
  readonly exportTo: (account: Account, file: string, noteBegun: () => Promise<void>) => Promise<void>;
  readonly acts: Acts;
}

const KEYS_FORGOTTEN = [
  'The keys of this installation are forgotten. Restart the server now: it makes new ones when it starts, ' +
    'and uses the old ones until then.',
  'Devices that have logged in before count as unknown until their next login, and receivers see new ' +
    'pseudonyms of all givers. The links of guests to their receipts stop working, and no device gets ' +
    'notifications until its owner opens the app again.',
  'The secrets of authenticator apps stay, because nobody could log in by one otherwise. Whoever uses one sets it ' +
    'up again; operators who use one get a new link: npm run operator -- link EMAIL',
];

const LEFT =
  'Unused parts of the files of the database may still hold some of it until they are written over';
const CLEARING =
  'PostgreSQL writes over it by itself. From the file of SQLite it is cleared away so: stop the server, make a backup, ' +
  'restore it with --keep-sessions, and delete what that keeps aside (docs/accounts.md).';
const REMNANTS: Readonly<Record<Remnants, readonly string[]>> = {
  complete: [],
  partial: [`${LEFT}. ${CLEARING}`],
  busy: [
    `${LEFT}, because others used them all the time, or the disk had no room to write them anew: ` +
      `the next account that is closed clears that away too. ${CLEARING}`,
  ],
};

const ACTIONS: Readonly<
  Record<
    string,
    (services: Services, email: string, file: string | undefined) => Promise<readonly string[] | null>
  >
> = {
  'reset-password': async ({ accounts, limits, acts }, email) => {
    const password = await accounts.resetPassword(email, (id) => acts('password_reset', id));
    if (password === null) return null;
    await limits.unlock(email);
    return [
      `The new password of ${email} is: ${password}`,
      'It is shown this once and works for a day. Whoever logs in with it has to choose another one before ' +
        'anything else.',
      'All sessions have ended.',
    ];
  },
  unlock: async ({ accounts, limits, acts }, email) => {
    const id = await accounts.idOf(email);
    if (id === null) return null;
    const wasCounted = await limits.unlock(email, acts('logins_unlocked', id));
    return [
      wasCounted
        ? `The failed logins of ${email} are forgotten.`
        : `${email} had no failed logins; nothing was changed.`,
    ];
  },
  'end-sessions': async ({ accounts, acts }, email) => {
    const count = await accounts.endSessions(email, (id) => acts('sessions_ended', id));
    return count === null ? null : [`${counted(count, 'session')} of ${email} ended.`];
  },
  'remove-factors': async ({ accounts, acts }, email) => {
    const had = await accounts.removeFactors(email, (id) => acts('factors_removed', id));
    if (had === null) return null;
    return had
      ? [
          `The passkeys, the authenticator app and the recovery codes of ${email} are removed.`,
          'The password alone logs in again. Sessions go on; end-sessions ends them.',
        ]
      : [`${email} has no second factor; nothing was changed.`];
  },
  'end-keys': async ({ accounts, acts }, email) => {
    const count = await accounts.endApiKeys(email, (id) => acts('api_keys_ended', id));
    return count === null ? null : [`${counted(count, 'API key')} of ${email} ended.`];
  },
  show: async ({ people, storage }, text) =>
    showPeople(people, text, termsAt(await storage.listTerms(), Date.now())),
  export: async ({ storage, exportTo, acts }, email, file) => {
    if (file === undefined) throw new UsageError('--to is needed: the file that the export is written to.');
    const found = await storage.findCredentials(email);
    if (!found) return null;
    const { account } = found;
    await exportTo(account, file, () => storage.audit.note(acts('account_exported', account.id)));
    return [
      `Everything about ${email} is in ${file}.`,
      'Hand it over by a way that nobody else reads, and delete it here afterwards.',
    ];
  },
  'send-link': async ({ storage, passwordLinks, acts }, email) => {
    const found = await storage.findCredentials(email);
    if (!found) return null;
    const sent = await passwordLinks.send(found.account, (id) => acts('password_link_made', id));
    if (sent.by === 'mail') return [`A link for a new password is on its way to ${email}.`];
    return [
      `${email} can choose a new password here, once, within ${HANDED_LINK_MINUTES} minutes:`,
      sent.url,
    ];
  },
  suspend: async ({ accounts, suspending, acts }, email) => {
    const id = await accounts.idOf(email);
    if (id === null) return null;
    const act = acts('account_suspended', id);
    if (act.reason === null) throw new UsageError('--reason is needed: the owner of the account reads it.');
    const outcome = await suspending.suspend(id, act.reason, act);
    if (outcome === 'closed') return null;
    if (outcome === 'suspended_before')
      return [`The account of ${email} is suspended already; nothing was changed. Lift that first.`];
    return [
      `The account of ${email} is suspended: it gives and receives no tips, and its codes look paused.`,
      'Its owner can still log in, reads there why, and may secure, export or close the account, refund tips, and ' +
        'have paid out what was earned.',
    ];
  },
  lift: async ({ accounts, suspending, acts }, email) => {
    const id = await accounts.idOf(email);
    if (id === null) return null;
    const outcome = await suspending.lift(id, acts('suspension_lifted', id));
    return [
      outcome === 'lifted'
        ? `The account of ${email} works again.`
        : `The account of ${email} is not suspended; nothing was changed.`,
    ];
  },
  close: async ({ accounts, acts }, email) => {
    const remnants = await accounts.closeAtOnce(email, (id) => acts('account_closed', id));
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
  'end-sessions --all': async ({ sessions, acts }) => {
    const count = await sessions.endAll(acts('all_sessions_ended'));
    return [`${counted(count, 'session')} of all accounts ended.`];
  },
  'renew-keys': async ({ acts }, storage) => {
    await storage.forgetSecrets(acts('installation_keys_renewed'));
    return KEYS_FORGOTTEN;
  },
};

export const careForAccount: Command = async ({ database, config, words, actor, say }) => {
  const { act, reason } = actionOf(words);
  const acts = actsOf(actor, reason, Date.now);
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
    const draft = config.mail ? createDrafts(clock, randomBytes) : NO_DRAFTS;
    const accounts = createAccountSupport({
      storage,
      sessions,
      passwords,
      clock,
      random: randomBytes,
      draft,
    });
    const { lines, isDone } = await act(
      {
        accounts,
        sessions,
        limits: createLimits(storage, clock),
        suspending: createSuspending({ storage, sessions, clock, draft }),
        people: createPeople({
          storage,
          clock,
          factorsOf: async (id) => storage.factors.summary({ kind: 'account', id }),
        }),
        passwordLinks: createPasswordLinks({
          storage,
          clock,
          random: randomBytes,
          publicUrl: config.publicUrl,
          draft,
        }),
        storage,
        exportTo: async (...order) =>
          (await import('../app-export.ts')).exportToFile(
            { config, storage, clock, random: randomBytes },
            ...order,
          ),
        acts,
      },
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

type Action = (services: Services, storage: Storage) => Promise<Outcome>;

/** @throws UsageError */
function actionOf(words: readonly string[]): { readonly act: Action; readonly reason: string | undefined } {
  const options = { all: { type: 'boolean' }, to: { type: 'string' }, ...REASON } as const;
  const { positionals, values } = parseWords(words, {
    usage: USAGE,
    count: [1, 2],
    reading: ['show'],
    options,
  });
  const { all = false, reason, to: file } = values;
  const typed = [...positionals, ...(all ? ['--all'] : [])].join(' ');
  const onAll = Object.hasOwn(ACTIONS_ON_ALL, typed) ? ACTIONS_ON_ALL[typed] : undefined;
  if (onAll) return { act: async (...given) => ({ lines: await onAll(...given), isDone: true }), reason };
  const [name = '', person] = positionals;
  const onOne = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!onOne || all || person === undefined || (file !== undefined && name !== 'export'))
    throw new UsageError(`Usage: ${USAGE}`);
  const email = person.trim();
  return {
    act: async (services) => {
      const lines = await onOne(services, email, file);
      // People are shown by other names as well.
      const nobody =
        name === 'show'
          ? `Nobody was found by ${JSON.stringify(email)}.`
          : `There is no account with the email ${email}.`;
      return { lines: lines ?? [nobody], isDone: lines !== null };
    },
    reason,
  };
}
