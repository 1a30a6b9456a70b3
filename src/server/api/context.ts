/**
 * What every procedure is given: the chapters, and who is calling through which request.
 */
import type { Accounts } from '#server/auth/accounts.ts';
import type { DeviceMark } from '#server/auth/device-marks.ts';
import type { Sessions } from '#server/auth/sessions.ts';
import type { Turns } from '#server/auth/turns.ts';
import type { Caller, Limits } from '#server/limits/limits.ts';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import type { FairTurns } from '#server/tips/fair-turns.ts';
import type { TipFeed } from '#server/tips/tip-feed.ts';
import type { Transactions } from '#server/tips/transactions.ts';

export interface Services {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly qrCodes: QrCodes;
  readonly transactions: Transactions;
  readonly tipFeed: TipFeed;
  readonly limits: Limits;
  readonly turns: Turns;
  /** Of the queries that read much: a batch may hold ten of them. */
  readonly queryTurns: FairTurns;
}

export interface Context {
  readonly services: Services;
  readonly requestId: string;
  /** The bearer token that came with the request, not yet checked. */
  readonly token: string | null;
  /** The caller's address and the network around it, as limits count them. Few ask, and reading it costs more than most answers. */
  address(): Pick<Caller, 'address' | 'network'>;
  readonly device: DeviceOfRequest;
  /**
   * Calls `listener` when the connection has closed, also when the answer was still waiting for its turn on it (RFC
   * 9112, section 9.3.2), of which a request's own signal hears nothing on older Node.js (seen on 20, not on 26). @returns a function that stops listening.
   */
  onHangUp(listener: () => void): () => void;
  /** What the caller says it is. */
  readonly userAgent: string | undefined;
}

/** The mark that came with a request, read when it is first asked for; few ask for it. */
export class DeviceOfRequest {
  readonly #read: () => DeviceMark;
  #mark: DeviceMark | null = null;

  constructor(read: () => DeviceMark) {
    this.#read = read;
  }

  /** The same for all calls of a batch, so that each login is noted in it. */
  get mark(): DeviceMark {
    this.#mark ??= this.#read();
    return this.#mark;
  }

  /** The headers that the answer needs for it. */
  headers(): Record<string, string> {
    const cookie = this.#mark?.setCookie() ?? null;
    return cookie === null ? {} : { 'set-cookie': cookie };
  }
}

/** The token of `Authorization: Bearer ...` (RFC 6750, section 2.1); a token in a URL is never read. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
