/** What the server and the client's renderer exchange: the server knows no component, the renderer no request. */
import type { Terms } from './money.ts';
import type { PaymentMode } from './payments.ts';
import type { ProviderPage, QrCodeLookup } from './qr-codes.ts';
import type { RegistrationMode } from './registration-mode.ts';

export type Lookup =
  | { readonly kind: 'found'; readonly found: QrCodeLookup }
  | { readonly kind: 'unknown' }
  /** The service has another code, which is not told to whoever has this one. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'retired' }
  /** The look-up failed; `detail` is the server's sentence, if there is one. */
  | { readonly kind: 'failed'; readonly detail: string | null };

/** An address as a browser has it: encoded, the search with its question mark. */
export interface Address {
  readonly pathname: string;
  readonly search: string;
}

/** Maintenance that the operator has begun: reads go on, and no money moves. */
export interface Maintenance {
  /** When it is expected to be over, in milliseconds since 1970; null where that is not known. */
  readonly untilMs: number | null;
}

export interface Installation {
  readonly paymentMode: PaymentMode;
  readonly takesGuestTips: boolean;
  /** The setting as the operator wrote it; empty for none. */
  readonly operatorContact: string;
  readonly sendsMail: boolean;
  readonly registration: RegistrationMode;
  /** Whether whoever registers accepts terms of use. */
  readonly hasTerms: boolean;
  readonly terms: Terms;
  readonly maintenance: Maintenance | null;
}

export interface PageRequest extends Address {
  /** The base of absolute addresses, without a trailing slash. */
  readonly publicUrl: string;
  readonly installation: Installation;
  /** The look-up of the address's code; null for a demo code. */
  readonly lookup: Lookup | null;
}

export interface RenderedPage {
  readonly status: 200 | 404 | 410 | 503;
  /** HTML: the title and the preview of a shared link. */
  readonly head: string;
  readonly body: string;
  /** HTML of a data block, which saves the client a request. */
  readonly data: string;
}

/** Renders the client's pages. Nothing here throws, whatever an address contains. */
export interface Renderer {
  /** Reduces an address to its meaning: one address for all that show the same page. */
  readonly reduce: (address: Address, lookup: Lookup['kind'] | null) => Address;
  /** The page at an address, reduced or not: the landing page for all but tip pages and the login. */
  readonly render: (request: PageRequest) => RenderedPage;
  /** The public page of a provider, which has no script. */
  readonly renderProvider: (page: ProviderPage, publicUrl: string) => RenderedPage;
  /** The frame of the dashboard, the same for everybody. */
  readonly renderDashboard: () => RenderedPage;
  /** The page that browsers keep for when there is no connection. */
  readonly renderOffline: () => RenderedPage;
  /** A page without script. @param html trusted: it stands in the page as it is. */
  readonly renderArticle: (title: string, html: string) => RenderedPage;
}
