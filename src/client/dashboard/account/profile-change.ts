/** The shared schemas of a profile as resolvers of react-hook-form, and the call that changes a profile. */
import '../../ui/later/zod-without-eval.ts';
import { zodResolver } from '@hookform/resolvers/zod';
import { z } from 'zod';
import { closing, NO_SERVICE, type ProfileChange, profileChange, type User } from '#shared/accounts.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { serviceCategory } from '#shared/qr-codes.ts';
import { api, failureOf } from '../../api-client/api.ts';
import { become, presentSession } from '../../session/session.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';

const details = z.object({
  fullName: z.string(),
  username: z.string(),
  email: z.string(),
  phone: z.string(),
  currentPassword: z.string(),
});

/** @param email the present one: only another one needs the password. */
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

/** The function that it returns throws the error of the call, unless only its answer was lost. */
export function useChangeProfile(): (change: ProfileChange) => Promise<void> {
  const utils = trpc.useUtils();
  return async (change) => {
    try {
      showChangedUser(await withPassword(() => api.auth.updateProfile.mutate(change)));
    } catch (error) {
      const present = failureOf(error).status === null && (await api.auth.me.query().catch(() => null));
      if (!present) throw error;
      showChangedUser(present);
      if (!isAsChanged(present, change)) throw error;
    }
    // A service that is no longer offered takes its code along.
    void utils.invalidate();
  };
}

function isAsChanged(present: User, { currentPassword: _, ...change }: ProfileChange): boolean {
  const facts: Readonly<Record<string, unknown>> = present;
  const spelled = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  return Object.entries(change).every(([name, value]) => spelled(facts[name]) === spelled(value));
}

/**
 * Changes the services of a provider, or of a customer who becomes one, from those that the server knows: another device
 * may have added one, whose code would be retired for good. The function that it returns throws the error of a call.
 */
export function useChangeServices(): (
  after: (offered: readonly ServiceCategory[]) => ServiceCategory[],
) => Promise<void> {
  const change = useChangeProfile();
  return async (after) => {
    const present = await api.auth.me.query();
    showChangedUser(present);
    await change({ isServiceProvider: true, serviceCategories: after(present.serviceCategories) });
  };
}

function showChangedUser(user: User): void {
  const session = presentSession();
  if (session.status === 'signed-in' && session.user.id === user.id) become({ ...session, user });
}
