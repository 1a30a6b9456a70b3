/** The shared schemas as resolvers of react-hook-form. A chunk of their own: the screen can be drawn without them. */
import '../ui/later/zod-without-eval.ts';
import { zodResolver } from '@hookform/resolvers/zod';
import { z } from 'zod';
import { credentials, registration } from '#shared/accounts.ts';
import { serviceCategory } from '#shared/qr-codes.ts';

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
