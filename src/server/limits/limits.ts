/**
 * How often something may be tried: one table of limits, and one way of counting, whichever door a call came through. What guards
 * accounts is kept with the data, so that a restart forgives nobody; what only bounds work is counted in memory. An
 * attempt counts from before it is made, so that parallel guesses cannot slip past, and is taken back when it was none.
 *
 * Several processes on the same data share the counts that are kept with it. Each has its own counts in memory, so that N
 * processes let through N times as many attempts at most:
 * - `login_try_*`, `password_change_try` and `right_password_*` bound the parsing and hashing that one process does.
 * - `qr_code_creation` bounds the pictures that one process draws; an account has one code for each service at most.
 * - `profile_change`, `tip_page_change`, `photo`, `print`, `refund`, `export` and `stream_opening` bound the work of one process.
 * - `registration_try_*` bounds also how many emails somebody can ask for: N times 200 an hour from one address.
 * - `tip` guards money: it is in memory only where one process has the data, and exact there.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import { attemptsAccountOf } from '../storage/closed-accounts.ts';
import { forgetInSteps } from '../storage/forget-in-steps.ts';
import { type AttemptCount, type Storage, StorageUnavailable } from '../storage/storage.ts';
import { createMemoryCounts, subjectOf } from './memory-counts.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How much more a network may do than one of the addresses in it. */
const NETWORK = 8;

/** Whom a limit is about. */
type Subject = 'account' | 'address' | 'network' | 'device' | 'session';

interface Limit {
  readonly per: readonly Subject[];
  readonly maxCount: number;
  readonly windowMs: number;
  /** Where it is counted: with the data, and then it outlives a restart, or in memory; or with the data only where processes share that. */
  readonly counted: 'with_data' | 'in_memory' | 'with_shared_data';
}

const counting =
  (counted: Limit['counted']) =>
  (per: readonly Subject[], maxCount: number, windowMs: number): Limit => ({
    per,
    maxCount,
    windowMs,
    counted,
  });
const kept = counting('with_data');
const inMemory = counting('in_memory');
const keptIfShared = counting('with_shared_data');

const LIMITS = {
  // Wrong passwords of whoever shows no mark of having logged in to the account before.
  login_from_address_to_account: kept(['account', 'address'], 5, QUARTER_MS),
  login_from_address: kept(['address'], 30, QUARTER_MS),
  login_from_network: kept(['network'], 30 * NETWORK, QUARTER_MS),
  login_to_account: kept(['account'], 100, DAY_MS),
  // Wrong passwords of a device that has logged in to the account before; nobody else can use these up.
  login_from_device: kept(['account', 'device'], 5, QUARTER_MS),
  login_from_device_in_a_day: kept(['account', 'device'], 30, DAY_MS),
  // Wrong current passwords when changing it.
  password_change_in_session: kept(['session'], 5, QUARTER_MS),
  password_change_in_session_in_a_day: kept(['session'], 30, DAY_MS),
  // Requests to change a password, counted before they may take a turn at hashing.
  password_change_try: inMemory(['session'], 10, QUARTER_MS),
  // Right passwords, because verifying them takes as much work as wrong ones.
  right_password_to_account: inMemory(['account'], 20, QUARTER_MS),
  right_password_from_address: inMemory(['address'], 120, QUARTER_MS),
  right_password_from_network: inMemory(['network'], 120 * NETWORK, QUARTER_MS),
  // Requests to log in, counted before their input is parsed.
  login_try_from_address: inMemory(['address'], 300, QUARTER_MS),
  login_try_from_network: inMemory(['network'], 300 * NETWORK, QUARTER_MS),
  login_try_from_device: inMemory(['device'], 60, QUARTER_MS),

  // Accounts that were created.
  registration: kept(['address'], 20, HOUR_MS),
  registration_from_network: kept(['network'], 20 * NETWORK, HOUR_MS),
  // Requests to register, counted before their input is parsed.
  registration_try_from_address: inMemory(['address'], 200, HOUR_MS),
  registration_try_from_network: inMemory(['network'], 200 * NETWORK, HOUR_MS),

  tip: keptIfShared(['account'], 30, MINUTE_MS),
  // A picture is a few milliseconds of the threads that hash passwords; nobody has more services than a handful.
  qr_code_creation: inMemory(['account'], 30, HOUR_MS),
  // What a provider changes by hand, each a durable write.
  profile_change: inMemory(['account'], 60, HOUR_MS),
  tip_page_change: inMemory(['account'], 240, HOUR_MS),
  // A refund is a durable write, as a tip is.
  refund: inMemory(['account'], 60, MINUTE_MS),
  // A photo is decoded and made anew: some ten milliseconds of another thread.
  photo: inMemory(['account'], 30, HOUR_MS),
  // A print is made in a thread of its own, one after the other.
  print: inMemory(['account'], 120, HOUR_MS),
  // Each asks the payment service.
  payout_link: inMemory(['account'], 30, HOUR_MS),
  // An export reads a whole history, and packs it.
  export: inMemory(['account'], 10, HOUR_MS),
  // A few tabs that lost their connection reconnect every three seconds.
  stream_opening: inMemory(['account'], 120, MINUTE_MS),
} as const satisfies Readonly<Record<string, Limit>>;
type LimitName = keyof typeof LIMITS;

/** Where a call comes from. */
export interface Caller {
  /** As limits group it. */
  readonly address: string;
  /** The wider network around the address; the address itself where that is as wide as it gets. */
  readonly network: string;
  /** A device with a mark of its own, for what that mark counts instead of the address. */
  readonly device: string | null;
}

/** Every counting method throws AppError `too_many_requests`, with the time to wait, once its limit is reached. */
export interface Limits {
  /** Counts a request before its input is parsed. */
  countTry(what: 'login' | 'registration', caller: Caller): Promise<void>;
  /** Counts a request to change a password in the session of `token`, before its input is parsed. */
  countPasswordChangeTry(token: string): Promise<void>;
  /**
   * Tries a password, counting it as wrong or as right; unknown emails count like known ones.
   * @param caller with a device that has logged in to this very account before, or with none.
   */
  limitLogin<Result>(email: string, caller: Caller, attempt: () => Promise<Result>): Promise<Result>;
  /** Tries the current password of an account in one of its sessions; wrong ones count for that session alone. */
  limitPasswordChange<Result>(email: string, token: string, attempt: () => Promise<Result>): Promise<Result>;
  /** Counts an account that was created; what was refused does not count. */
  limitRegistration<Result>(caller: Caller, attempt: () => Promise<Result>): Promise<Result>;
  countTip(giver: UserId): Promise<void>;
  /** Counts a request to create a code, before any work is done for it. */
  countQrCode(provider: UserId): Promise<void>;
  /** Counts a request to change something of an account, or to make something for it, before its input is parsed. */
  countChange(what: Change, userId: UserId): Promise<void>;
  /** Counts the opening of an event stream; the feed bounds how many are open at once. */
  countStream(userId: UserId): Promise<void>;
  /** Forgets all failed attempts on an account. @returns whether there were any. */
  unlock(email: string): Promise<boolean>;
  /** Deletes the counts whose window has ended. */
  sweep(): Promise<void>;
}

/** What an owner may ask for so often only. */
export type Change = Extract<
  LimitName,
  'profile_change' | 'tip_page_change' | 'photo' | 'print' | 'refund' | 'payout_link' | 'export'
>;

type Who = Readonly<Partial<Record<Subject, string>>>;

const NOBODY = '';
/** How long an attempt under way may take to be counted or taken back: as long as hashing a few passwords. */
const HASHING_MS = 2_000;

/** Limits over everybody's attempts. */
export function createLimits(storage: Storage, clock: Clock): Limits {
  const memory = createMemoryCounts();
  const isKept = (limit: LimitName): boolean => {
    const { counted }: Limit = LIMITS[limit];
    return counted === 'with_data' || (counted === 'with_shared_data' && storage.isShared);
  };
  const isTipKept = isKept('tip');

  /** How many attempts are being made now, for each subject of each limit. */
  const underWay = new Map<string, number>();

  /**
   * Counts one attempt under each of these limits, or under none of them when one is used up.
   * @param begun notes them as being made, before anybody else learns that they were taken.
   */
  async function take(counts: readonly Count[], begun = (): void => {}): Promise<void> {
    const now = clock();
    const passing = counts.filter(({ limit }) => !isKept(limit));
    const lasting = counts.filter(({ limit }) => isKept(limit));
    const taken = memory.takeAttempt(passing, now);
    if (taken.outcome === 'used_up') throw tooMany(waitFor(counts, taken.freeAtMs - now));
    if (lasting.length === 0) return begun();
    try {
      const keptToo = await storage.takeAttempt(lasting, now);
      if (keptToo.outcome === 'used_up') throw tooMany(waitFor(counts, keptToo.freeAtMs - now));
      begun();
    } catch (error) {
      memory.returnAttempt(passing);
      throw error;
    }
  }

  /** Does what `take` does for one limit that is counted in memory, with less work: on one process every tip goes through here. */
  function takeOne(limit: 'tip' | 'qr_code_creation' | 'stream_opening' | Change, account: UserId): void {
    const now = clock();
    const { maxCount, windowMs } = LIMITS[limit];
    const taken = memory.takeAttempt([{ limit, account, address: NOBODY, maxCount, windowMs }], now);
    if (taken.outcome === 'used_up') throw tooMany(taken.freeAtMs - now);
  }

  /** How long to wait for a place: not long where an attempt under way may still be taken back. */
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
      // The answer stands; one attempt is counted too many until its window ends.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  /** Makes an attempt that counts under `ifWrong` or under `ifRight`, and under neither when it was not made. */
  async function count<Result>(
    { ifWrong = [], ifRight }: { readonly ifWrong?: readonly Count[]; readonly ifRight: readonly Count[] },
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    const all = [...ifWrong, ...ifRight];
    await take(all, () => note(all, 1));
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
    countTry(what, { address, network, device }) {
      if (what === 'login' && device !== null) return take(countsOf(['login_try_from_device'], { device }));
      return take(
        countsOf([`${what}_try_from_address`, `${what}_try_from_network`], whoIsAt(address, network)),
      );
    },

    countPasswordChangeTry: (token) => take(countsOf(['password_change_try'], { session: hashOf(token) })),

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

    countTip: async (giver) =>
      isTipKept ? take(countsOf(['tip'], { account: hashOf(giver) })) : takeOne('tip', giver),
    countQrCode: async (provider) => takeOne('qr_code_creation', provider),
    countChange: async (what, userId) => takeOne(what, userId),
    countStream: async (userId) => takeOne('stream_opening', userId),

    unlock: async (email) => (await storage.forgetAttempts(attemptsAccountOf(email))) > 0,
    sweep() {
      const now = clock();
      return forgetInSteps((atMost) => storage.forgetEndedAttempts(now, atMost));
    },
  };
}

/** No limits at all, for load tests on loopback. */
export function createNoLimits(): Limits {
  const allow = async () => {};
  return {
    countTry: allow,
    countPasswordChangeTry: allow,
    limitLogin: (_email, _caller, attempt) => attempt(),
    limitPasswordChange: (_email, _token, attempt) => attempt(),
    limitRegistration: (_caller, attempt) => attempt(),
    countTip: allow,
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

/** One attempt under each of these limits, as far as there is somebody whom the limit is about. */
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

/** An address that is its own network, as in IPv4, needs no second count. */
function whoIsAt(address: string, network: string): Who {
  return network === address ? { address } : { address, network };
}

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
