/** What operators did to an account, as its owner reads it: what, when and why, and not by whom. */
import type { AuditLog } from '#server/storage/port/audit.ts';
import { isoTime } from '#shared/calendar.ts';
import type { UserId } from '#shared/ids.ts';
import { ACCOUNT_ACTS, type AccountAct, type OperatorAct } from '#shared/operator-acts.ts';

const MAX_LISTED = 100;

const SENTENCES: Readonly<Record<AccountAct, string>> = {
  password_reset: 'Your password was replaced by a new one, and you were logged out everywhere.',
  logins_unlocked: 'Failed attempts to log in were forgotten, so that you could log in again.',
  sessions_ended: 'You were logged out everywhere.',
  api_keys_ended: 'All of your API keys were ended.',
  account_suspended: 'Your account was suspended. You could no longer give or get tips.',
  suspension_lifted: 'Your account works again.',
  code_stopped:
    'One of your codes was stopped and takes no more tips. You can make a new code for the service.',
  password_link_made: 'A link was made for you to choose a new password.',
  factors_removed: 'Your passkeys and your authenticator app were removed.',
  account_exported: 'A copy of all data about your account was made.',
};

/** The newest first, at most 100. */
export async function listOperatorActs(
  log: Pick<AuditLog, 'listAboutAccount'>,
  userId: UserId,
): Promise<OperatorAct[]> {
  const rows = await log.listAboutAccount(userId, MAX_LISTED);
  return rows.flatMap((row) => {
    const action = ACCOUNT_ACTS.find((known) => known === row.action);
    if (action === undefined) return [];
    const at = isoTime(row.atMs);
    return [{ action, text: SENTENCES[action], reason: row.reason, at }];
  });
}
