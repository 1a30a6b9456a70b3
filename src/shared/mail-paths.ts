/** Where links in mails lead. Apart from page-paths.ts, which every page loads. */
export const LINK_PATHS = {
  /** With a token in the fragment; without one, the page that asks for a link. */
  reset: '/reset',
  /** With a token in the fragment. */
  confirm: '/confirm',
} as const;

/** Links in monthly statements end them here. */
export const UNSUBSCRIBE_PREFIX = '/unsubscribe/';
