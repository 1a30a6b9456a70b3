import { formatHere } from './format-here.ts';

const PARTS = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
const thisYear = formatHere(PARTS);
const anyYear = formatHere({ ...PARTS, year: 'numeric' });

/** @param iso ISO 8601. It is written in the viewer's locale and time zone, without the present year. */
export function shortDateTime(iso: string): string {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? thisYear : anyYear)(date);
}
