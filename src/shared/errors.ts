/** What chapters throw: a refusal of the closed table (refusals.ts), with what its caller is told beside it. */
import { sentenceOf } from './refusal-sentence.ts';
import { REFUSALS, type Refusal } from './refusals.ts';

export type ErrorCode = keyof typeof REFUSALS;

/** A problem of one field, under the name that the caller's door uses. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  /** Whether the caller made the name up, so that no door respells it. */
  readonly isAsSent?: true;
}

interface AppErrorOptions {
  /** For `invalid_input`; the first message becomes the error's sentence. */
  readonly fieldErrors?: readonly FieldError[];
  /** For 429 and 503. */
  readonly retryAfterSeconds?: number;
  readonly scope?: string;
  /** For `payout_account_refused`: the payment service's own words. */
  readonly reason?: string;
  /** For the log only. */
  readonly cause?: unknown;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fieldErrors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
  readonly scope: string | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const { fieldErrors, retryAfterSeconds, scope, reason, cause } = options;
    const detail = reason ?? REFUSALS[code].detail;
    super(fieldErrors?.[0]?.message ?? sentenceOf(code, detail, { retryAfterSeconds, scope }), { cause });
    this.name = 'AppError';
    this.code = code;
    this.fieldErrors = options.fieldErrors ?? [];
    this.scope = scope;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (this.status === 503 ? 2 : undefined);
  }

  get status(): Refusal['status'] {
    return REFUSALS[this.code].status;
  }
}
