/** Listeners of the storage, for whoever keeps a part of it in memory. */
import type { TransactionId, UserId } from '#shared/ids.ts';

/** Listens to changes by any process. `any` stands for all accounts. */
export interface StorageListener {
  /** These accounts may have new entries, which are readable now. */
  onEntries(accounts: readonly UserId[] | 'any'): void;
  /** Look-ups of these providers' codes may have changed. */
  onCodes(owners: readonly UserId[] | 'any'): void;
  onThanks(giver: UserId, id: TransactionId): void;
}
