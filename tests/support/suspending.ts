/** Suspends accounts, as an operator does. */
import type { Act } from '#server/storage/port/audit.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { UserId } from '#shared/ids.ts';

const SUSPENSION_REASON = 'Tips for things that were never done.';

const actOf = (action: Act['action'], subject: UserId): Act => ({
  actor: { kind: 'command', name: 'ops', host: 'bar' },
  action,
  subject,
  reason: SUSPENSION_REASON,
  atMs: Date.now(),
});

export async function suspendAccount({ suspensions }: Pick<Storage, 'suspensions'>, id: UserId) {
  const suspension = { sinceMs: Date.now(), reason: SUSPENSION_REASON };
  const outcome = await suspensions.suspend(id, suspension, actOf('account_suspended', id));
  if (outcome !== 'suspended') throw new Error(outcome);
}

export async function liftSuspension({ suspensions }: Pick<Storage, 'suspensions'>, id: UserId) {
  const outcome = await suspensions.lift(id, actOf('suspension_lifted', id));
  if (outcome !== 'lifted') throw new Error(outcome);
}
