/**
 * The product's name, and all that is made of it. A fork renames the product here; only what no module can reach says it
 * again: the client's index.html and manifest, and the files in deploy/.
 */
export const brand = {
  name: 'Tipwell',
  tagline: 'Join the future of cashless tipping',
  /** What search engines and shared links say below the name. */
  description:
    'Get tipped by QR code. A customer scans, picks an amount and pays; you see it arrive at once.',
  /** Scheme of links such as `tipwell://tip/{userId}/{category}`. */
  linkScheme: 'tipwell',
  /** Local storage key under which the web client keeps its session token. */
  tokenStorageKey: 'tipwell_token',
  /** Name of the cookie that tells the server on which devices an account was logged in to before. */
  deviceCookie: 'tipwell_device',
} as const;
