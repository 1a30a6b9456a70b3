/**
 * What every procedure is given: the chapters, and who is calling through which request.
 */
import type { Accounts } from '#server/auth/accounts.ts';
import type { Sessions } from '#server/auth/sessions.ts';
import type { Limits } from '#server/limits.ts';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import type { TipFeed } from '#server/tips/tip-feed.ts';
import type { Transactions } from '#server/tips/transactions.ts';

export interface Services {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly qrCodes: QrCodes;
  readonly transactions: Transactions;
  readonly tipFeed: TipFeed;
  readonly limits: Limits;
}

export interface Context {
  readonly services: Services;
  readonly requestId: string;
  /** The bearer token that came with the request, not yet checked. */
  readonly token: string | null;
  /** The caller's address, as rate limits count it. Few ask for it, and reading it costs more than most answers. */
  address(): string;
  /**
   * Calls `listener` when the connection has closed, also when the answer was still waiting for its turn on it (RFC
   * 9112, section 9.3.2), of which a request's own signal hears nothing on older Node.js (seen on 20, not on 26). @returns a function that stops listening.
   */
  onHangUp(listener: () => void): () => void;
  /** What the caller says it is. */
  readonly userAgent: string | undefined;
}

/** The token of `Authorization: Bearer ...` (RFC 6750, section 2.1); a token in a URL is never read. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
