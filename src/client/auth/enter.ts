import type { Credentials } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { api } from '../api/api.ts';
import { beginSession } from '../session/session.ts';
import { toastSuccess } from '../toasts.ts';

/** The subject of the toasts of which the later one takes the place of the earlier. */
export const ACCOUNT = 'account';

export const LOGIN_FAILED = 'Login failed. Please try again.';

/**
 * Logs in, begins the session on this device and says welcome; to somebody who was closing their account it says that the account
 * stays.
 * @throws the error of the call.
 */
export async function enter(credentials: Credentials): Promise<void> {
  const { accessToken, user, reopened } = await api.auth.login.mutate(credentials);
  beginSession(accessToken, user);
  const welcome = reopened
    ? 'Welcome back. Your account stays open.'
    : `Welcome to ${brand.name}, ${user.fullName}!`;
  toastSuccess(welcome, ACCOUNT);
}
