/**
 * Counts attempts against the table of limits in one way, whichever door a call came through. Limits that guard
 * accounts are kept with the data, so that a restart forgives nobody; limits that only bound work are counted in
 * memory.
 *
 * Several processes on the same data share the counts that are kept with it. Each has its own counts in memory, so that
 * N processes let through N times as many attempts at most. One of these bounds more than the work of one process:
 * `registration_try_*` also bounds how many emails one address can test, N times 200 an hour. Tips, which are money,
 * are counted with the data where processes share it.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '#shared/calendar.ts';
import type { ApiKeyId, OperatorId, TransactionId, UserId } from '#shared/ids.ts';
import { forgetInSteps } from '../storage/forget-in-steps.ts';
import type { Act } from '../storage/port/audit.ts';
import type { Account, Storage } from '../storage/port/storage.ts';
import { attemptsAccountOf } from '../storage/rules/accounts.ts';
import { type Attempts, countsOf, createAttempts, type Who } from './attempts.ts';
import type { LimitName } from './limit-table.ts';
import type { Quota } from './quota.ts';

export interface Place {
  /** As limits group it. */
  readonly address: string;
  readonly network: string;
}

export interface Caller extends Place {
  /** One that has logged in to the account, for limits that count it in place of the address. */
  readonly device: KnownDevice | null;
}

interface KnownDevice {
  readonly id: string;
  /** Since when marks of the account count: those of before have ended, and with them what they have guessed. */
  readonly marksFromMs: number;
}

type Owner = Pick<Account, 'id' | 'email'>;
type MailingAttempt<Result> = (isMailed: boolean) => Promise<Result>;
export type Tried = 'login' | 'passkey' | 'registration';

/** Counting throws AppError `too_many_requests`, with the time to wait, and notes in the quota what is left. */
export interface Limits {
  /** @param device the id in its mark, of whichever accounts. */
  countTry(what: Tried, caller: Place, device: string | null, quota?: Quota): Promise<void>;
  countPasswordChangeTry(token: string, quota?: Quota): Promise<void>;
  /** Unknown emails count like known ones. @param caller its device is null unless it has logged in to this account. */
  limitLogin<Result>(email: string, caller: Caller, attempt: () => Promise<Result>): Promise<Result>;
  /** Tries the current password of an account in a session; wrong ones count for that session alone. */
  limitPasswordChange<Result>(token: string, attempt: () => Promise<Result>): Promise<Result>;
  /** Counts created accounts; a refused attempt does not count. */
  limitRegistration<Result>(caller: Place, attempt: () => Promise<Result>): Promise<Result>;
  /** A refused attempt does not count. @throws AppError `username_changed_often`, with the time to wait. */
  limitUsernameChange<Result>(userId: UserId, attempt: () => Promise<Result>): Promise<Result>;
  /** Counts a link for a new password that somebody asks for, of callers and emails as `limitLogin` knows them. */
  countPasswordLink(email: string, caller: Caller, quota?: Quota): Promise<void>;
  /** Counts a use of a link in a mail before its token is looked up. */
  countLinkUse(caller: Place, quota?: Quota): Promise<void>;
  /** Counts what sends the link that confirms an email; a refused attempt does not count. */
  limitConfirmationMail<Result>(account: Owner, attempt: () => Promise<Result>): Promise<Result>;
  /**
   * Counts that link where something else sends it. Nothing is refused where the email gets no more of them today: the
   * attempt leaves the mail out, so that nobody keeps the owner of the email from an account. As above.
   */
  limitConfirmationBeside<Result>(email: string, attempt: MailingAttempt<Result>): Promise<Result>;
  /** Counts changes of an email, also as above. @param account with the email that it is to have. */
  limitEmailChange<Result>(account: Owner, attempt: MailingAttempt<Result>): Promise<Result>;
  /** Counts a receipt that is sent by mail. @param email of a guest; null for the giver's own. */
  countReceiptMail(id: TransactionId, email: string | null, caller: Place, quota?: Quota): Promise<void>;
  countTip(giver: UserId, quota?: Quota): Promise<void>;
  /** Counts tips that their giver takes back, or a guest at an address; a refused attempt does not count. */
  limitTakeBack<Result>(giver: UserId | Place, attempt: () => Promise<Result>): Promise<Result>;
  countGuest(what: GuestLimit, caller: Place, quota?: Quota): Promise<void>;
  /** @param isByKey whether an API key asks, which leaves the limits of its owner alone. */
  countQrCode(provider: UserId, isByKey: boolean, quota?: Quota): Promise<void>;
  /** Counts a request before its input is parsed. @param who the account, or the API key that acts for it. */
  countChange(what: CountedChange, who: UserId | ApiKeyId, quota?: Quota): Promise<void>;
  /** Counts the opening of an event stream; the feed bounds how many are open at once. */
  countStream(userId: UserId, quota?: Quota): Promise<void>;
  countKey(key: ApiKeyId, quota?: Quota): Promise<void>;
  /**
   * Tries a password with a code of an operator. Over all addresses only `wrong_code` counts, a guess of whoever knows
   * the password, so that nobody else keeps an operator out.
   */
  limitOperatorLogin<Result>(email: string, caller: Place, attempt: () => Promise<Result>): Promise<Result>;
  limitOperatorCode<Result>(email: string, token: string, attempt: () => Promise<Result>): Promise<Result>;
  unlockOperator(email: string): Promise<void>;
  countConsole(operator: OperatorId): Promise<void>;
  /** Counts a request with a wrong API key, after the look-up: right ones from the same place go on. */
  countWrongKey(caller: Place, quota?: Quota): Promise<void>;
  /** Forgets all failed attempts on an account. @returns whether there were any. */
  unlock(email: string, act?: Act): Promise<boolean>;
  sweep(): Promise<void>;
}

export type GuestLimit = 'guest_tip' | 'guest_look' | 'guest_act' | 'notice_thanks';

export type CountedChange = Extract<
  LimitName,
  | 'profile_change'
  | 'tip_page_change'
  | 'photo'
  | 'print'
  | 'refund'
  | 'payout_link'
  | 'words'
  | 'notice_device'
  | 'notice_test'
  | 'lists'
  | 'sums'
  | 'insights'
  | 'export'
  | 'mail_settings'
  | 'api_key_creation'
  | 'factor_change'
  | 'webhook_change'
  | 'webhook_call'
>;

const TRIES_OF = {
  login: ['login_try_from_address', 'login_try_from_network'],
  passkey: ['passkey_try_from_address', 'passkey_try_from_network'],
  registration: ['registration_try_from_address', 'registration_try_from_network'],
} as const;
const LOGIN_LIMITS = {
  ofDevice: ['login_from_device', 'login_from_device_in_a_day'],
  ofDevices: ['login_from_devices_in_a_day'],
  ofStrangers: [
    'login_from_address_to_account',
    'login_from_address',
    'login_from_network',
    'login_to_account',
  ],
} as const;
const LINK_LIMITS = {
  ofDevice: ['password_link_from_device', 'password_link_from_device_in_a_day'],
  ofDevices: ['password_link_from_devices_in_a_day'],
  ofStrangers: [
    'password_link_from_address_to_account',
    'password_link_from_address_to_account_in_a_day',
    'password_link_from_network_to_account_in_a_day',
    'password_link_to_account',
    'password_link_from_address',
    'password_link_from_network',
  ],
} as const;
const USERNAME_CHANGES = ['1', '2', '3'];
const CODES = ['qr_code_creation', 'qr_code_creation_in_a_day'] as const;
const CODES_BY_KEYS = ['key_qr_code_creation', 'key_qr_code_creation_in_a_day'] as const;

export function createLimits(
  storage: Storage,
  clock: Clock,
  attempts: Attempts = createAttempts(storage, clock),
): Limits {
  const { take, takeFirst, takeOne } = attempts;

  const limitConfirmationBeside: Limits['limitConfirmationBeside'] = (email, attempt) => {
    const mailed = { ifRight: countsOf(['confirmation_mail_to_email'], { account: mailsTo(email) }) };
    return attempts.countFirst([mailed, {}], (choice) => attempt(choice === mailed));
  };

  return {
    countTry(what, { address, network }, device, quota) {
      const who = whoIsAt(address, network);
      if (what === 'registration') return take(countsOf(TRIES_OF.registration, who), quota);
      if (device === null) return take(countsOf(TRIES_OF.login, who), quota);
      const ofDevice = countsOf(['login_try_from_device'], { device });
      return take(what === 'passkey' ? [...ofDevice, ...countsOf(TRIES_OF.passkey, who)] : ofDevice, quota);
    },

    countPasswordChangeTry: (token, quota) =>
      take(countsOf(['password_change_try'], { session: hashOf(token) }), quota),

    limitLogin(email, caller, attempt) {
      const who = { account: attemptsAccountOf(email), ...hashedCaller(caller) };
      return attempts.countFirst(
        choicesOf(LOGIN_LIMITS, who).map((ifWrong) => ({ ifWrong })),
        attempt,
      );
    },

    limitPasswordChange(token, attempt) {
      const who = { session: hashOf(token) };
      const ifWrong = countsOf(['password_change_in_session', 'password_change_in_session_in_a_day'], who);
      return attempts.count({ ifWrong }, attempt);
    },

    limitRegistration(place, attempt) {
      const ifRight = countsOf(['registration', 'registration_from_network'], hashedPlace(place));
      return attempts.count({ ifRight }, attempt);
    },

    limitUsernameChange(userId, attempt) {
      const counts = countsOf(['username_change'], { account: hashOf(userId) });
      const choices = USERNAME_CHANGES.map((change) => ({
        ifRight: counts.map((count) => ({ ...count, address: change })),
      }));
      return attempts.countFirst(choices, attempt, 'username_changed_often');
    },

    countPasswordLink: (email, caller, quota) =>
      takeFirst(
        choicesOf(LINK_LIMITS, { account: attemptsAccountOf(email), ...hashedCaller(caller) }),
        quota,
      ),
    countLinkUse: (place, quota) =>
      take(countsOf(['link_use_from_address', 'link_use_from_network'], hashedPlace(place)), quota),
    limitConfirmationMail({ id, email }, attempt) {
      const ofAccount = countsOf(['confirmation_mail'], { account: hashOf(id) });
      const toEmail = countsOf(['confirmation_mail_to_email'], { account: mailsTo(email) });
      return attempts.count({ ifRight: [...ofAccount, ...toEmail] }, attempt);
    },
    limitConfirmationBeside,
    limitEmailChange: ({ id, email }, attempt) =>
      attempts.count({ ifRight: countsOf(['email_change'], { account: hashOf(id) }) }, () =>
        limitConfirmationBeside(email, attempt),
      ),
    countReceiptMail(id, email, place, quota) {
      const ofTip = countsOf(['receipt_mail_of_tip'], { account: hashOf(id) });
      const limits = [
        'receipt_mail_from_address_to_email',
        'receipt_mail_from_network_to_email',
        'receipt_mail_to_email',
      ] as const;
      const who = hashedPlace(place);
      const toEmail = email === null ? [] : countsOf(limits, { account: mailsTo(email), ...who });
      const from = countsOf(['receipt_mail_from_address', 'receipt_mail_from_network'], who);
      return take([...ofTip, ...toEmail, ...from], quota);
    },

    countTip: async (giver, quota) =>
      attempts.isKept('tip')
        ? take(countsOf(['tip'], { account: hashOf(giver) }), quota)
        : takeOne('tip', giver, quota),
    limitTakeBack(giver, attempt) {
      const ifRight =
        typeof giver === 'string'
          ? countsOf(['take_back', 'take_back_in_a_day'], { account: hashOf(giver) })
          : countsOf(['take_back_from_address', 'take_back_from_network'], hashedPlace(giver));
      return attempts.count({ ifRight }, attempt);
    },
    countGuest: (what, place, quota) =>
      take(countsOf([`${what}_from_address`, `${what}_from_network`], hashedPlace(place)), quota),
    countQrCode: (provider, isByKey, quota) =>
      take(countsOf(isByKey ? CODES_BY_KEYS : CODES, { account: hashOf(provider) }), quota),
    countChange: async (what, who, quota) => takeOne(what, who, quota),
    countStream: async (userId, quota) => takeOne('stream_opening', userId, quota),

    limitOperatorLogin(email, place, attempt) {
      const limits = [
        'operator_login_from_address_to_account',
        'operator_login_from_address',
        'operator_login_from_network',
      ] as const;
      const who = { account: operatorsAttemptsOf(email), ...hashedPlace(place) };
      const ifWrong = countsOf(['operator_login_to_account'], who);
      // Each refusal gives one back: a write that only one of them had would tell by its time if the password is right.
      const ifRight = ifWrong.map((count) => ({
        ...count,
        address: 'right',
        maxCount: Number.MAX_SAFE_INTEGER,
      }));
      const ofCodes = { ifWrong, ifRight, wrongBy: ['wrong_code'] } as const;
      return attempts.count({ ifWrong: countsOf(limits, who) }, () => attempts.count(ofCodes, attempt));
    },
    limitOperatorCode(email, token, attempt) {
      const who = { account: operatorsAttemptsOf(email), session: hashOf(token) };
      const ifWrong = countsOf(['operator_code_in_session', 'operator_code_to_account'], who);
      return attempts.count({ ifWrong }, attempt);
    },
    unlockOperator: async (email) => {
      await storage.forgetAttempts(operatorsAttemptsOf(email));
    },
    countConsole: async (operator) => takeOne('console_request', operator),
    countKey: (key, quota) => take(countsOf(['key_request'], { key }), quota),
    countWrongKey: (place, quota) =>
      take(countsOf(['wrong_key_from_address', 'wrong_key_from_network'], hashedPlace(place)), quota),

    unlock: async (email, act) => (await storage.forgetAttempts(attemptsAccountOf(email), act)) > 0,
    async sweep() {
      const now = clock();
      await forgetInSteps((atMost) => storage.forgetEndedAttempts(now, atMost));
    },
  };
}

/** An IPv4 address is its own network and needs no second count. */
function whoIsAt(address: string, network: string): Who {
  return network === address ? { address } : { address, network };
}

/** An account may have the email of an operator; neither locks the other out. */
const operatorsAttemptsOf = (email: string) => attemptsAccountOf(`operator ${email.trim()}`);

/** Mails that an email gets are no guesses at the password of its account, which its owner is told of. */
const mailsTo = (email: string) => attemptsAccountOf(`mails to ${email.trim()}`);

const hashedPlace = ({ address, network }: Place): Who => whoIsAt(hashOf(address), hashOf(network));

const hashedCaller = ({ device, ...place }: Caller): Who => ({
  ...hashedPlace(place),
  ...(device && {
    device: hashOf(`${device.id} ${device.marksFromMs}`),
    marks: hashOf(String(device.marksFromMs)),
  }),
});

/** A device counts as an unknown one while the other known ones have used up what they share: the owner’s gets in. */
function choicesOf(
  {
    ofDevice,
    ofDevices,
    ofStrangers,
  }: Readonly<Record<'ofDevice' | 'ofDevices' | 'ofStrangers', readonly LimitName[]>>,
  who: Who,
) {
  return who.device === undefined
    ? [countsOf(ofStrangers, who)]
    : [countsOf([...ofDevice, ...ofDevices], who), countsOf([...ofDevice, ...ofStrangers], who)];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
