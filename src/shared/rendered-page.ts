/**
 * What the server and the renderer of the client say to each other about a page that arrives rendered. The server knows
 * no component, and the renderer no request.
 */
import type { QrCodeLookup } from './qr-codes.ts';

/** What came of looking a code up. */
export type Lookup =
  | { readonly status: 'found'; readonly found: QrCodeLookup }
  | { readonly status: 'unknown' }
  /** It could not be looked up; `detail` is what the server said, if it said something. */
  | { readonly status: 'failed'; readonly detail: string | null };

/** Where a page stands, as a browser tells it: still encoded, the search with its question mark. */
export interface Address {
  readonly pathname: string;
  readonly search: string;
}

export interface PageRequest extends Address {
  /** The only origin and path that absolute addresses are built on; without a trailing slash. */
  readonly publicUrl: string;
  /** Whom a code tips; never rejects. Asked at most once, and not for a demo. */
  readonly lookUp: (qrId: string) => Promise<Lookup>;
}

export interface RenderedPage {
  readonly status: 200 | 404 | 503;
  /** HTML for the head: the title, and what a shared link shows. */
  readonly head: string;
  /** HTML for the place of the client. */
  readonly body: string;
  /** HTML of a data block: what the client would have asked for. */
  readonly data: string;
}

/** Never rejects for what somebody may put into an address. */
export type RenderPage = (request: PageRequest) => Promise<RenderedPage>;
