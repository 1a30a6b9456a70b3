/** The types that a TypeScript client outside of this repository imports by name (`npm run types`). */
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

export type Registration = z.input<typeof registration>;
export type Credentials = z.input<typeof credentials>;
export type PasswordChange = z.input<typeof passwordChange>;
export type ProfileChange = z.input<typeof profileChange>;
export type QrCodeChange = z.input<typeof qrCodeChange>;
export type NewTip = z.input<typeof newTip>;
/** The `shape` of a TRPCClientError. */
export type ErrorShape = ReturnType<typeof trpcErrorOf>;
