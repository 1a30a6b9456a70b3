import type { PaymentMode } from '#shared/payments.ts';

/** How tips are paid here, as the server says in the page; simulated where it says nothing. */
export function paymentMode(): PaymentMode {
  const told = typeof document === 'undefined' ? undefined : document.documentElement.dataset['payments'];
  return told === 'test' || told === 'live' ? told : 'simulated';
}
