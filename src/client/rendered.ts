/**
 * What the server has already found out for the page that it rendered, so that nothing is asked for twice. The server
 * writes it into the page as data; the client's first drawing reads it from there, and is therefore the same.
 */
import { createContext, useContext } from 'react';
import type { Lookup } from '#shared/rendered-page.ts';

/** The element that carries it: a data block, which no browser runs. */
const DATA_ELEMENT_ID = 'rendered';

export interface Rendered {
  /** The code in the address of the rendered page. */
  readonly qrId: string;
  readonly lookup: Lookup | null;
}

export const RenderedContext = createContext<Rendered | null>(null);

/** What came of looking this code up on the server; null when nobody has yet. */
export function useRenderedLookup(qrId: string): Lookup | null {
  const rendered = useContext(RenderedContext);
  return rendered?.qrId === qrId ? rendered.lookup : null;
}

/** Reads what the server wrote into this page; null when the page did not arrive rendered. */
export function readLookup(page: Document): Lookup | null {
  const text = page.getElementById(DATA_ELEMENT_ID)?.textContent;
  return text ? JSON.parse(text) : null;
}

/**
 * The data block with what the server found out. Nothing in it can end its element, whatever names there are; U+2028 and
 * U+2029 end lines in older scripts.
 */
export function writeLookup(lookup: Lookup | null): string {
  const json = JSON.stringify(lookup).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `<script type="application/json" id="${DATA_ELEMENT_ID}">${json}</script>`;
}
