/** A moment with its time zone, as it is printed. */
const withZone = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

export function Time({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{withZone.format(new Date(iso))}</time>;
}
