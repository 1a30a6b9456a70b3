/** Whether something is to be done about an account at Stripe, and what is said before there is one. */
import type { PayoutStatus } from '#shared/payments.ts';

export type PayoutAccount = NonNullable<PayoutStatus['account']>;

export function isWell({ chargesEnabled, payoutsEnabled, missing }: PayoutAccount): boolean {
  return chargesEnabled && payoutsEnabled && missing.length === 0;
}

/** Closed for good: its owner can complete nothing. */
export function isClosed({ disabledReason }: PayoutAccount): boolean {
  return disabledReason?.startsWith('rejected') === true;
}

export function reasonToOpen(lostAccount: PayoutStatus['lostAccount']): string {
  if (lostAccount === 'gone')
    return (
      'Your account at Stripe can’t be found any more, so nobody can tip you. ' +
      'Set up a new one: it takes a few minutes.'
    );
  if (lostAccount === 'other_platform')
    return (
      'This site has moved to another Stripe account, and yours belongs to the old one. ' +
      'Nobody can tip you until you set up a new one. What is in the old one stays yours.'
    );
  return (
    'Tips are paid by card through Stripe, which sends them on to your bank account. ' +
    'First it asks who you are, which takes a few minutes. Until then nobody can tip you.'
  );
}
