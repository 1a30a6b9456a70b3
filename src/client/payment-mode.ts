import type { PaymentMode } from '#shared/payments.ts';

/** What the renderer draws for at the moment, which has no page that says it. */
let drawnFor: PaymentMode = 'simulated';

/** How tips are paid here, as the server says in the page; simulated where it says nothing. */
export function paymentMode(): PaymentMode {
  if (typeof document === 'undefined') return drawnFor;
  const told = document.documentElement.dataset['payments'];
  return told === 'test' || told === 'live' ? told : 'simulated';
}

/** Draws a page on the server, at once, for an installation where tips are paid so. */
export function drawFor<Drawn>(mode: PaymentMode, draw: () => Drawn): Drawn {
  drawnFor = mode;
  return draw();
}
