/** The router of all procedures, which both doors serve. */
import { accountProcedures } from './account.ts';
import { apiKeyProcedures } from './api-keys.ts';
import { authProcedures } from './auth.ts';
import { endpointsOf } from './endpoint.ts';
import { mailProcedures, receiptProcedures } from './mail.ts';
import { messageProcedures } from './messages.ts';
import { notificationProcedures } from './notifications.ts';
import { passkeyProcedures } from './passkeys.ts';
import { paymentProcedures } from './payments.ts';
import { qrCodeProcedures } from './qr-codes.ts';
import { recordProcedures } from './records.ts';
import { secondFactorProcedures } from './second-factors.ts';
import { transactionProcedures } from './transactions.ts';
import { createCallerFactory, router } from './trpc.ts';
import { webhookProcedures } from './webhooks.ts';

const CHAPTERS = {
  auth: { ...authProcedures, ...accountProcedures, ...mailProcedures, ...passkeyProcedures },
  qrCodes: qrCodeProcedures,
  transactions: { ...transactionProcedures, ...recordProcedures, ...receiptProcedures },
  payments: paymentProcedures,
  messages: messageProcedures,
  notifications: notificationProcedures,
  webhooks: webhookProcedures,
  apiKeys: apiKeyProcedures,
  secondFactors: secondFactorProcedures,
};

export const appRouter = router(CHAPTERS);
export type AppRouter = typeof appRouter;

/** Pages of version 0.2.0 that are open during an upgrade call two chapters by their earlier names. */
export const servedRouter = router({
  ...CHAPTERS,
  words: messageProcedures,
  notices: notificationProcedures,
});

export const createCaller = createCallerFactory(appRouter);
export type Caller = ReturnType<typeof createCaller>;

export const ENDPOINTS = endpointsOf(CHAPTERS);
