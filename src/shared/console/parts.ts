/** The parts of the operator's console, by the last segment of their paths, in the order of its menu. */
export const CONSOLE_PARTS = [
  'health',
  'people',
  'reports',
  'transactions',
  'codes',
  'installation',
  'fees',
  'backups',
  'audit',
] as const;
export type ConsolePart = (typeof CONSOLE_PARTS)[number];

export const CONSOLE_PATH = '/operator';
/** Where a link for a new operator leads; its token stands in the fragment, which no server gets. */
export const ENROL_PATH = '/operator/enrol';
/** The operator's own sessions and factors. */
export const OWN_PATH = '/operator/account';
export const CONSOLE_TRPC_PATH = '/operator/trpc';

export const consolePath = (part: ConsolePart) => `${CONSOLE_PATH}/${part}`;
