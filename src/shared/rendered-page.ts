/**
 * What the server and the renderer of the client say to each other about a page that arrives rendered. The server knows
 * no component, and the renderer no request.
 */
import type { PaymentMode } from './payments.ts';
import type { QrCodeLookup } from './qr-codes.ts';

/** What came of looking a code up. */
export type Lookup =
  | { readonly kind: 'found'; readonly found: QrCodeLookup }
  | { readonly kind: 'unknown' }
  /** The service has another code now, which is told to nobody who has this one. */
  | { readonly kind: 'replaced' }
  /** The service of the code was given up. */
  | { readonly kind: 'retired' }
  /** It could not be looked up; `detail` is what the server said, if it said something. */
  | { readonly kind: 'failed'; readonly detail: string | null };

/** Where a page stands, as a browser tells it: still encoded, the search with its question mark. */
export interface Address {
  readonly pathname: string;
  readonly search: string;
}

/** What of the operator's settings pages depend on. */
export interface Installation {
  /** How tips are paid. */
  readonly paymentMode: PaymentMode;
  /** Whether tips can be given without an account. */
  readonly takesGuestTips: boolean;
}

export interface PageRequest extends Address {
  /** The only origin and path that absolute addresses are built on; without a trailing slash. */
  readonly publicUrl: string;
  readonly installation: Installation;
  /** What came of looking up the code that the address names; null for a demo code. */
  readonly lookup: Lookup | null;
}

export interface RenderedPage {
  readonly status: 200 | 404 | 410 | 503;
  /** HTML for the head: the title, and what a shared link shows. */
  readonly head: string;
  /** HTML for the place of the client. */
  readonly body: string;
  /** HTML of a data block: what the client would have asked for. */
  readonly data: string;
}

/** What the client tells of its pages. Nothing here throws for what somebody may put into an address. */
export interface Renderer {
  /**
   * What the address of a tip page names as its code, as it was typed; null for a demo code. It has to be looked up first:
   * what else the address says counts only when there is no such code.
   */
  readonly codeIn: (address: Address) => string | null;
  /**
   * Reduces an address to what it means: an address of the same page, and the same one for all that mean the same.
   * @param lookup what came of looking its code up; null for a demo code.
   */
  readonly reduce: (address: Address, lookup: Lookup['kind'] | null) => Address;
  /** The page at an address, reduced or not. Any but a tip page's and the login's is taken for the landing page's. */
  readonly render: (request: PageRequest) => RenderedPage;
  /** The page that browsers keep for when there is no connection. */
  readonly renderOffline: () => RenderedPage;
}
