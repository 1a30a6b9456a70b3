/** The schema of what the operator tells everybody who is logged in. */
import { z } from 'zod';

const until = z.iso.datetime().nullable();

export const announcements = z.object({
  announcement: z
    .object({
      text: z.string(),
      /** Null for one that stays until the operator ends it. */
      until,
    })
    .nullable(),
  maintenance: z
    .object({
      /** When it is expected to be over; null where that is not known. */
      until,
    })
    .nullable(),
});

export type Announcements = z.infer<typeof announcements>;
