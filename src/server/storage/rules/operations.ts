/** What operators are told of accounts and payments, and when a payment counts as stuck. */
import { isoTime } from '#shared/calendar.ts';
import type { AccountState, ActDone, Party } from '#shared/console/parties.ts';
import type { AuditRow } from '../port/audit.ts';
import type { StoredAdjustmentKind } from '../port/ledger.ts';
import type { FeeStep, OpenDispute, QuarterFees, ReturnedMoney } from '../port/operations.ts';
import type { PersonNames } from '../port/people.ts';
import { wordsOf } from './audit-sentences.ts';

/** The number of rows in a step of a sum of fees: some milliseconds of work. */
export const FEE_SPAN = 2_000;

/** A refund or a capture that takes longer has failed at least once. */
const STUCK_AFTER_MS = 10 * 60_000;

/** The times by which `isStuck` of the statements judges a payment. */
export const stuckAt = (nowMs: number) => ({ nowMs, dueBeforeMs: nowMs - STUCK_AFTER_MS });

export function feeStepOf(rows: readonly (QuarterFees & { readonly last: number })[]): FeeStep {
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return {
    quarters: rows.map(({ last: _, ...quarter }) => quarter),
    next: count < FEE_SPAN ? null : Math.max(...rows.map(({ last }) => last)),
  };
}

/** Without captures, which moved nothing. */
export function movedMoneyOf({
  kind,
  ...moved
}: Omit<ReturnedMoney, 'kind'> & { readonly kind: StoredAdjustmentKind }): readonly ReturnedMoney[] {
  return kind === 'capture' ? [] : [{ ...moved, kind }];
}

/** A disputed payment has a charge, which the type of its row does not know. */
export function chargedOf({
  chargeId,
  ...dispute
}: Omit<OpenDispute, 'chargeId'> & { readonly chargeId: string | null }): readonly OpenDispute[] {
  return chargeId === null ? [] : [{ ...dispute, chargeId }];
}

export function accountStateOf({
  suspendedAtMs,
  closesAtMs,
  closedAtMs,
}: Pick<PersonNames, 'suspendedAtMs' | 'closesAtMs' | 'closedAtMs'>): AccountState {
  if (closedAtMs !== null) return 'closed';
  if (suspendedAtMs !== null) return 'suspended';
  return closesAtMs === null ? 'open' : 'closing';
}

export function partyOf(person: PersonNames): Party {
  const { id, fullName, username, email } = person;
  const state = accountStateOf(person);
  const isClosed = state === 'closed';
  return { id, fullName, username: isClosed ? null : username, email: isClosed ? null : email, state };
}

export function actDoneOf({ action, actorName, reason, atMs }: AuditRow): ActDone {
  return { text: wordsOf(action), by: actorName, reason, at: isoTime(atMs) };
}
