import type { PayoutAccount } from '../port/payments.ts';

/** The platform of payout accounts from before it was stored. */
const UNKNOWN_PLATFORM = '';

export function payoutAccountRow({ missing, platform, ...account }: PayoutAccount) {
  return { ...account, platform: platform ?? UNKNOWN_PLATFORM, missing: missing.join(' ') };
}

export function payoutAccountOf({
  missing,
  platform,
  ...account
}: ReturnType<typeof payoutAccountRow>): PayoutAccount {
  return {
    ...account,
    platform: platform === UNKNOWN_PLATFORM ? null : platform,
    missing: missing.split(' ').filter((part) => part !== ''),
  };
}
