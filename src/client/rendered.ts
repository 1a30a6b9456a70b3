/** The look-up for which the server rendered a tip page, carried as data so that the client need not repeat it. */
import { createContext, useContext } from 'react';
import type { Lookup } from '#shared/rendered-page.ts';

const DATA_ELEMENT_ID = 'rendered';

export interface Rendered {
  readonly qrId: string;
  readonly lookup: Lookup | null;
}

export const RenderedContext = createContext<Rendered | null>(null);

/** The server's look-up of this code; null when the page was not rendered for it. */
export function useRenderedLookup(qrId: string): Lookup | null {
  const rendered = useContext(RenderedContext);
  return rendered?.qrId === qrId ? rendered.lookup : null;
}

/** Null on a page that was rendered without a look-up. */
export function readLookup(page: Document): Lookup | null {
  const text = page.getElementById(DATA_ELEMENT_ID)?.textContent;
  return text ? JSON.parse(text) : null;
}

/** Escaping keeps any name from ending the element; U+2028 and U+2029 end lines in older scripts. */
export function writeLookup(lookup: Lookup | null): string {
  const json = JSON.stringify(lookup).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `<script type="application/json" id="${DATA_ELEMENT_ID}">${json}</script>`;
}
