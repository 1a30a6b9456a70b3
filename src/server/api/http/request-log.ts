/** Logs a line for each request, each security event (OWASP ASVS 5.0, V16.3), and each hour of probes. */
import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import { measure } from '#server/measures.ts';
import type { Login, User } from '#shared/accounts.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { ApiKeyId, OperatorId, UserId } from '#shared/ids.ts';
import { UNKNOWN_ADDRESS } from './client-address.ts';
import { createProbeCounts } from './probes.ts';

type SecurityEvent =
  | 'login_succeeded'
  | 'login_failed'
  | 'login_limited'
  /** A right password came without the code that the account needs besides. */
  | 'login_needs_code'
  | 'reset_password_used'
  | 'account_registered'
  | 'password_changed'
  | 'password_refused'
  | 'password_confirmed'
  /** A link to choose a new password was asked for; the email is nobody's perhaps. */
  | 'password_link_asked'
  | 'password_reset'
  | 'email_confirmed'
  | 'session_ended'
  | 'other_sessions_ended'
  | 'email_changed'
  | 'username_changed'
  | 'phone_changed'
  | 'payouts_opened'
  | 'export_made'
  | 'device_registered'
  | 'closing_begun'
  | 'closing_taken_back'
  | 'passkey_refused'
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'key_made'
  | 'key_ended'
  | 'webhook_added'
  | 'webhook_changed'
  | 'webhook_removed'
  | 'operator_login_succeeded'
  | 'operator_login_failed'
  | 'operator_login_limited'
  /** An operator used a link, which ended all of their sessions and factors. */
  | 'operator_link_used'
  | 'operator_enrolled'
  | 'operator_confirmed'
  | 'operator_session_ended'
  | 'operator_factors_changed'
  /** A request without a live session, or by somebody or with an API key that may not do it. */
  | 'access_refused'
  /** Any other limit is used up. */
  | 'limit_reached';

const EVENTS_BY_REFUSAL: Partial<Record<ErrorCode, SecurityEvent>> = {
  not_logged_in: 'access_refused',
  session_ended: 'access_refused',
  password_change_required: 'access_refused',
  second_factor_required: 'access_refused',
  account_suspended: 'access_refused',
  providers_only: 'access_refused',
  category_not_offered: 'access_refused',
  invalid_notice: 'access_refused',
  password_needed: 'access_refused',
  factor_needed: 'access_refused',
  enrolment_needed: 'access_refused',
  invalid_api_key: 'access_refused',
  missing_scope: 'access_refused',
  not_for_api_keys: 'access_refused',
  wrong_password: 'password_refused',
  passkey_refused: 'passkey_refused',
  too_many_requests: 'limit_reached',
};

const EVENTS_BY_LOGIN_REFUSAL: Partial<Record<ErrorCode, SecurityEvent>> = {
  wrong_credentials: 'login_failed',
  wrong_code: 'login_failed',
  second_factor_needed: 'login_needs_code',
  too_many_requests: 'login_limited',
};

const EVENTS_BY_OPERATOR_LOGIN_REFUSAL: Partial<Record<ErrorCode, SecurityEvent>> = {
  wrong_credentials: 'operator_login_failed',
  wrong_code: 'operator_login_failed',
  too_many_requests: 'operator_login_limited',
};

/** The number of names that are remembered: more clients than are busy at once. */
const MAX_REMEMBERED = 1_000;
/** In hexadecimal digits; 64 bits keep any two clients apart. */
const HASH_LENGTH = 16;

export interface RequestLog {
  begin(address: string): Arrival;
  /** @returns the id of the request. */
  noteUnread(address: string, refusal: AppError): string;
  /** Logs the number of probes since the last call, if any. Call it every hour and at the end. */
  tellProbes(): void;
}

interface Writer {
  readonly log: Logger;
  name(plain: string): string;
  hash(plain: string): string;
  readonly probes: ReturnType<typeof createProbeCounts>;
}

/**
 * @param key of the hashes, from the installation: a name has the same hash in every process and after a restart.
 * @param hashesNames logs addresses and accounts as hashes. An email that belongs to no account is always hashed.
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

export class Arrival {
  readonly requestId = randomUUID();
  readonly address: string;
  readonly #writer: Writer;
  readonly #startedAtMs = performance.now();
  #account: UserId | null = null;
  #key: ApiKeyId | null = null;
  #operator: OperatorId | null = null;
  /** Made when needed, because few requests are refused. */
  #codes: Set<ErrorCode> | null = null;
  #told: WeakSet<AppError> | null = null;

  constructor(writer: Writer, address: string) {
    this.#writer = writer;
    this.address = address;
  }

  identify(account: UserId, key: ApiKeyId | null = null): void {
    this.#account = account;
    this.#key = key;
  }

  identifyOperator(operator: OperatorId): void {
    this.#operator = operator;
  }

  /**
   * @param account by default the owner of the session.
   * @param email what was typed as one, which may be nobody's: only its hash is logged.
   */
  note(event: SecurityEvent, account: UserId | null = this.#account, email?: string): void {
    const { log, name, hash } = this.#writer;
    const about = {
      ...(account !== null && { account: name(account) }),
      ...(this.#operator !== null && { operator: name(this.#operator) }),
      ...(email !== undefined && { email: hash(email.toLowerCase()) }),
    };
    const { requestId } = this;
    log.info({ event, address: name(this.address), ...about, requestId }, 'security event');
  }

  noteLogin({ reopened, user: { id, mustChangePassword } }: Login, by: 'password' | 'passkey'): void {
    if (reopened) this.note('closing_taken_back', id);
    if (mustChangePassword && by === 'password') this.note('reset_password_used', id);
    this.note('login_succeeded', id);
  }

  noteChanges(before: Pick<User, 'email' | 'username' | 'phone'>, after: User): void {
    if (before.email !== after.email) this.note('email_changed');
    if (before.username !== after.username) this.note('username_changed');
    if (before.phone !== after.phone) this.note('phone_changed');
  }

  /**
   * The line is written once the account is known, and the answer does not wait for it: its time must not tell whether
   * an email has an account.
   */
  noteRefusedLogin(error: unknown, email: string, idOf: (email: string) => Promise<UserId | null>): void {
    const event = this.#tell(error, EVENTS_BY_LOGIN_REFUSAL);
    if (event === undefined) return;
    const write = (account: UserId | null) =>
      account === null ? this.note(event, null, email) : this.note(event, account);
    turnOfTheLoop()
      .then(() => idOf(email))
      .then(write, () => write(null));
  }

  noteRefusedOperatorLogin(error: unknown, email: string): void {
    const event = this.#tell(error, EVENTS_BY_OPERATOR_LOGIN_REFUSAL);
    if (event !== undefined) this.note(event, null, email);
  }

  /** @returns what a refusal is logged as, which then is not logged as anything else. */
  #tell(error: unknown, events: Partial<Record<ErrorCode, SecurityEvent>>): SecurityEvent | undefined {
    if (!(error instanceof AppError)) return undefined;
    const event = events[error.code];
    this.#told ??= new WeakSet();
    if (event !== undefined) this.#told.add(error);
    return event;
  }

  /** Some refusals are security events, unless already logged as one. */
  refuse(refusal: AppError): void {
    this.#codes ??= new Set();
    this.#codes.add(refusal.code);
    const event = EVENTS_BY_REFUSAL[refusal.code];
    if (event !== undefined && this.#told?.has(refusal) !== true) this.note(event);
  }

  /** @param route a pattern, because what people put into a path must not reach the log. */
  end(method: string, route: string, status: number): void {
    const { log, name, probes } = this.#writer;
    const tookMs = performance.now() - this.#startedAtMs;
    measure('request', { method, route, status, seconds: tookMs / 1_000 });
    if (probes.count(method, route, status)) return;
    const { requestId } = this;
    const durationMs = Math.round(tookMs);
    const code = this.#codes === null ? {} : { code: [...this.#codes].join() };
    const key = this.#key === null ? {} : { key: name(this.#key) };
    const operator = this.#operator === null ? {} : { operator: name(this.#operator) };
    log.info(
      {
        requestId,
        address: name(this.address),
        method,
        route,
        status,
        ...code,
        ...key,
        ...operator,
        durationMs,
      },
      'request',
    );
  }
}
