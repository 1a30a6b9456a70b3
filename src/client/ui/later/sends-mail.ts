/** Whether the site sends mail. It stands here because the tip page loads the other settings of the operator. */
import { drawnInstallation } from '../../installation.ts';

export function sendsMail(): boolean {
  return import.meta.env.SSR
    ? drawnInstallation().sendsMail
    : document.documentElement.dataset['mail'] === 'on';
}
