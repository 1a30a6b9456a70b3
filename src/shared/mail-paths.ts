/** Where links in mails lead. Apart from page-paths.ts, which every page loads. */
export const LINK_PATHS = {
  /** With a token in the fragment; without one, the page that asks for a link. */
  reset: '/reset',
  confirm: '/confirm',
} as const;

export const UNSUBSCRIBE_PREFIX = '/unsubscribe/';
