import type { Findings } from '../port/database.ts';
import type { Invariant } from './ledger-columns.ts';
import { type createComparedPast, spellPast } from './past.ts';

export interface LedgerViolation {
  readonly invariant: string;
  /** Ids of at most ten offending rows. */
  readonly offenders: readonly string[];
}

/** The foreign-key invariant. @param orphans a query for rows whose reference has no target. */
export const referencesLead = (orphans: string): Invariant => ['every reference leads somewhere', orphans];

export const offendersOf = ([, query]: Invariant) => `SELECT * FROM (${query}) AS offenders LIMIT 10`;

export const violationsOf = ([invariant]: Invariant, offenders: readonly string[]): LedgerViolation[] =>
  offenders.length > 0 ? [{ invariant, offenders }] : [];

export function findingsOf(
  violations: readonly LedgerViolation[],
  { past, differences }: ReturnType<ReturnType<typeof createComparedPast>['compare']>,
  auditProblems: readonly string[],
): Findings {
  const problems = violations.map(
    ({ invariant, offenders }) => `Violated: ${invariant} (${offenders.join(', ')})`,
  );
  return { problems, differences, auditProblems, tipCount: past.count, past: spellPast(past) };
}

export function unread(problems: readonly string[]): Findings {
  return { problems, differences: [], auditProblems: [], tipCount: 0, past: '' };
}
