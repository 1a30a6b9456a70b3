import type { FoundPerson } from '#shared/console/people.ts';

export const STATE_LABELS: Readonly<Record<FoundPerson['state'], string>> = {
  open: 'Open',
  suspended: 'Suspended',
  closing: 'Closing',
  closed: 'Closed',
};
