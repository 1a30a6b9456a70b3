/** The shared schema of a changed profile as resolvers of react-hook-form. It comes with the forms that need it. */
import '../../ui/later/zod-without-eval.ts';
import { zodResolver } from '@hookform/resolvers/zod';
import { z } from 'zod';
import { closing, NO_SERVICE, profileChange } from '#shared/accounts.ts';
import { serviceCategory } from '#shared/qr-codes.ts';

const details = z.object({
  fullName: z.string(),
  username: z.string(),
  email: z.string(),
  phone: z.string(),
  currentPassword: z.string(),
});

/** @param email the present one: the password is asked for with another one only. */
export function resolveDetails(email: string) {
  return zodResolver(
    details
      .transform(({ currentPassword, ...rest }): z.input<typeof profileChange> => {
        const isOther = rest.email.trim() !== email;
        return isOther ? { ...rest, currentPassword } : rest;
      })
      .pipe(profileChange),
  );
}

const chosenServices = z.object({ serviceCategories: z.array(serviceCategory).min(1, NO_SERVICE) });

export const resolveServices = zodResolver(chosenServices);

export const resolveClosing = zodResolver(closing);
