/**
 * Everything that carries the product's name. A fork renames the product here and nowhere else.
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
} as const;
