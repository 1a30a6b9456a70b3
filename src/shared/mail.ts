/** Schemas of mails: the links in them, and what an account's owner is mailed. */
import { z } from 'zod';
import { email, password } from './accounts.ts';
import { timeZone } from './records.ts';
import { transactionQuery } from './tips.ts';

/** The token of a link: 256 random bits. */
const LINK_TOKEN = /^[\w-]{43}$/;

const NO_LINK = 'The link is not complete. Please open it again from the email.';

const linkToken = z.string({ error: NO_LINK }).regex(LINK_TOKEN, NO_LINK);

export const forgottenPassword = z.object({ email });

export const passwordReset = z.object({ token: linkToken, newPassword: password });

export const emailConfirmation = z.object({ token: linkToken });

export const receiptRequest = z.object({
  id: transactionQuery.shape.id,
  /** Where a guest gets the receipt; whoever is logged in gets it at their own confirmed email. */
  email: email.optional(),
  timeZone: timeZone.optional().transform((name) => name ?? 'UTC'),
});

export const mailSettings = z.object({
  email: z.string(),
  /** Null for an email that was never confirmed. */
  confirmedAt: z.iso.datetime().nullable(),
  /** What the mail server said when it refused the email; null while it takes mails. */
  refusal: z.string().nullable(),
  refusedAt: z.iso.datetime().nullable(),
  monthlyStatement: z.boolean(),
  /** That of monthly statements; UTC until one is chosen. */
  timeZone: z.string(),
});

export const mailSettingsChange = z.object({
  monthlyStatement: z.boolean({ error: 'Please say whether you want a monthly statement.' }),
  /** Left out, it stays as it is. */
  timeZone: timeZone.optional(),
});

export type PasswordReset = z.output<typeof passwordReset>;

export type MailSettings = z.infer<typeof mailSettings>;
export type MailSettingsChange = z.output<typeof mailSettingsChange>;
