/**
 * Counts attempts against the table of limits in one way, whichever door a call came through. Limits that
 * guard accounts are kept with the data, so that a restart forgives nobody; limits that only bound work are
 * counted in memory. An attempt counts before it is made, so that parallel guesses cannot slip past, and is
 * taken back when it does not count.
 *
 * Several processes on the same data share the counts that are kept with it. Each has its own counts in
 * memory, so that N processes let through N times as many attempts at most:
 * - `login_try_*`, `password_change_try` and `right_password_*` bound the parsing and hashing that one
 * process does.
 * - `qr_code_creation` bounds the pictures that one process draws; an account has one code for each service
 * at most.
 * - `profile_change`, `tip_page_change`, `photo`, `print`, `refund`, `notice_device`, `notice_test`,
 * `notice_thanks_*`, `lists`,
 * `sums`, `insights`, `export`, `stream_opening`, `mail_settings` and `link_use_*` bound the work of one process.
 * - `registration_try_*` also bounds how many emails one address can test: N times 200 an hour.
 * - `tip` guards money: it is in memory, and exact, only where one process has the data.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { forgetInSteps } from '../storage/forget-in-steps.ts';
import { type AttemptCount, type Storage, StorageUnavailable } from '../storage/port/storage.ts';
import { attemptsAccountOf } from '../storage/rules/accounts.ts';
import { LIMITS, type Limit, type LimitName, type Subject } from './limit-table.ts';
import { createMemoryCounts, subjectOf } from './memory-counts.ts';
import type { Quota } from './quota.ts';

export interface Caller {
  /** As limits group it. */
  readonly address: string;
  readonly network: string;
  /** The id of a device with a mark, for limits that count it in place of the address. */
  readonly device: string | null;
}

type Place = Pick<Caller, 'address' | 'network'>;

/**
 * Every counting method throws AppError `too_many_requests`, with the time to wait, once its limit is
 * reached, and notes in the quota what is left where that is known.
 */
export interface Limits {
  countTry(what: 'login' | 'registration', caller: Caller, quota?: Quota): Promise<void>;
  countPasswordChangeTry(token: string, quota?: Quota): Promise<void>;
  /**
   * Tries a password, counting it as wrong or as right; unknown emails count like known ones.
   * @param caller its device is null unless that has logged in to this very account before.
   */
  limitLogin<Result>(email: string, caller: Caller, attempt: () => Promise<Result>): Promise<Result>;
  /** Tries the current password of an account in a session; wrong ones count for that session alone. */
  limitPasswordChange<Result>(email: string, token: string, attempt: () => Promise<Result>): Promise<Result>;
  /** Counts created accounts; a refused attempt does not count. */
  limitRegistration<Result>(caller: Caller, attempt: () => Promise<Result>): Promise<Result>;
  /**
   * Counts a changed username; a refused attempt does not count.
   * @throws AppError `username_changed_often`, with the time to wait.
   */
  limitUsernameChange<Result>(userId: UserId, attempt: () => Promise<Result>): Promise<Result>;
  /** Counts a link to choose a new password that somebody asks for; unknown emails count like known ones. */
  countPasswordLink(email: string, caller: Place, quota?: Quota): Promise<void>;
  /** Counts a use of a link in a mail before its token is looked up. */
  countLinkUse(caller: Place, quota?: Quota): Promise<void>;
  countConfirmationMail(userId: UserId, quota?: Quota): Promise<void>;
  /** Counts a receipt that is sent by mail. @param email of a guest; null for the giver's own. */
  countReceiptMail(id: TransactionId, email: string | null, caller: Place, quota?: Quota): Promise<void>;
  countTip(giver: UserId, quota?: Quota): Promise<void>;
  countGuest(what: 'guest_tip' | 'guest_look' | 'notice_thanks', caller: Place, quota?: Quota): Promise<void>;
  countQrCode(provider: UserId, quota?: Quota): Promise<void>;
  /** Counts an account's request to change, make or read something before its input is parsed. */
  countChange(what: Change, userId: UserId, quota?: Quota): Promise<void>;
  /** Counts the opening of an event stream; the feed bounds how many are open at once. */
  countStream(userId: UserId, quota?: Quota): Promise<void>;
  /** Forgets all failed attempts on an account. @returns whether there were any. */
  unlock(email: string): Promise<boolean>;
  sweep(): Promise<void>;
}

export type Change = Extract<
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
>;

type Who = Readonly<Partial<Record<Subject, string>>>;

const USERNAME_CHANGES = 3;

const NOBODY = '';
/** An attempt under way is settled within this time, which hashes a few passwords. */
const HASHING_MS = 2_000;

export function createLimits(storage: Storage, clock: Clock): Limits {
  const memory = createMemoryCounts();
  const isKept = (limit: LimitName): boolean => {
    const { counted }: Limit = LIMITS[limit];
    return counted === 'with_data' || (counted === 'with_shared_data' && storage.isShared);
  };
  const isTipKept = isKept('tip');

  const underWay = new Map<string, number>();

  /**
   * Counts one attempt under each of these limits, or under none when one is used up.
   * @param begun notes the attempt as under way before others can learn that it was counted.
   */
  async function take(counts: readonly Count[], quota?: Quota, begun = (): void => {}): Promise<void> {
    const now = clock();
    const passing = counts.filter(({ limit }) => !isKept(limit));
    const lasting = counts.filter(({ limit }) => isKept(limit));
    const taken = memory.takeAttempt(passing, now, quota);
    if (taken.outcome === 'used_up') throw tooMany(waitFor(counts, taken.freeAtMs - now));
    if (lasting.length === 0) return begun();
    try {
      const keptToo = await storage.takeAttempt(lasting, now);
      if (keptToo.outcome === 'used_up') {
        const [only, ...others] = lasting;
        if (only && others.length === 0) quota?.note(only, 0, keptToo.freeAtMs - now);
        throw tooMany(waitFor(counts, keptToo.freeAtMs - now));
      }
      begun();
    } catch (error) {
      memory.returnAttempt(passing);
      throw error;
    }
  }

  /**
   * Does what `take` does for one limit in memory with less work, because on one process every tip takes this
   * path.
   */
  function takeOne(limit: 'tip' | 'stream_opening' | Change, account: UserId, quota?: Quota): void {
    const now = clock();
    const { maxCount, windowMs } = LIMITS[limit];
    const taken = memory.takeAttempt([{ limit, account, address: NOBODY, maxCount, windowMs }], now, quota);
    if (taken.outcome === 'used_up') throw tooMany(taken.freeAtMs - now);
  }

  /** The wait is short where an attempt under way may still be taken back. */
  function waitFor(counts: readonly Count[], waitMs: number): number {
    return counts.some((count) => underWay.has(nameOf(count))) ? Math.min(waitMs, HASHING_MS) : waitMs;
  }

  function note(counts: readonly Count[], step: 1 | -1): void {
    for (const name of counts.map(nameOf)) {
      const present = (underWay.get(name) ?? 0) + step;
      if (present === 0) underWay.delete(name);
      else underWay.set(name, present);
    }
  }

  async function giveBack(counts: readonly Count[]): Promise<void> {
    memory.returnAttempt(counts.filter(({ limit }) => !isKept(limit)));
    const lasting = counts.filter(({ limit }) => isKept(limit));
    if (lasting.length === 0) return;
    try {
      await storage.returnAttempt(lasting);
    } catch (error) {
      // The result stands; one attempt is counted too many until its window ends.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  /** Makes an attempt that counts under `ifWrong` or `ifRight`, and under neither when it was not made. */
  async function count<Result>(
    { ifWrong = [], ifRight }: { readonly ifWrong?: readonly Count[]; readonly ifRight: readonly Count[] },
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    const all = [...ifWrong, ...ifRight];
    await take(all, undefined, () => note(all, 1));
    let unspent: readonly Count[] = all;
    try {
      const result = await attempt();
      unspent = ifWrong;
      return result;
    } catch (error) {
      if (isWrongPassword(error)) unspent = ifRight;
      throw error;
    } finally {
      note(all, -1);
      await giveBack(unspent);
    }
  }

  return {
    countTry(what, { address, network, device }, quota) {
      if (what === 'login' && device !== null)
        return take(countsOf(['login_try_from_device'], { device }), quota);
      return take(
        countsOf([`${what}_try_from_address`, `${what}_try_from_network`], whoIsAt(address, network)),
        quota,
      );
    },

    countPasswordChangeTry: (token, quota) =>
      take(countsOf(['password_change_try'], { session: hashOf(token) }), quota),

    limitLogin(email, { address, network, device }, attempt) {
      const account = attemptsAccountOf(email);
      if (device !== null) {
        const who = { account, device: hashOf(device) };
        return count(
          {
            ifWrong: countsOf(['login_from_device', 'login_from_device_in_a_day'], who),
            ifRight: countsOf(['right_password_to_account'], who),
          },
          attempt,
        );
      }
      const who = { account, ...whoIsAt(hashOf(address), hashOf(network)) };
      return count(
        {
          ifWrong: countsOf(
            ['login_from_address_to_account', 'login_from_address', 'login_from_network', 'login_to_account'],
            who,
          ),
          ifRight: countsOf(
            ['right_password_to_account', 'right_password_from_address', 'right_password_from_network'],
            who,
          ),
        },
        attempt,
      );
    },

    limitPasswordChange(email, token, attempt) {
      const who = { account: attemptsAccountOf(email), session: hashOf(token) };
      return count(
        {
          ifWrong: countsOf(['password_change_in_session', 'password_change_in_session_in_a_day'], who),
          ifRight: countsOf(['right_password_to_account'], who),
        },
        attempt,
      );
    },

    limitRegistration({ address, network }, attempt) {
      const who = whoIsAt(hashOf(address), hashOf(network));
      return count({ ifRight: countsOf(['registration', 'registration_from_network'], who) }, attempt);
    },

    async limitUsernameChange(userId, attempt) {
      const waits: number[] = [];
      for (let change = 1; change <= USERNAME_CHANGES; change += 1) {
        const [count] = countsOf(['username_change'], { account: hashOf(userId) });
        if (!count) throw new Error('a limit has nobody to count');
        const own = [{ ...count, address: String(change) }];
        try {
          await take(own);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          waits.push(error.retryAfterSeconds ?? 0);
          continue;
        }
        try {
          return await attempt();
        } catch (error) {
          await giveBack(own);
          throw error;
        }
      }
      throw new AppError('username_changed_often', { retryAfterSeconds: Math.min(...waits) });
    },

    countPasswordLink(email, place, quota) {
      const limits = [
        'password_link_to_account',
        'password_link_to_account_in_a_day',
        'password_link_from_address',
        'password_link_from_network',
      ] as const;
      return take(countsOf(limits, { account: attemptsAccountOf(email), ...hashedPlace(place) }), quota);
    },
    countLinkUse: (place, quota) =>
      take(countsOf(['link_use_from_address', 'link_use_from_network'], hashedPlace(place)), quota),
    countConfirmationMail: (userId, quota) =>
      take(countsOf(['confirmation_mail'], { account: hashOf(userId) }), quota),
    countReceiptMail(id, email, place, quota) {
      const ofTip = countsOf(['receipt_mail_of_tip'], { account: hashOf(id) });
      const toEmail =
        email === null ? [] : countsOf(['receipt_mail_to_email'], { account: attemptsAccountOf(email) });
      const from = countsOf(['receipt_mail_from_address', 'receipt_mail_from_network'], hashedPlace(place));
      return take([...ofTip, ...toEmail, ...from], quota);
    },

    countTip: async (giver, quota) =>
      isTipKept ? take(countsOf(['tip'], { account: hashOf(giver) }), quota) : takeOne('tip', giver, quota),
    countGuest: (what, place, quota) =>
      take(countsOf([`${what}_from_address`, `${what}_from_network`], hashedPlace(place)), quota),
    countQrCode: (provider, quota) =>
      take(countsOf(['qr_code_creation', 'qr_code_creation_in_a_day'], { account: hashOf(provider) }), quota),
    countChange: async (what, userId, quota) => takeOne(what, userId, quota),
    countStream: async (userId, quota) => takeOne('stream_opening', userId, quota),

    unlock: async (email) => (await storage.forgetAttempts(attemptsAccountOf(email))) > 0,
    async sweep() {
      const now = clock();
      await forgetInSteps((atMost) => storage.forgetEndedAttempts(now, atMost));
    },
  };
}

export function createNoLimits(): Limits {
  const allow = async () => {};
  return {
    countTry: allow,
    countPasswordChangeTry: allow,
    limitLogin: (_email, _caller, attempt) => attempt(),
    limitPasswordChange: (_email, _token, attempt) => attempt(),
    limitRegistration: (_caller, attempt) => attempt(),
    limitUsernameChange: (_userId, attempt) => attempt(),
    countPasswordLink: allow,
    countLinkUse: allow,
    countConfirmationMail: allow,
    countReceiptMail: allow,
    countTip: allow,
    countGuest: allow,
    countQrCode: allow,
    countChange: allow,
    countStream: allow,
    unlock: async () => false,
    sweep: allow,
  };
}

interface Count extends AttemptCount {
  readonly limit: LimitName;
}

function countsOf(limits: readonly LimitName[], who: Who): Count[] {
  return limits.flatMap((limit) => {
    const { per, maxCount, windowMs }: Limit = LIMITS[limit];
    if (per.some((subject) => who[subject] === undefined)) return [];
    const place = per.find((subject) => subject !== 'account');
    const account = per.includes('account') ? who.account : NOBODY;
    const address = place === undefined ? NOBODY : who[place];
    return { limit, account: account ?? NOBODY, address: address ?? NOBODY, maxCount, windowMs };
  });
}

/** An IPv4 address is its own network and needs no second count. */
function whoIsAt(address: string, network: string): Who {
  return network === address ? { address } : { address, network };
}

const hashedPlace = ({ address, network }: Place): Who => whoIsAt(hashOf(address), hashOf(network));

function isWrongPassword(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'wrong_credentials' || error.code === 'wrong_password');
}

function nameOf(count: AttemptCount): string {
  return `${count.limit} ${subjectOf(count)}`;
}

function tooMany(waitMs: number): AppError {
  return new AppError('too_many_requests', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
