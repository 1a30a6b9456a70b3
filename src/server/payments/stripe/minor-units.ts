/**
 * Amounts as Stripe takes them: in the smallest unit, but for two currencies that have lost their decimals
 * and keep them there (https://docs.stripe.com/currencies#special-cases).
 */
import { terms } from '#shared/money.ts';

const WITH_LOST_DECIMALS = ['ISK', 'UGX'];

const factor = () => (WITH_LOST_DECIMALS.includes(terms().currency) ? 100 : 1);

export const stripeCurrency = (): string => terms().currency.toLowerCase();
export const toStripe = (cents: number): number => cents * factor();
export const fromStripe = (amount: number): number => amount / factor();
