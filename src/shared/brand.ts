/**
 * The product's name and what is made of it. A fork renames it here, in the client's index.html and manifest,
 * and in deploy/.
 */
export const brand = {
  name: 'Tipwell',
  tagline: 'Join the future of cashless tipping',
  /** The scheme of links such as `tipwell://tip/{userId}/{category}`. */
  linkScheme: 'tipwell',
  /** The local storage key of the session token. */
  tokenStorageKey: 'tipwell_token',
} as const;

// Apart from the others, because no page needs them.

/** Shown by search engines and shared links. */
export const BRAND_DESCRIPTION =
  'Get tipped by QR code. A customer scans, picks an amount and pays; you see it arrive at once.';

/** The cookie that marks devices on which an account was logged in to. */
export const DEVICE_COOKIE = 'tipwell_device';
