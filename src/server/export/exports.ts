/** What an account is told of itself that no screen shows, and when it was told. */

import type { BlockedGiver, Messages } from '#server/storage/port/messages.ts';
import type { PaymentRecord, PayoutAccount } from '#server/storage/port/payments.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';

const PAYMENTS_AT_ONCE = 200;
const WORDS_AT_ONCE = 200;

export interface ExportStart {
  /** When the export began, of which everything in it tells. */
  readonly exportedAtMs: number;
  /** The usernames that the account had before, which are still its own. */
  readonly formerUsernames: readonly string[];
  readonly readyThankYous: readonly string[];
  /** The givers from whom the account takes no tips. */
  readonly blockedGivers: readonly BlockedGiver[];
  /** At the payment service, as it was told last; null without one. */
  readonly payoutAccounts: readonly PayoutAccount[];
}

export interface Exports {
  begin(account: Account): Promise<ExportStart>;
  /**
   * The payments that the account began before the export, the newest first, some at a time, read while they are taken. One that
   * has moved on since is told as it is by then.
   */
  payments(account: Account, exportedAtMs: number): AsyncGenerator<readonly PaymentRecord[], void>;
  /** What the account wrote with its tips, some at a time, read while it is taken. */
  givenWords(account: Account): AsyncGenerator<readonly WordsOfTip[], void>;
}

/** What somebody wrote with a tip. */
export type WordsOfTip = Awaited<ReturnType<Messages['listGivenMessages']>>[number];

export function createExports(storage: Storage, clock: Clock): Exports {
  const { payments, messages: words } = storage;
  return {
    async begin({ id }) {
      const exportedAtMs = clock();
      const formerUsernames = await storage.listFormerUsernames(id);
      const payoutAccounts = await payments.listPayoutAccounts(id);
      const readyThankYous = await words.listThankYous(id);
      const blockedGivers = await words.listBlocked(id);
      return { exportedAtMs, formerUsernames, readyThankYous, blockedGivers, payoutAccounts };
    },

    async *payments({ id }, exportedAtMs) {
      let last: PaymentRecord | undefined;
      do {
        const page = await payments.listPayments(id, last ?? null, PAYMENTS_AT_ONCE);
        yield page.filter(({ createdAtMs }) => createdAtMs <= exportedAtMs);
        last = page.length < PAYMENTS_AT_ONCE ? undefined : page.at(-1);
      } while (last);
    },

    async *givenWords({ id }) {
      let last: WordsOfTip | undefined;
      do {
        const page = await words.listGivenMessages(id, last?.transactionId ?? null, WORDS_AT_ONCE);
        yield page;
        last = page.length < WORDS_AT_ONCE ? undefined : page.at(-1);
      } while (last);
    },
  };
}
