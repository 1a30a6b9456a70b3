/** A moment as one says it: in the viewer's locale and time zone, with the year only when it is another one. */
const PARTS = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
const thisYear = new Intl.DateTimeFormat(undefined, PARTS);
const anyYear = new Intl.DateTimeFormat(undefined, { ...PARTS, year: 'numeric' });

/** @param iso ISO 8601, as the server writes it. */
export function shortDateTime(iso: string): string {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? thisYear : anyYear).format(date);
}
