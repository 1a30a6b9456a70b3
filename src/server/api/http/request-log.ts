/**
 * What the log says of requests: a line for each, with the address of its client and the codes of its refusals; a line for each
 * security event (OWASP ASVS 5.0, V16.3); and one line an hour for all probes. Hides how clients and accounts are named in it.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Login, User } from '#shared/accounts.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import { UNKNOWN_ADDRESS } from './client-address.ts';
import { createProbeCounts } from './probes.ts';

/** Everything that can be found by its name, by whoever looks for an attack or for what was done with an account. */
type SecurityEvent =
  | 'login_succeeded'
  | 'login_failed'
  /** The attempts are used up: those on the account, or those of whoever tries. */
  | 'login_limited'
  /** Somebody has logged in with a password that the operator made. */
  | 'reset_password_used'
  | 'account_registered'
  | 'password_changed'
  /** The current password, which some changes ask for, was not right. */
  | 'password_refused'
  /** The password was typed again, which some acts need. */
  | 'password_confirmed'
  | 'session_ended'
  | 'other_sessions_ended'
  | 'email_changed'
  | 'username_changed'
  | 'phone_changed'
  /** The pages of the payment service were opened, where payouts are changed. */
  | 'payouts_opened'
  | 'export_made'
  /** A device gets notices of tips from now on. */
  | 'device_registered'
  | 'closing_begun'
  | 'closing_taken_back'
  /** Something was asked for without a session, in one that has ended, or by somebody who may not do it. */
  | 'access_refused'
  /** Any other limit is used up. */
  | 'limit_reached';

/** The refusals that are events, whatever was asked for. */
const EVENTS_BY_REFUSAL: Partial<Record<ErrorCode, SecurityEvent>> = {
  not_logged_in: 'access_refused',
  session_ended: 'access_refused',
  password_change_required: 'access_refused',
  providers_only: 'access_refused',
  category_not_offered: 'access_refused',
  invalid_notice: 'access_refused',
  password_needed: 'access_refused',
  wrong_password: 'password_refused',
  too_many_requests: 'limit_reached',
};

/** The refusals that are events when somebody logs in. */
const EVENTS_BY_LOGIN_REFUSAL: Partial<Record<ErrorCode, SecurityEvent>> = {
  wrong_credentials: 'login_failed',
  too_many_requests: 'login_limited',
};

/** More clients than are busy at once; bounds what is remembered of names. */
const MAX_REMEMBERED = 1_000;
/** In hexadecimal digits: 64 bits, by which no two clients are taken for one. */
const HASH_LENGTH = 16;

export interface RequestLog {
  /** @param address of the client, as `createClientAddress` gives it. */
  begin(address: string): Arrival;
  /** Writes the line of what could not be read as a request. @returns the id that it was given. */
  noteUnread(address: string, refusal: AppError): string;
  /** Writes how many probes there were since the last time, if there were any; to be called every hour, and at the end. */
  tellProbes(): void;
}

/** What all arrivals share. */
interface Writer {
  readonly log: Logger;
  /** An address or an account as it is written. */
  name(plain: string): string;
  hash(plain: string): string;
  readonly probes: ReturnType<typeof createProbeCounts>;
}

/**
 * @param key of the hashes, from the installation: a name has the same hash in every process, and after a restart.
 * @param hashesNames whether addresses and accounts are written as hashes. What was typed as the email of nobody always is.
 */
export function createRequestLog({
  log,
  key,
  hashesNames,
}: {
  readonly log: Logger;
  readonly key: Uint8Array;
  readonly hashesNames: boolean;
}): RequestLog {
  const hash = (plain: string) => createHmac('sha256', key).update(plain).digest('hex').slice(0, HASH_LENGTH);
  const hashes = new Map<string, string>();
  function rememberedHash(plain: string): string {
    const known = plain === UNKNOWN_ADDRESS ? plain : hashes.get(plain);
    if (known !== undefined) return known;
    if (hashes.size >= MAX_REMEMBERED) hashes.clear();
    const made = hash(plain);
    hashes.set(plain, made);
    return made;
  }
  const name = hashesNames ? rememberedHash : (plain: string) => plain;
  const probes = createProbeCounts();
  const writer: Writer = { log, name, hash, probes };

  return {
    begin: (address) => new Arrival(writer, address),
    noteUnread(address, { status, code }) {
      const requestId = randomUUID();
      log.info({ requestId, address: name(address), status, code }, 'unreadable request');
      return requestId;
    },
    tellProbes() {
      const counts = probes.take();
      if (counts !== null) log.info(counts, 'probes');
    },
  };
}

/** A request that has arrived, for the lines about it. */
export class Arrival {
  readonly requestId = randomUUID();
  /** Of the client. */
  readonly address: string;
  readonly #writer: Writer;
  readonly #startedAtMs = performance.now();
  #account: UserId | null = null;
  /** Made when they are needed, because few requests are refused. */
  #codes: Set<ErrorCode> | null = null;
  #told: WeakSet<AppError> | null = null;

  constructor(writer: Writer, address: string) {
    this.#writer = writer;
    this.address = address;
  }

  /** Notes whose session the request comes in. */
  identify(account: UserId): void {
    this.#account = account;
  }

  /**
   * Writes the line of an event.
   * @param account whom it is about: whoever has the session, unless another one is given.
   * @param email what was typed as one and may be nobody's: only its hash is written.
   */
  note(event: SecurityEvent, account: UserId | null = this.#account, email?: string): void {
    const { log, name, hash } = this.#writer;
    const about = {
      ...(account !== null && { account: name(account) }),
      ...(email !== undefined && { email: hash(email.toLowerCase()) }),
    };
    const { requestId } = this;
    log.info({ event, address: name(this.address), ...about, requestId }, 'security event');
  }

  /** Writes what a login was besides one, and then that it succeeded. */
  noteLogin({ reopened, user: { id, mustChangePassword } }: Login): void {
    if (reopened) this.note('closing_taken_back', id);
    if (mustChangePassword) this.note('reset_password_used', id);
    this.note('login_succeeded', id);
  }

  /** Writes which changes of a profile are events. */
  noteChanges(before: Pick<User, 'email' | 'username' | 'phone'>, after: User): void {
    if (before.email !== after.email) this.note('email_changed');
    if (before.username !== after.username) this.note('username_changed');
    if (before.phone !== after.phone) this.note('phone_changed');
  }

  /**
   * Writes that a login was refused, if it was for a reason that is an event. The line is written once the account is known, and
   * nobody waits for it: the time of an answer must not tell whether an email is somebody's.
   */
  noteRefusedLogin(error: unknown, email: string, idOf: (email: string) => Promise<UserId | null>): void {
    if (!(error instanceof AppError)) return;
    const event = EVENTS_BY_LOGIN_REFUSAL[error.code];
    if (event === undefined) return;
    this.#told ??= new WeakSet();
    this.#told.add(error);
    const write = (account: UserId | null) =>
      account === null ? this.note(event, null, email) : this.note(event, account);
    turnOfTheLoop()
      .then(() => idOf(email))
      .then(write, () => write(null));
  }

  /** Notes with what the request, or one call of it, is refused. Some refusals are events, unless they were written as one already. */
  refuse(refusal: AppError): void {
    this.#codes ??= new Set();
    this.#codes.add(refusal.code);
    const event = EVENTS_BY_REFUSAL[refusal.code];
    if (event !== undefined && this.#told?.has(refusal) !== true) this.note(event);
  }

  /** Writes the line of the request. @param route a pattern: what people put into a path is none of the log's business. */
  end(method: string, route: string, status: number): void {
    const { log, name, probes } = this.#writer;
    if (probes.count(method, route, status)) return;
    const { requestId } = this;
    const durationMs = Math.round(performance.now() - this.#startedAtMs);
    const code = this.#codes === null ? {} : { code: [...this.#codes].join() };
    log.info(
      { requestId, address: name(this.address), method, route, status, ...code, durationMs },
      'request',
    );
  }
}
