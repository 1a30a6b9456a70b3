/**
 * The shared rules of login and registration as react-hook-form asks them. Fetched apart from the screen, which is
 * drawn before they are needed.
 */
import './zod-without-eval.ts';
import { zodResolver } from '@hookform/resolvers/zod';
import { z } from 'zod';
import { credentials, registration } from '#shared/accounts.ts';
import { serviceCategory } from '#shared/qr-codes.ts';

/** What the sign-up form holds; whether it is a registration is for the shared rules to say. */
const signUpForm = z.object({
  fullName: z.string(),
  username: z.string(),
  email: z.string(),
  phone: z.string(),
  password: z.string(),
  isServiceProvider: z.boolean(),
  serviceCategories: z.array(serviceCategory),
});

export const resolveLogin = zodResolver(credentials);
export const resolveSignUp = zodResolver(
  signUpForm.transform((values): z.input<typeof registration> => values).pipe(registration),
);
