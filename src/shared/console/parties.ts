/** People and acts as operators see them beside a tip or a code. */
import { z } from 'zod';

/** Of an account; a suspended one may be closing, too. */
const ACCOUNT_STATES = ['open', 'suspended', 'closing', 'closed'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export const party = z.object({
  id: z.string().brand<'UserId'>(),
  fullName: z.string(),
  /** Null for a closed account, as is the email. */
  username: z.string().nullable(),
  email: z.string().nullable(),
  state: z.enum(ACCOUNT_STATES),
});
export type Party = z.infer<typeof party>;

export const actDone = z.object({
  text: z.string(),
  by: z.string(),
  reason: z.string().nullable(),
  at: z.iso.datetime(),
});
export type ActDone = z.infer<typeof actDone>;
