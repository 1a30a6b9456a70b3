/** What API keys may do, without the schema library, so that a page can name it. */

/** What a key may be allowed. Giving tips, and the care of the account and its keys, are no scopes. */
export const API_SCOPES = ['tips:read', 'tips:refund', 'codes:read', 'codes:write', 'records:read'] as const;
export type ApiScope = (typeof API_SCOPES)[number];

export const SCOPE_LABELS: Readonly<Record<ApiScope, string>> = {
  'tips:read': 'See your tips',
  'tips:refund': 'Refund tips',
  'codes:read': 'See and print your QR codes',
  'codes:write': 'Create and change your QR codes',
  'records:read': 'See your totals and earnings',
};

/** What the text of every key begins with, by which scanners of secrets know it. */
export const API_KEY_PREFIX = 'tw_live_';
/** The most keys of an account, expired ones that are still listed included. */
export const MAX_API_KEYS = 20;
