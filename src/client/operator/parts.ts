/** The parts of the console, each fetched when it is first opened. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { ConsolePart } from '#shared/console/parts.ts';

interface Part {
  readonly name: string;
  readonly Part: LazyExoticComponent<ComponentType>;
}

export const PARTS: Readonly<Record<ConsolePart, Part>> = {
  health: {
    name: 'Health',
    Part: lazy(() => import('./health/health.tsx').then(({ Health }) => ({ default: Health }))),
  },
  people: {
    name: 'People',
    Part: lazy(() => import('./people/people.tsx').then(({ People }) => ({ default: People }))),
  },
  reports: {
    name: 'Reports',
    Part: lazy(() => import('./reports/reports.tsx').then(({ Reports }) => ({ default: Reports }))),
  },
  transactions: {
    name: 'Transactions',
    Part: lazy(() =>
      import('./transactions/transactions.tsx').then(({ Transactions }) => ({ default: Transactions })),
    ),
  },
  codes: {
    name: 'Codes',
    Part: lazy(() => import('./codes/codes.tsx').then(({ Codes }) => ({ default: Codes }))),
  },
  installation: {
    name: 'Installation',
    Part: lazy(() =>
      import('./installation/installation.tsx').then(({ Installation }) => ({ default: Installation })),
    ),
  },
  fees: {
    name: 'Fee Income',
    Part: lazy(() => import('./fees/fees.tsx').then(({ Fees }) => ({ default: Fees }))),
  },
  backups: {
    name: 'Backups',
    Part: lazy(() => import('./backups/backups.tsx').then(({ Backups }) => ({ default: Backups }))),
  },
  audit: {
    name: 'Audit Log',
    Part: lazy(() => import('./audit/audit.tsx').then(({ Audit }) => ({ default: Audit }))),
  },
};
