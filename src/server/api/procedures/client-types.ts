/**
 * What a TypeScript client outside of this repository gets by name. `npm run types` writes it out as one file of plain
 * types that needs neither these sources nor their packages.
 */
import type { z } from 'zod';
import type { credentials, passwordChange, profileChange, registration } from '#shared/accounts.ts';
import type { qrCodeChange } from '#shared/qr-codes.ts';
import type { newTip } from '#shared/tips.ts';
import type { trpcErrorOf } from '../http/refusals.ts';

export type { Login, Session, User } from '#shared/accounts.ts';
export type { ServiceCategory } from '#shared/categories.ts';
export type { ErrorCode, FieldError } from '#shared/errors.ts';
export type { PaymentMode, PayoutStatus } from '#shared/payments.ts';
export type { QrCode, QrCodeLookup } from '#shared/qr-codes.ts';
export type { TipStreamStart, TipSummary, Transaction, TransactionPage } from '#shared/tips.ts';
export type { AppRouter } from './router.ts';

/** What an account is made of. */
export type Registration = z.input<typeof registration>;
/** What logs in. */
export type Credentials = z.input<typeof credentials>;
/** The present password and the next. */
export type PasswordChange = z.input<typeof passwordChange>;
/** What changes of an account. */
export type ProfileChange = z.input<typeof profileChange>;
/** What changes of a tip page and its code. */
export type QrCodeChange = z.input<typeof qrCodeChange>;
/** A tip to give. */
export type NewTip = z.input<typeof newTip>;
/** Why a call was refused, as the `shape` of a TRPCClientError has it. */
export type ErrorShape = ReturnType<typeof trpcErrorOf>;
