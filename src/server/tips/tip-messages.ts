/** Receivers' responses to the messages of tips. A giver learns of the thank-you alone. */
import type { Logger } from 'pino';
import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import type { BlockedGiver as BlockedAccount } from '#server/storage/port/messages.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { isTransactionId, type TransactionId, type UserId } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import type { ProviderPage, QrCodeLookup } from '#shared/qr-codes.ts';
import type { BlockedGiver, Transaction } from '#shared/tips.ts';
import type { BlockedWords } from './blocked-words.ts';
import type { TransactionView } from './transaction-view.ts';

const MAX_TOLD = 200;

export interface TipMessages {
  /**
   * Thanks the giver of a tip, once; repeating the same text changes nothing.
   * @throws AppError `transaction_not_found` when the account received none of this id; `thanked_already`;
   *   `account_suspended`; `invalid_input` when the text has a blocked word.
   */
  thank(account: Pick<Account, 'id'>, id: string, text: string): Promise<Transaction>;
  /** Hides a giver's message, or shows it again. @throws AppError `transaction_not_found`, `no_words`. */
  hide(account: Account, id: string, isHidden: boolean): Promise<Transaction>;
  /** Reports a giver's message to the operator, and hides it. @throws AppError as `hide`. */
  report(account: Account, id: string): Promise<Transaction>;
  /** A giver whom the code's owner has blocked finds the code paused, as they do when they pay. */
  seeCode(found: QrCodeLookup, giver: Account | null): Promise<QrCodeLookup>;
  /** As `seeCode`, for each code of a provider's page. */
  seePage(page: ProviderPage, giver: Account | null): Promise<ProviderPage>;
  /**
   * Blocks for the tip's service and on pages of its name.
   * @throws AppError `transaction_not_found`; `giver_unknown`.
   */
  block(account: Account, id: string): Promise<void>;
  /** Unblocks a giver on all pages. @throws AppError `giver_not_found` when they are not blocked. */
  unblock(account: Account, pseudonym: string): Promise<void>;
  /** Newest first. */
  listBlocked(account: Account, options?: StepOptions): Promise<BlockedGiver[]>;
  nameBlocked(
    account: Account,
    blocked: readonly BlockedAccount[],
  ): (Omit<BlockedGiver, 'tip'> & { readonly transactionId: TransactionId })[];
  readyThankYous(account: Account): Promise<{ texts: string[] }>;
  /** Replaces the stored ones; blank texts are left out. */
  saveThankYous(account: Account, texts: readonly string[]): Promise<{ texts: string[] }>;
}

export function createTipMessages(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly view: TransactionView;
  readonly blockedWords: Pick<BlockedWords, 'matches'>;
  readonly queryQueue: StepQueue;
}): TipMessages {
  const { storage, clock, log, view, blockedWords, queryQueue } = deps;
  const { messages } = storage;

  async function isPausedFor(
    { id, status }: Pick<QrCodeLookup['qrCode'], 'id' | 'status'>,
    giver: Account | null,
  ): Promise<boolean> {
    return giver !== null && status === 'active' && (await messages.isBlocked(giver.id, id));
  }

  async function see(account: Pick<Account, 'id'>, id: TransactionId): Promise<Transaction> {
    const record = await storage.findTransaction(account.id, id);
    if (!record) throw new AppError('transaction_not_found');
    return view.one(record, account.id);
  }

  async function seeAfter(
    account: Account,
    id: TransactionId,
    outcome: 'changed' | 'reported' | 'reported_before' | 'no_words' | 'unknown_transaction',
  ): Promise<Transaction> {
    if (outcome === 'unknown_transaction') throw new AppError('transaction_not_found');
    if (outcome === 'no_words') throw new AppError('no_words');
    return see(account, id);
  }

  const nameBlocked: TipMessages['nameBlocked'] = ({ id: receiverId }, blocked) =>
    blocked.map(({ giverId, serviceCategory, transactionId, createdAtMs }) => ({
      giverId: view.pseudonymOf({ giverId, receiverId }),
      blockedAt: isoTime(createdAtMs),
      serviceCategory,
      transactionId,
    }));

  async function findBlocked({ id: receiverId }: Account, pseudonym: string): Promise<UserId | undefined> {
    const blocked = await messages.listBlocked(receiverId);
    return blocked.find(({ giverId }) => view.pseudonymOf({ giverId, receiverId }) === pseudonym)?.giverId;
  }

  return {
    async thank(account, text, thanks) {
      const id = requireId(text);
      if (blockedWords.matches(thanks)) throw invalidField('text', THANKS_REFUSED);
      const outcome = await messages.thank(account.id, id, thanks, clock());
      if (outcome === 'unknown_transaction') throw new AppError('transaction_not_found');
      if (outcome === 'suspended') throw new AppError('account_suspended');
      if (outcome === 'thanked_before') throw new AppError('thanked_already');
      return see(account, id);
    },

    async hide(account, text, isHidden) {
      const id = requireId(text);
      return seeAfter(account, id, await messages.setHidden(account.id, id, isHidden));
    },

    async report(account, text) {
      const id = requireId(text);
      const outcome = await messages.reportMessage(account.id, id, clock());
      if (outcome === 'reported') log.warn({ transaction: id }, 'words were reported: see npm run reports');
      return seeAfter(account, id, outcome);
    },

    async seeCode(found, giver) {
      const { qrCode } = found;
      return (await isPausedFor(qrCode, giver))
        ? { ...found, qrCode: { ...qrCode, status: 'paused' } }
        : found;
    },

    async seePage(page, giver) {
      const codes: ProviderPage['codes'] = [];
      for (const code of page.codes)
        codes.push((await isPausedFor(code, giver)) ? { ...code, status: 'paused' } : code);
      return { ...page, codes };
    },

    async block(account, text) {
      const outcome = await messages.blockGiver(account.id, requireId(text), clock());
      if (outcome === 'unknown_transaction') throw new AppError('transaction_not_found');
      if (outcome === 'guest') throw new AppError('giver_unknown');
    },

    async unblock(account, pseudonym) {
      const giverId = await findBlocked(account, pseudonym);
      if (giverId === undefined) throw new AppError('giver_not_found');
      await messages.unblockGiver(account.id, giverId);
    },

    async listBlocked(account, options) {
      const told: BlockedGiver[] = [];
      const newest = (await messages.listBlocked(account.id)).slice(0, MAX_TOLD);
      for (const { transactionId, ...named } of nameBlocked(account, newest)) {
        await queryQueue.step(account.id, options);
        told.push({ ...named, tip: await see(account, transactionId) });
      }
      return told;
    },

    nameBlocked,

    readyThankYous: async (account) => ({ texts: await messages.listThankYous(account.id) }),

    async saveThankYous(account, all) {
      const texts = all.filter((text) => text !== '');
      await messages.saveThankYous(account.id, texts);
      return { texts };
    },
  };
}

const THANKS_REFUSED = 'This cannot be sent here. Please say it in other words.';

function requireId(text: string): TransactionId {
  if (!isTransactionId(text)) throw new AppError('transaction_not_found');
  return text;
}
