/** Schemas of QR codes and their tip pages. */
import { z } from 'zod';
import { SERVICE_CATEGORIES } from './categories.ts';
import { hasLetterDigitOrEmoji, MAX_NAME_LENGTH, MAX_TYPED_NAME_LENGTH } from './display-names.ts';
import { idPattern, MAX_ID_LENGTH, QR_CODE_ID } from './ids.ts';
import { hasLinks, isLink } from './message-rules.ts';
import { messageText, shownText } from './messages.ts';

export const serviceCategory = z.enum(SERVICE_CATEGORIES, { error: 'Please select a service category.' });

export const newQrCode = z.object({ serviceCategory });

/** A typed code. A text that cannot be one is not invalid but not found; the pattern serves JSON Schema only. */
export const typedQrCodeId = z
  .string({ error: 'Please enter a QR code or link' })
  .meta({ pattern: '^[\\s-]*(?:[0-9A-TV-Za-tv-z][\\s-]*){10}$', maxLength: MAX_ID_LENGTH });

export const qrCodeQuery = z.object({
  id: typedQrCodeId,
});

/** At most one code for each service is active or paused. Replaced and retired codes stay so. */
export const QR_CODE_STATUSES = ['active', 'paused', 'replaced', 'retired'] as const;
export type QrCodeStatus = (typeof QR_CODE_STATUSES)[number];

const NAME_LENGTH = `Display name may have up to ${MAX_NAME_LENGTH} characters.`;
/** Code points, trimmed and composed. */
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
  .refine((name) => !isLink(name), hasLinks('Display name'))
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

const defaultThankYou = messageText('The thank-you')
  .transform((text) => text || null)
  .nullable();

/** Omitted fields stay; null or a blank text removes a text. */
export const tipPageChange = z.object({
  displayName: displayName.optional(),
  greeting: greeting.optional(),
  thankYou: defaultThankYou.optional(),
  takesWords: z.boolean({ error: 'Whether a code takes words must be true or false.' }).optional(),
  isListed: z.boolean({ error: 'Whether a code is listed must be true or false.' }).optional(),
  status: z.enum(['active', 'paused'], { error: 'A code can be active or paused.' }).optional(),
});

export const qrCodeChange = tipPageChange.extend({ id: typedQrCodeId });

export const MAX_PHOTO_BYTES = 256 * 1024;

/** JSON has no bytes, so tRPC always refuses a photo and names the REST path. */
export const photoOfCode = qrCodeQuery.extend({
  photo: z.instanceof(Uint8Array, { error: 'Send the photo as it is to PUT /api/qr-codes/{id}/photo.' }),
});

export const qrCode = z.object({
  id: z.string().regex(QR_CODE_ID).brand<'QrCodeId'>(),
  serviceCategory,
  userId: z.string().regex(idPattern('usr')).brand<'UserId'>(),
  url: z.string().meta({ format: 'uri' }),
  /** A PNG in base64 without a `data:` prefix. */
  imageBase64: z.string(),
  status: z.enum(QR_CODE_STATUSES),
  /** The name that givers see; null for the account's full name. */
  displayName: z.string().nullable(),
  greeting: z.string().nullable(),
  /** Shown to a giver after the tip, unless the receiver answers. */
  thankYou: z.string().nullable(),
  takesWords: z.boolean(),
  isListed: z.boolean(),
  photoUrl: z.string().nullable().meta({ format: 'uri-reference' }),
});

/** A replaced or retired code, which has no photo and no useful picture. */
export const endedQrCode = qrCode.omit({ imageBase64: true, photoUrl: true }).extend({
  status: z.enum(['replaced', 'retired']),
});

export const MAX_ENDED_PAGE = 100;
const PAGE_SIZE = `A page has 1 to ${MAX_ENDED_PAGE} codes.`;

export const endedQrCodesQuery = z.object({
  limit: z.int(PAGE_SIZE).min(1, PAGE_SIZE).max(MAX_ENDED_PAGE, PAGE_SIZE).default(20),
  cursor: z.string().regex(QR_CODE_ID, 'The cursor is not valid.').brand<'QrCodeId'>().nullish(),
});

export const endedQrCodes = z.object({
  codes: z.array(endedQrCode),
  nextCursor: z.string().nullable(),
});

export const qrCodeLookup = z.object({
  qrCode: qrCode.pick({ id: true, serviceCategory: true, userId: true, takesWords: true }).extend({
    status: z.enum(['active', 'paused']),
    /** Whether tips can be paid to its owner; always true for simulated payments. */
    isPayable: z.boolean(),
  }),
  serviceProvider: z.object({
    username: z.string(),
    fullName: z.string(),
    serviceCategory,
    ...qrCode.pick({ greeting: true, photoUrl: true }).shape,
  }),
});

/** A text that is no username is not invalid but not found. */
export const providerQuery = z.object({ username: z.string({ error: 'The username must be text.' }) });

/** What a provider shows under `/@username`: the codes that are listed there. */
export const providerPage = z.object({
  username: z.string(),
  fullName: z.string(),
  codes: z.array(
    qrCode.pick({ id: true, serviceCategory: true, url: true, greeting: true, photoUrl: true }).extend({
      name: z.string(),
      status: z.enum(['active', 'paused']),
    }),
  ),
});

export type ProviderPage = z.infer<typeof providerPage>;
export type QrCode = z.infer<typeof qrCode>;
export type EndedQrCode = z.infer<typeof endedQrCode>;
export type EndedQrCodesQuery = z.output<typeof endedQrCodesQuery>;
export type EndedQrCodes = z.infer<typeof endedQrCodes>;
export type QrCodeChange = z.output<typeof qrCodeChange>;
export type QrCodeLookup = z.infer<typeof qrCodeLookup>;
