/** What an operator can do to an account that goes on, as its owner reads it. */
export const ACCOUNT_ACTS = [
  'password_reset',
  'logins_unlocked',
  'sessions_ended',
  'api_keys_ended',
] as const;
