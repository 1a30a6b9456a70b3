/** Makes the mails that steps of the storage add to the outbox, and reads what they tell of. */
import { z } from 'zod';
import { type DraftMail, type MailKind, type NewMail, WAYS_IN } from '#server/storage/port/mails.ts';
import { API_SCOPES } from '#shared/api-scopes.ts';
import { type Clock, knownTimeZone } from '#shared/calendar.ts';
import { newMailId, type RandomBytes } from '#shared/ids.ts';
import { FACTOR_CHANGES } from '#shared/second-factors.ts';

export const createDrafts =
  (clock: Clock, random: RandomBytes) =>
  (kind: MailKind, content: object = {}): NewMail => ({
    id: newMailId(random),
    kind,
    content: JSON.stringify(content),
    createdAtMs: clock(),
  });

/** For an installation that sends no mail. */
export const NO_DRAFTS: DraftMail = () => undefined;

const timeZone = z.string().transform(knownTimeZone);

export const newDeviceContent = z.object({ device: z.string() });
export const closingContent = z.object({ closesAtMs: z.number() });
export const passwordChangedContent = z.object({
  ended: z.array(z.enum(WAYS_IN)).default([]),
  keepsPayouts: z.boolean().default(false),
});
export const receiptContent = z.object({ transactionId: z.string(), timeZone });
export const keyMadeContent = z.object({
  name: z.string(),
  scopes: z.array(z.enum(API_SCOPES)),
  expiresAtMs: z.number(),
});
export const factorChangedContent = z.object({ change: z.enum(FACTOR_CHANGES) });
/** A month such as 2026-05. */
export const statementContent = z.object({ month: z.string(), timeZone });
export const suspendedContent = z.object({ reason: z.string() });
export const webhookOffContent = z.object({ host: z.string(), reason: z.enum(['failed', 'gone']) });
