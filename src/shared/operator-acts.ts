/** What an operator did to an account, as its owner reads it. */
import { z } from 'zod';

export const ACCOUNT_ACTS = [
  'password_reset',
  'logins_unlocked',
  'sessions_ended',
  'api_keys_ended',
  'account_suspended',
  'suspension_lifted',
  'code_stopped',
  'password_link_made',
  'factors_removed',
  'account_exported',
] as const;
export type AccountAct = (typeof ACCOUNT_ACTS)[number];

export const operatorAct = z.object({
  action: z.enum(ACCOUNT_ACTS),
  text: z.string(),
  reason: z.string().nullable(),
  at: z.iso.datetime(),
});
export type OperatorAct = z.infer<typeof operatorAct>;
