/** The operator's settings, which every page has on its root element. */
import type { PaymentMode } from '#shared/payments.ts';
import type { Installation } from '#shared/rendered-page.ts';

/** The renderer has no page to read; it sets this before each drawing. */
let drawnFor: Installation = {
  paymentMode: 'simulated',
  takesGuestTips: false,
  operatorContact: '',
  sendsMail: false,
  registration: 'open',
  hasTerms: false,
};

/** Simulated when the page does not say it. */
export function paymentMode(): PaymentMode {
  if (import.meta.env.SSR) return drawnFor.paymentMode;
  const told = document.documentElement.dataset['payments'];
  return told === 'test' || told === 'live' ? told : 'simulated';
}

export function takesGuestTips(): boolean {
  if (import.meta.env.SSR) return drawnFor.takesGuestTips;
  return document.documentElement.dataset['guests'] === 'on';
}

/** What the renderer draws for; a browser reads its page instead. */
export function drawnInstallation(): Installation {
  return drawnFor;
}

/** Renders synchronously for this installation. */
export function drawFor<Drawn>(installation: Installation, draw: () => Drawn): Drawn {
  drawnFor = installation;
  return draw();
}
