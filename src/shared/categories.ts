/** The closed set of service categories with their labels, in the order of screens. */
export const SERVICE_CATEGORIES = [
  'bartender',
  'barber',
  'nailtech',
  'esthetician',
  'server',
  'escort',
  'dj',
  'live_event',
] as const;

export type ServiceCategory = (typeof SERVICE_CATEGORIES)[number];

export const CATEGORY_LABELS: Readonly<Record<ServiceCategory, string>> = {
  bartender: 'Bartender',
  barber: 'Barber',
  nailtech: 'Nail Tech',
  esthetician: 'Esthetician',
  server: 'Server',
  escort: 'Escort',
  dj: 'DJ',
  live_event: 'Live Event',
};

export function isServiceCategory(value: unknown): value is ServiceCategory {
  return SERVICE_CATEGORIES.some((category) => category === value);
}
