/**
 * The words of an account's export: how it is asked for, the pieces in which it comes, and what its file about the account holds.
 */
import { z } from 'zod';
import { session, user } from './accounts.ts';
import { notificationDevice } from './notifications.ts';
import { PAID_MODES, PAYMENT_MODES, PAYMENT_STATES } from './payments.ts';
import { qrCode } from './qr-codes.ts';
import { TIP_PARTIES, timeZone } from './records.ts';
import { blockedGiver, transaction } from './tips.ts';

export const exportRequest = z
  .object({
    /** Decides the dates and times of the file for spreadsheets. */
    timeZone: timeZone.default('UTC'),
  })
  .optional();

/** What an export says first: under which name its bytes are to be saved. */
export interface ExportStart {
  /** In ASCII. */
  readonly fileName: string;
}

/** Some bytes of the archive, in base64; all of them in their order make the file. */
export interface ExportPiece {
  readonly base64: string;
}

/** All that is stored about an account, beside its transactions, its payments and its pictures. */
export const exportedAccount = z.object({
  ...user.omit({ mustChangePassword: true }).shape,
  /** The usernames that the account had before. */
  formerUsernames: z.array(z.string()),
  /** Where the account is logged in. */
  sessions: z.array(session),
  /** The devices that get notices of tips, the newest first. */
  noticeDevices: z.array(notificationDevice),
  /** The current ones, oldest first. */
  qrCodes: z.array(
    z.object({
      ...qrCode.pick({ id: true, serviceCategory: true, url: true, status: true }).shape,
      ...qrCode.pick({ displayName: true, greeting: true, thankYou: true, takesWords: true }).shape,
      /** The file of the archive with the picture of the code. */
      pictureFile: z.string(),
      /** The file of the archive with the photo of the tip page; null without one. */
      photoFile: z.string().nullable(),
    }),
  ),
  /** The thank-yous that the account keeps ready. */
  readyThankYous: z.array(z.string()),
  /** The givers from whom the account takes no tips, under their pseudonyms. */
  blockedGivers: z.array(
    z.object({
      ...blockedGiver.omit({ tip: true }).shape,
      /** The tip by which the giver was blocked. */
      transactionId: transaction.shape.id,
    }),
  ),
  /** The account's own at the payment service, at which its tips arrive: one for test money, and one for money. */
  payoutAccounts: z.array(
    z.object({
      paymentMode: z.enum(PAID_MODES),
      /** How the payment service names it. */
      accountId: z.string(),
      /** Whether tips can be paid to it. */
      chargesEnabled: z.boolean(),
      /** What its owner is asked for, as the payment service names it. */
      missing: z.array(z.string()),
    }),
  ),
  createdAt: z.iso.datetime(),
  exportedAt: z.iso.datetime(),
});

/** A payment that an account began at the payment service, whatever became of it. */
export const exportedPayment = z.object({
  /** Of the tip that it is of; there is no such tip unless it was paid. */
  transactionId: transaction.shape.id,
  state: z.enum(PAYMENT_STATES),
  paymentMode: z.enum(PAYMENT_MODES).exclude(['simulated']),
  ...transaction.pick({ qrCodeId: true, serviceCategory: true, amountCents: true, giverFeeCents: true })
    .shape,
  createdAt: z.iso.datetime(),
  /** When the payment moved last, or a refund of it was asked for. */
  changedAt: z.iso.datetime(),
  /** Until when it could be paid. */
  expiresAt: z.iso.datetime(),
  /** How the payment service names the page on which it was to be paid, and where that was; null when there was none. */
  checkoutId: z.string().nullable(),
  checkoutUrl: z.url().nullable(),
  /** How the payment service names the charge; null when it was not paid. */
  chargeId: z.string().nullable(),
  /** When a refund was asked for, and by whom; null when nobody did. */
  refundAskedAt: z.iso.datetime().nullable(),
  refundAskedBy: z.enum(TIP_PARTIES).nullable(),
});

/** What an account wrote with a tip that it gave. */
export const exportedMessages = z.object({
  transactionId: transaction.shape.id,
  message: z.string().nullable(),
  /** The name under which the tip was given. */
  giverName: z.string().nullable(),
});

export type ExportedPayment = z.infer<typeof exportedPayment>;
export type ExportedAccount = z.infer<typeof exportedAccount>;
