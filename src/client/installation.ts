/** What the operator has set up here, as every page says it on its root element. */
import type { PaymentMode } from '#shared/payments.ts';
import type { Installation } from '#shared/rendered-page.ts';

/** What the renderer draws for at the moment, which has no page that says it. */
let drawnFor: Installation = { paymentMode: 'simulated', takesGuestTips: false };

/** How tips are paid here; simulated where the page says nothing. */
export function paymentMode(): PaymentMode {
  if (import.meta.env.SSR) return drawnFor.paymentMode;
  const told = document.documentElement.dataset['payments'];
  return told === 'test' || told === 'live' ? told : 'simulated';
}

/** Whether tips can be given without an account. */
export function takesGuestTips(): boolean {
  if (import.meta.env.SSR) return drawnFor.takesGuestTips;
  return document.documentElement.dataset['guests'] === 'on';
}

/** Draws a page on the server, at once, for this installation. */
export function drawFor<Drawn>(installation: Installation, draw: () => Drawn): Drawn {
  drawnFor = installation;
  return draw();
}
