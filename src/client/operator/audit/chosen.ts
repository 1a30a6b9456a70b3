/** What of the log was chosen, as it stands in the address, so that Back leads to the same rows. */
import type { AuditFilterInput } from '#shared/console/audit.ts';

/** Each is empty for all; days are of the operator's zone, and both are included. */
export type Chosen = Readonly<Record<(typeof NAMES)[number], string>>;

const NAMES = ['who', 'what', 'about', 'from', 'to'] as const;

export function chosenIn(search: string): Chosen {
  const given = new URLSearchParams(search);
  const read = (name: (typeof NAMES)[number]) => given.get(name) ?? '';
  return { who: read('who'), what: read('what'), about: read('about'), from: read('from'), to: read('to') };
}

/** @returns the query of the address with its question mark; empty where all is chosen. */
export function searchOf(chosen: Chosen): string {
  const given = NAMES.flatMap((name) => (chosen[name] === '' ? [] : [[name, chosen[name]]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

export function filterOf({ who, what, about, from, to }: Chosen): AuditFilterInput {
  return {
    actor: who,
    action: what,
    subject: about,
    since: startOfDay(from, 0),
    until: startOfDay(to, 1),
  };
}

/** The beginning of a date, so many days later; null for none. */
function startOfDay(date: string, daysLater: number): string | null {
  const start = new Date(`${date}T00:00`);
  if (Number.isNaN(start.getTime())) return null;
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}
