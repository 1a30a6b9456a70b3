/** The acts of operators in words, and what was set where that has no id. */
import { isoTime } from '#shared/calendar.ts';
import type { StoredAnnouncement } from '../port/announcements.ts';
import type { AuditAction } from '../port/audit.ts';
import type { StoredTerms } from '../port/terms.ts';

const SENTENCES: Readonly<Record<AuditAction, string>> = {
  password_reset: 'Replaced a password',
  logins_unlocked: 'Unlocked logins',
  sessions_ended: 'Logged a person out everywhere',
  api_keys_ended: 'Ended the API keys of a person',
  account_suspended: 'Suspended an account',
  suspension_lifted: 'Lifted the suspension of an account',
  password_link_made: 'Made a link for a new password',
  factors_removed: 'Removed the second factors of a person',
  account_exported: 'Exported the data of a person',
  account_closed: 'Closed an account',
  all_sessions_ended: 'Logged everybody out',
  installation_keys_renewed: 'Renewed the keys of the installation',
  terms_set: 'Set fees and limits',
  invitation_made: 'Made an invitation',
  invitation_revoked: 'Ended an invitation',
  announcement_made: 'Made an announcement',
  announcement_ended: 'Ended the announcement',
  report_settled: 'Settled a report',
  database_restored: 'Restored a backup',
  database_moved: 'Moved the database',
  backup_made: 'Asked for a backup',
  operator_added: 'Added an operator',
  operator_link_made: 'Made a link for an operator',
  operator_removed: 'Removed an operator',
  operator_enrolled: 'Enrolled as an operator',
  operator_factors_changed: 'Changed their own ways to log in',
  code_stopped: 'Stopped a code',
  tip_refunded: 'Refunded a tip',
  refund_paid_otherwise: 'Paid a refund in another way',
  debt_written_off: 'Wrote off what a provider owes',
  dispute_paid_otherwise: 'Paid a won dispute in another way',
};

export const ACTIONS_IN_WORDS: readonly { readonly action: string; readonly text: string }[] = Object.entries(
  SENTENCES,
)
  .map(([action, text]) => ({ action, text }))
  .sort((one, other) => (one.text < other.text ? -1 : 1));

/** An action in words; one that only a newer version knows, as it is. */
export function wordsOf(action: string): string {
  return ACTIONS_IN_WORDS.find((known) => known.action === action)?.text ?? action;
}

/** The terms themselves stand for good in their table, by their version. */
export function subjectOfTerms({ version, fromMs }: Pick<StoredTerms, 'version' | 'fromMs'>): string {
  return `version ${version}, from ${isoTime(fromMs)}`;
}

/** In characters; the table keeps an announcement only until the next one. */
const MAX_TOLD_LENGTH = 80;

/** The beginning of the text, without emails: the log is kept for good. */
export function subjectOfAnnouncement({ text, fromMs, untilMs }: StoredAnnouncement): string {
  // Signs that turn the direction around would show a line of the log in another order than it has.
  const plain = [...text.replace(/\p{Bidi_Control}/gu, '').replace(/\S+@\S+/gu, '...')];
  const told = plain.slice(0, MAX_TOLD_LENGTH).join('') + (plain.length > MAX_TOLD_LENGTH ? '...' : '');
  return `from ${isoTime(fromMs)}${untilMs === null ? '' : ` until ${isoTime(untilMs)}`}: ${told}`;
}
