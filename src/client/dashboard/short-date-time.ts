import { PAGE_LANGUAGE } from '#shared/language.ts';

const PARTS = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;

/** Formats keep the time zone in which they were made, and making them is slow. */
let formats = formatsHere(new Date().getTimezoneOffset());

function formatsHere(offset: number) {
  return {
    offset,
    thisYear: new Intl.DateTimeFormat(PAGE_LANGUAGE, PARTS),
    anyYear: new Intl.DateTimeFormat(PAGE_LANGUAGE, { ...PARTS, year: 'numeric' }),
  };
}

/** @param iso ISO 8601. It is written in the viewer's locale and time zone, without the present year. */
export function shortDateTime(iso: string): string {
  const [date, now] = [new Date(iso), new Date()];
  const offset = now.getTimezoneOffset();
  if (offset !== formats.offset) formats = formatsHere(offset);
  const isThisYear = date.getFullYear() === now.getFullYear();
  return (isThisYear ? formats.thisYear : formats.anyYear).format(date);
}
