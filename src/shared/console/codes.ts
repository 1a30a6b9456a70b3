/** Schemas of codes as operators see them. */
import { z } from 'zod';
import { QR_CODE_STATUSES, serviceCategory } from '../qr-codes.ts';
import { actDone, party } from './parties.ts';

const NO_NAME = 'Enter a code, or the link that it leads to.';

const codeName = z.string({ error: NO_NAME }).trim().min(1, NO_NAME).max(500, NO_NAME);

export const codeQuery = z.object({ name: codeName });

export const foundCode = z.object({
  id: z.string().brand<'QrCodeId'>(),
  url: z.url(),
  status: z.enum(QR_CODE_STATUSES),
  serviceCategory,
  name: z.string(),
  owner: party,
  createdAt: z.iso.datetime(),
  acts: z.array(actDone),
});
export type FoundCode = z.infer<typeof foundCode>;
