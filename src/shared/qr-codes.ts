/**
 * The words of the QR-code chapter that both sides speak: what goes in, what comes out.
 */
import { z } from 'zod';
import { SERVICE_CATEGORIES } from './categories.ts';
import { hasLetterDigitOrEmoji, MAX_NAME_LENGTH, MAX_TYPED_NAME_LENGTH } from './display-names.ts';
import { idPattern, MAX_ID_LENGTH, QR_CODE_ID } from './ids.ts';
import { messageText, shownText } from './messages.ts';

export const serviceCategory = z.enum(SERVICE_CATEGORIES, { error: 'Please select a service category.' });

export const newQrCode = z.object({ serviceCategory });

/**
 * A printed code as somebody types it. A text that cannot be a code is no invalid field but a code that is not found; the
 * pattern is for JSON Schema only.
 */
export const typedQrCodeId = z
  .string({ error: 'Please enter a QR code or link' })
  .meta({ pattern: '^[\\s-]*(?:[0-9A-TV-Za-tv-z][\\s-]*){10}$', maxLength: MAX_ID_LENGTH });

export const qrCodeQuery = z.object({
  /** As scanned or typed; case, spaces and hyphens do not matter. */
  id: typedQrCodeId,
});

/**
 * Active and paused codes are current, and a service has at most one of them. Replaced and retired ones lead nowhere, for good.
 */
export const QR_CODE_STATUSES = ['active', 'paused', 'replaced', 'retired'] as const;
export type QrCodeStatus = (typeof QR_CODE_STATUSES)[number];

const NAME_LENGTH = `Display name may have up to ${MAX_NAME_LENGTH} characters.`;
/** In characters (code points), once it is trimmed and composed. */
export const MAX_GREETING_LENGTH = 140;
const GREETING_LENGTH = `The greeting may have up to ${MAX_GREETING_LENGTH} characters.`;

const displayName = shownText('Display name', {
  maxTyped: MAX_TYPED_NAME_LENGTH,
  max: MAX_NAME_LENGTH,
  tooLong: NAME_LENGTH,
})
  .refine(
    (name) => name === '' || hasLetterDigitOrEmoji(name),
    'Display name needs a letter, a digit or an emoji.',
  )
  .meta({ maxLength: MAX_NAME_LENGTH })
  .transform((name) => name || null)
  .nullable();

const greeting = shownText('The greeting', {
  maxTyped: 4 * MAX_GREETING_LENGTH,
  max: MAX_GREETING_LENGTH,
  tooLong: GREETING_LENGTH,
})
  .meta({ maxLength: MAX_GREETING_LENGTH })
  .transform((text) => text || null)
  .nullable();

/** What givers are told as soon as they have tipped. */
const defaultThankYou = messageText('The thank-you')
  .transform((text) => text || null)
  .nullable();

/** What a provider changes of a code; what is left out stays as it is. Null or a blank text takes a text off the page. */
export const tipPageChange = z.object({
  displayName: displayName.optional(),
  greeting: greeting.optional(),
  thankYou: defaultThankYou.optional(),
  takesWords: z.boolean({ error: 'Whether a code takes words must be true or false.' }).optional(),
  status: z.enum(['active', 'paused'], { error: 'A code can be active or paused.' }).optional(),
});

export const qrCodeChange = tipPageChange.extend({ id: typedQrCodeId });

/** The most that a photo may have, as it is sent. */
export const MAX_PHOTO_BYTES = 256 * 1024;

/** JSON has no bytes: over tRPC a photo is always refused, with the address that takes it. */
export const photoOfCode = qrCodeQuery.extend({
  photo: z.instanceof(Uint8Array, { error: 'Send the photo as it is to PUT /api/qr-codes/{id}/photo.' }),
});

export const qrCode = z.object({
  id: z.string().regex(QR_CODE_ID).brand<'QrCodeId'>(),
  serviceCategory,
  userId: z.string().regex(idPattern('usr')).brand<'UserId'>(),
  /** The address that the picture carries: that of the code's tip page. */
  url: z.string().meta({ format: 'uri' }),
  /** The PNG picture in bare base64, without a `data:` prefix. */
  imageBase64: z.string(),
  status: z.enum(QR_CODE_STATUSES),
  /** Who receives the tips, as givers see it; null for the account's full name. */
  displayName: z.string().nullable(),
  greeting: z.string().nullable(),
  /** What givers are told as soon as they have tipped, unless they get an answer of their own. */
  thankYou: z.string().nullable(),
  /** Whether givers may add words to their tips. */
  takesWords: z.boolean(),
  /** Where the photo lies on this server; null without one. */
  photoUrl: z.string().nullable().meta({ format: 'uri-reference' }),
});

/** A code that leads nowhere any more, for good: it has no photo, and its picture is of no use to anybody. */
export const endedQrCode = qrCode.omit({ imageBase64: true, photoUrl: true }).extend({
  status: z.enum(['replaced', 'retired']),
});

/** How many ended codes one page may have. */
export const MAX_ENDED_PAGE = 100;
const PAGE_SIZE = `A page has 1 to ${MAX_ENDED_PAGE} codes.`;

export const endedQrCodesQuery = z.object({
  limit: z.int(PAGE_SIZE).min(1, PAGE_SIZE).max(MAX_ENDED_PAGE, PAGE_SIZE).default(20),
  /** Where the page before ended; without it, the page that was made last comes first. */
  cursor: z.string().regex(QR_CODE_ID, 'The cursor is not valid.').brand<'QrCodeId'>().nullish(),
});

export const endedQrCodes = z.object({
  codes: z.array(endedQrCode),
  /** Hand it in as `cursor` for the next page; null on the last. */
  nextCursor: z.string().nullable(),
});

export const qrCodeLookup = z.object({
  qrCode: qrCode.pick({ id: true, serviceCategory: true, userId: true, takesWords: true }).extend({
    status: z.enum(['active', 'paused']),
    /** Whether tips can be paid to its owner: always where payments are simulated. */
    isPayable: z.boolean(),
  }),
  serviceProvider: z.object({
    username: z.string(),
    fullName: z.string(),
    serviceCategory,
    ...qrCode.pick({ greeting: true, photoUrl: true }).shape,
  }),
});

export type QrCode = z.infer<typeof qrCode>;
export type EndedQrCode = z.infer<typeof endedQrCode>;
export type EndedQrCodesQuery = z.output<typeof endedQrCodesQuery>;
export type EndedQrCodes = z.infer<typeof endedQrCodes>;
export type QrCodeChange = z.output<typeof qrCodeChange>;
export type QrCodeLookup = z.infer<typeof qrCodeLookup>;
