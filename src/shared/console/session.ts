/** What the ways into the console ask for. */
import { z } from 'zod';
import { password } from '../accounts.ts';
import { isShowable } from '../display-names.ts';
import { idPattern, type PasskeyId } from '../ids.ts';
import { notShowable } from '../message-rules.ts';

const PASSKEY_ID = idPattern('psk');

const code = z.string().trim().min(1, 'Enter the code.').max(64);
const response = z.string().min(1).max(32_768);
const passkeyName = z
  .string()
  .trim()
  .min(1, 'Name the passkey.')
  .max(60, { abort: true })
  .refine(isShowable, notShowable('The name'));
const linkToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'This link is incomplete.');

export const operatorLogin = z.object({
  email: z.string().trim().min(1, 'Enter your email.').max(254),
  password: z.string().min(1, 'Enter your password.').max(512),
  code,
});
export const passkeyAnswer = z.object({ response });
export const enrolmentLink = z.object({ token: linkToken });
export const newPasskey = z.object({ response, name: passkeyName });
export const newTotp = z.object({ password, code });
export const proof = z.object({ code }).or(passkeyAnswer);
export const ownSession = z.object({ id: z.string().max(64) });
export const ownPasskey = z.object({
  id: z.custom<PasskeyId>((id) => typeof id === 'string' && PASSKEY_ID.test(id), 'There is no such passkey.'),
});
