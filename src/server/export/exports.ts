/** What an account is told of itself that no screen shows, and when it was told. */
import type { PayoutAccount } from '#server/storage/payments.ts';
import type { Account, Storage } from '#server/storage/storage.ts';
import type { Clock } from '#shared/calendar.ts';

export interface ExportStart {
  /** When the export began, of which everything in it tells. */
  readonly exportedAtMs: number;
  /** The usernames that the account had before, which are still its own. */
  readonly formerUsernames: readonly string[];
  /** At the payment service, as it was told last; null without one. */
  readonly payoutAccount: PayoutAccount | null;
}

export interface Exports {
  begin(account: Account): Promise<ExportStart>;
}

export function createExports(storage: Storage, clock: Clock): Exports {
  return {
    async begin({ id }) {
      const exportedAtMs = clock();
      const formerUsernames = await storage.listFormerUsernames(id);
      const payoutAccount = await storage.payments.findPayoutAccount({ userId: id });
      return { exportedAtMs, formerUsernames, payoutAccount };
    },
  };
}
