/** What an account is told of itself that no screen shows, and when it was told. */
import type { Account, Storage } from '#server/storage/storage.ts';
import type { Clock } from '#shared/calendar.ts';

export interface ExportStart {
  /** When the export began, of which everything in it tells. */
  readonly exportedAtMs: number;
  /** The usernames that the account had before, which are still its own. */
  readonly formerUsernames: readonly string[];
}

export interface Exports {
  begin(account: Account): Promise<ExportStart>;
}

export function createExports(storage: Storage, clock: Clock): Exports {
  return {
    async begin({ id }) {
      const exportedAtMs = clock();
      return { exportedAtMs, formerUsernames: await storage.listFormerUsernames(id) };
    },
  };
}
