/** The schema of what the operator tells everybody who is logged in, and one whose account is suspended. */
import { z } from 'zod';

/** In characters; longer ones would push what people came for off a phone's screen. */
export const MAX_ANNOUNCEMENT_LENGTH = 280;

const until = z.iso.datetime().nullable();

export const announcements = z.object({
  announcement: z
    .object({
      text: z.string(),
      from: z.iso.datetime(),
      /** Null for one that stays until the operator ends it. */
      until,
    })
    .nullable(),
  maintenance: z
    .object({
      until,
    })
    .nullable(),
  /** Null unless the account that asks is suspended. */
  suspension: z
    .object({
      since: z.iso.datetime(),
      reason: z.string(),
    })
    .nullable(),
});

export type Announcements = z.infer<typeof announcements>;
