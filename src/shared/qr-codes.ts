/**
 * The words of the QR-code chapter that both sides speak: what goes in, what comes out.
 */
import { z } from 'zod';
import { SERVICE_CATEGORIES } from './categories.ts';
import { idPattern, MAX_ID_LENGTH, QR_CODE_ID } from './ids.ts';

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

export const qrCode = z.object({
  id: z.string().regex(QR_CODE_ID).brand<'QrCodeId'>(),
  serviceCategory,
  userId: z.string().regex(idPattern('usr')).brand<'UserId'>(),
  /** The address that the picture carries: that of the code's tip page. */
  url: z.string().meta({ format: 'uri' }),
  /** The PNG picture in bare base64, without a `data:` prefix. */
  imageBase64: z.string(),
});

export const qrCodeLookup = z.object({
  qrCode: qrCode.omit({ url: true, imageBase64: true }),
  serviceProvider: z.object({ username: z.string(), fullName: z.string(), serviceCategory }),
});

export type QrCode = z.infer<typeof qrCode>;
export type QrCodeLookup = z.infer<typeof qrCodeLookup>;
