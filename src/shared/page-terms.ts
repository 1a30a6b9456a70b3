/** The terms of tips as a page carries them on its root element. */
import { SPECIFIED_TERMS, type Terms } from './money.ts';

/** @returns null for the specified terms, which a page does not carry. */
export function termsText(terms: Terms): string | null {
  return terms.version === SPECIFIED_TERMS.version ? null : JSON.stringify(terms);
}

export function termsFrom(text: string | undefined): Terms {
  return text ? JSON.parse(text) : SPECIFIED_TERMS;
}
