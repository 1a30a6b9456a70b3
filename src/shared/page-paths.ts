/**
 * The path of every page: the server answers it, and a screen of the client stands at it.
 */
export const PAGE_PATHS = {
  home: '/',
  auth: '/auth',
  dashboard: '/dashboard',
  scan: '/scan',
  statement: '/statement',
} as const;

/** The path of a tip page, up to the code that it ends with. */
export const TIP_PREFIX = '/tip/';

/** The path of a transaction's receipt, up to its id. */
export const TRANSACTION_PREFIX = '/transactions/';

/** The path of a guest's receipt, up to its token. */
export const GUEST_RECEIPT_PREFIX = '/r/';

/** The path of a tip page's photo, up to its name. */
export const PHOTO_PREFIX = '/photos/';

/** Where a form that works without a script sends a typed code or link, as `code` of the query. */
export const CODE_FORM_PATH = '/tip';
