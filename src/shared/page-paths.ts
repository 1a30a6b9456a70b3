/** The path of every page: the server answers it, and a screen of the client stands at it. */
export const PAGE_PATHS = {
  home: '/',
  auth: '/auth',
  dashboard: '/dashboard',
  scan: '/scan',
  statement: '/statement',
} as const;

export const TIP_PREFIX = '/tip/';

/** The code in the path of a tip page, decoded once; undecoded when decoding fails. */
export function qrIdFrom(pathname: string): string {
  const segment = pathname.split('/')[2] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A provider's public page is the username after this. */
export const PROVIDER_PREFIX = '/@';

export const TRANSACTION_PREFIX = '/transactions/';

export const GUEST_RECEIPT_PREFIX = '/r/';

export const PHOTO_PREFIX = '/photos/';

/** A form without script sends a typed code here as `code` in the query. */
export const CODE_FORM_PATH = '/tip';
