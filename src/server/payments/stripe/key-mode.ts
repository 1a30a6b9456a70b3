import type { PaidMode } from '#shared/payments.ts';

/** Test and live keys: https://docs.stripe.com/keys. @param secretKey `sk_live_...`, `rk_test_...` and the like. */
export function modeOfKey(secretKey: string): PaidMode {
  return /^[rs]k_live_/.test(secretKey) ? 'live' : 'test';
}
