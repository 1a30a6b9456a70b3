/** The account export: its request, the pieces of its stream, and the schema of its files. */
import { z } from 'zod';
import { session, user } from './accounts.ts';
import { apiKey } from './api-keys.ts';
import { webhook, webhookDelivery } from './events.ts';
import { mailSettings } from './mail.ts';
import { notificationDevice } from './notifications.ts';
import { operatorAct } from './operator-acts.ts';
import { PAID_MODES, PAYMENT_MODES, PAYMENT_STATES } from './payments.ts';
import { qrCode } from './qr-codes.ts';
import { TIP_PARTIES, timeZone } from './records.ts';
import { secondFactors } from './second-factors.ts';
import { blockedGiver, transaction } from './tips.ts';

export const exportRequest = z
  .object({
    timeZone: timeZone.default('UTC'),
  })
  .optional();

export interface ExportStart {
  /** ASCII only. */
  readonly fileName: string;
}

export interface ExportPiece {
  readonly base64: string;
}

/** Everything stored about an account beside its transactions, payments, pictures and secrets. */
export const exportedAccount = z.object({
  ...user.omit({ mustChangePassword: true, mustAddSecondFactor: true }).shape,
  formerUsernames: z.array(z.string()),
  sessions: z.array(session),
  apiKeys: z.array(apiKey),
  secondFactors,
  webhooks: z.array(webhook.extend({ deliveries: z.array(webhookDelivery) })),
  noticeDevices: z.array(notificationDevice),
  qrCodes: z.array(
    z.object({
      ...qrCode.pick({ id: true, serviceCategory: true, url: true, status: true }).shape,
      ...qrCode.pick({ displayName: true, greeting: true, thankYou: true, takesWords: true, isListed: true })
        .shape,
      pictureFile: z.string(),
      photoFile: z.string().nullable(),
    }),
  ),
  readyThankYous: z.array(z.string()),
  blockedGivers: z.array(
    z.object({
      ...blockedGiver.omit({ tip: true }).shape,
      transactionId: transaction.shape.id,
    }),
  ),
  /** The accounts at the payment service, for test money and real money, one for each account of the operator. */
  payoutAccounts: z.array(
    z.object({
      paymentMode: z.enum(PAID_MODES),
      accountId: z.string(),
      chargesEnabled: z.boolean(),
      missing: z.array(z.string()),
      /** The operator's account there; null for accounts from before this was stored. */
      platform: z.string().nullable(),
      /** ISO 3166-1 alpha-2; null when it is not known. */
      country: z.string().nullable(),
      payoutsEnabled: z.boolean(),
      disabledReason: z.string().nullable(),
      readAt: z.iso.datetime(),
    }),
  ),
  operatorActs: z.array(operatorAct),
  mail: mailSettings.omit({ email: true }),
  acceptedTerms: z
    .object({
      /** SHA-256 of their text, in hexadecimal. */
      version: z.string(),
      acceptedAt: z.iso.datetime(),
    })
    .nullable(),
  createdAt: z.iso.datetime(),
  exportedAt: z.iso.datetime(),
});

/** A payment that the account began, in any state. */
export const exportedPayment = z.object({
  /** The id of the payment's tip, which exists only if it was paid. */
  transactionId: transaction.shape.id,
  state: z.enum(PAYMENT_STATES),
  paymentMode: z.enum(PAYMENT_MODES).exclude(['simulated']),
  ...transaction.pick({ qrCodeId: true, serviceCategory: true, amountCents: true, giverFeeCents: true })
    .shape,
  createdAt: z.iso.datetime(),
  /** When the payment last moved or a refund was requested. */
  changedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The payment page's id at the payment service, and its address; null without one. */
  checkoutId: z.string().nullable(),
  checkoutUrl: z.url().nullable(),
  chargeId: z.string().nullable(),
  refundAskedAt: z.iso.datetime().nullable(),
  refundAskedBy: z.enum(TIP_PARTIES).nullable(),
  /** When the money is captured that is held on the card; null once it was, and without that. */
  capturesAt: z.iso.datetime().nullable(),
  /** What the operator has of a refund that did not reach the giver. */
  owedToGiverCents: z.int().min(0).brand<'Cents'>(),
});

export const exportedMessages = z.object({
  transactionId: transaction.shape.id,
  message: z.string().nullable(),
  giverName: z.string().nullable(),
});

export type ExportedPayment = z.infer<typeof exportedPayment>;
export type ExportedAccount = z.infer<typeof exportedAccount>;
