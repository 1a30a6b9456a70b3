/**
 * The words of the QR-code chapter that both sides speak: what goes in, what comes out.
 */
import { z } from 'zod';
import { SERVICE_CATEGORIES } from './categories.ts';

export const serviceCategory = z.enum(SERVICE_CATEGORIES, { error: 'Please select a service category.' });

export const newQrCode = z.object({ serviceCategory });

export const qrCodeQuery = z.object({
  /** As scanned or typed; case, spaces and hyphens do not matter. */
  id: z.string({ error: 'Please enter a QR code or link' }),
});

export const qrCode = z.object({
  id: z.string().brand<'QrCodeId'>(),
  serviceCategory,
  userId: z.string().brand<'UserId'>(),
  /** The PNG picture in bare base64, without a `data:` prefix. */
  imageBase64: z.string(),
});

export const qrCodeLookup = z.object({
  qrCode: qrCode.omit({ imageBase64: true }),
  serviceProvider: z.object({ username: z.string(), fullName: z.string(), serviceCategory }),
});

export type QrCode = z.infer<typeof qrCode>;
export type QrCodeLookup = z.infer<typeof qrCodeLookup>;
