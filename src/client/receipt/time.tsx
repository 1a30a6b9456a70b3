import { PAGE_LANGUAGE } from '#shared/language.ts';

const withZone = new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'medium', timeStyle: 'long' });

/** A moment with its time zone, as a receipt needs it. */
export function Time({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{withZone.format(new Date(iso))}</time>;
}
