/** Whether the site sends mail, apart from the other settings, which the tip page loads. */
import { drawnInstallation } from '../../installation.ts';

export function sendsMail(): boolean {
  return import.meta.env.SSR
    ? drawnInstallation().sendsMail
    : document.documentElement.dataset['mail'] === 'on';
}
