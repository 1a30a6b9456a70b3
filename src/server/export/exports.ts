/** Reads the data of an account that no screen shows, for its export. */

import type { MailSettings } from '#server/storage/port/mails.ts';
import type { BlockedGiver, Messages } from '#server/storage/port/messages.ts';
import type { PaymentRecord, PayoutAccount } from '#server/storage/port/payments.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';

const PAYMENTS_AT_ONCE = 200;
const MESSAGES_AT_ONCE = 200;

export interface ExportStart {
  readonly exportedAtMs: number;
  readonly formerUsernames: readonly string[];
  readonly readyThankYous: readonly string[];
  readonly blockedGivers: readonly BlockedGiver[];
  /** As the payment service last reported them. */
  readonly payoutAccounts: readonly PayoutAccount[];
  readonly mail: MailSettings;
}

export interface Exports {
  begin(account: Account): Promise<ExportStart>;
  /** Newest first. A payment that has moved since the export began has its new state. */
  payments(account: Account, exportedAtMs: number): AsyncGenerator<readonly PaymentRecord[], void>;
  givenWords(account: Account): AsyncGenerator<readonly WordsOfTip[], void>;
}

export type WordsOfTip = Awaited<ReturnType<Messages['listGivenMessages']>>[number];

export function createExports(storage: Storage, clock: Clock): Exports {
  const { payments, messages } = storage;
  return {
    async begin({ id }) {
      const exportedAtMs = clock();
      const formerUsernames = await storage.listFormerUsernames(id);
      const payoutAccounts = await payments.listPayoutAccounts(id);
      const readyThankYous = await messages.listThankYous(id);
      const blockedGivers = await messages.listBlocked(id);
      const mail = await storage.mails.settingsOf(id);
      return { mail, exportedAtMs, formerUsernames, readyThankYous, blockedGivers, payoutAccounts };
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
        const page = await messages.listGivenMessages(id, last?.transactionId ?? null, MESSAGES_AT_ONCE);
        yield page;
        last = page.length < MESSAGES_AT_ONCE ? undefined : page.at(-1);
      } while (last);
    },
  };
}
