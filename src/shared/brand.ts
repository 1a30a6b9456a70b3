/**
 * The product's name. An operator names an installation by BRAND_NAME and BRAND_SENTENCE; a fork renames it here, in
 * software.ts, in the client's index.html and manifest, and in deploy/.
 */
import { SOFTWARE } from './software.ts';

declare global {
  /** What the operator has set, settled by the server before it loads any module that names the product. */
  var installedBrand: { readonly brand?: string; readonly sentence?: string } | undefined;
}

export const DEFAULT_SENTENCE = 'Join the future of cashless tipping';

/** In a browser the build puts the data of the root element here, which says what differs from the default. */
const set = globalThis.installedBrand;

export const brand = {
  name: set?.['brand'] ?? SOFTWARE,
  tagline: set?.['sentence'] ?? DEFAULT_SENTENCE,
  /** The scheme of links such as `tipwell://tip/{userId}/{category}`. */
  linkScheme: 'tipwell',
  tokenStorageKey: 'tipwell_token',
} as const;

// Apart from the others, because no page needs them.

/** Shown by search engines and shared links. */
export const BRAND_DESCRIPTION =
  'Get tipped by QR code. A customer scans, picks an amount and pays; you see it arrive at once.';

/** The cookie with device marks (OWASP: device cookie). */
export const DEVICE_COOKIE = 'tipwell_device';
