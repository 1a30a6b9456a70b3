/** Who may make an account, apart from the other settings, which the tip page loads. */
import type { RegistrationMode } from '#shared/registration-mode.ts';
import { drawnInstallation } from '../../installation.ts';

export const NO_NEW_ACCOUNTS = 'This site isn’t taking new accounts.';

/** Open when the page does not say it. */
export function registrationMode(): RegistrationMode {
  if (import.meta.env.SSR) return drawnInstallation().registration;
  const told = document.documentElement.dataset['registration'];
  return told === 'invite' || told === 'closed' ? told : 'open';
}
