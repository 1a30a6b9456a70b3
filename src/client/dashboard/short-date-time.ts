const PARTS = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
const thisYear = new Intl.DateTimeFormat(undefined, PARTS);
const anyYear = new Intl.DateTimeFormat(undefined, { ...PARTS, year: 'numeric' });

/**
 * Date and time in the viewer's locale and time zone, without the year when it is the present one.
 * @param iso ISO 8601.
 */
export function shortDateTime(iso: string): string {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? thisYear : anyYear).format(date);
}
