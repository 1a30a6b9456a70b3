/** The operator's settings, which every page has on its root element. */
import { putInForce, SPECIFIED_TERMS } from '#shared/money.ts';
import { termsFrom } from '#shared/page-terms.ts';
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
  terms: SPECIFIED_TERMS,
  maintenance: null,
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

/** Lets the terms of the page hold; called before anything is drawn. */
export function readTerms(): void {
  putInForce(termsFrom(document.documentElement.dataset['tipTerms']));
}

/** The installation that the renderer draws for; a browser reads its page instead. */
export function drawnInstallation(): Installation {
  return drawnFor;
}

/** Renders synchronously for this installation. */
export function drawFor<Drawn>(installation: Installation, draw: () => Drawn): Drawn {
  drawnFor = installation;
  putInForce(installation.terms);
  return draw();
}
