/** What a check of the whole ledger finds, on every engine. */
import type { Findings } from '../port/database.ts';
import type { Invariant } from './invariants.ts';
import { type createComparedPast, spellPast } from './past.ts';

export interface LedgerViolation {
  readonly invariant: string;
  /** Ids of the rows that break it, at most ten. */
  readonly offenders: readonly string[];
}

/** The invariant of the foreign keys. @param orphans a query for the rows whose foreign keys lead nowhere. */
export const referencesLead = (orphans: string): Invariant => ['every reference leads somewhere', orphans];

/** A query for those of the offenders of an invariant that are named. */
export const offendersOf = ([, query]: Invariant) => `SELECT * FROM (${query}) AS offenders LIMIT 10`;

/** @param offenders those of `offendersOf`. */
export const violationsOf = ([invariant]: Invariant, offenders: readonly string[]): LedgerViolation[] =>
  offenders.length > 0 ? [{ invariant, offenders }] : [];

/** @param past compared with what was noted of the ledger earlier, to see whether it still begins like that. */
export function findingsOf(
  violations: readonly LedgerViolation[],
  { past, differences }: ReturnType<ReturnType<typeof createComparedPast>['compare']>,
): Findings {
  const problems = violations.map(
    ({ invariant, offenders }) => `Violated: ${invariant} (${offenders.join(', ')})`,
  );
  return { problems, differences, tipCount: past.count, past: spellPast(past) };
}

/** The findings where the ledger could not be read for all that is wrong. */
export function unread(problems: readonly string[]): Findings {
  return { problems, differences: [], tipCount: 0, past: '' };
}
