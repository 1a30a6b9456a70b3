/** What holds for words on every engine. An engine finds rows and saves them; what a step comes to is decided here. */
import type { QrCodeId, UserId } from '#shared/ids.ts';
import type { TransactionRecord } from '../port/ledger.ts';
import type { BlockedGiver, GiverMessage, MessageReport, TipMessages } from '../port/messages.ts';
import type { QrCodeWithProvider } from '../port/storage.ts';

/** Words as they are stored. */
export interface MessagesRow extends TipMessages {
  readonly giverId: UserId | null;
  readonly receiverId: UserId;
  readonly settledAtMs: number | null;
  /** Whether words were erased since: nobody can say any more whether others are the same. */
  readonly isErased: boolean;
}

/** What the words of a tip are compared by, when it is sent again. */
export type KeptMessage = GiverMessage & Pick<MessagesRow, 'isErased'>;

/** A block as it is stored. */
interface BlockRow extends BlockedGiver {
  readonly receiverId: UserId;
}

/** A tip about which nothing was written so far. */
export function newMessagesRow(
  { id, giverId, receiverId }: Pick<TransactionRecord, 'id' | 'giverId' | 'receiverId'>,
  { message, giverName }: GiverMessage = { message: null, giverName: null },
): MessagesRow {
  return {
    transactionId: id,
    giverId,
    receiverId,
    message,
    giverName,
    isHidden: false,
    thankYou: null,
    thankedAtMs: null,
    reportedAtMs: null,
    settledAtMs: null,
    isErased: false,
  };
}

/**
 * Whether a tip that is sent again says the same. Of the name only whether there is one: the giver may have changed it in between.
 * @param kept undefined for a tip without words.
 */
export function isSameMessage(kept: KeptMessage | undefined, given: GiverMessage | undefined): boolean {
  if (kept?.isErased) return true;
  return (
    (kept?.message ?? null) === (given?.message ?? null) &&
    ((kept?.giverName ?? null) !== null) === ((given?.giverName ?? null) !== null)
  );
}

/** A tip that an account received, as words about it need it. */
type Received = Pick<TransactionRecord, 'id' | 'giverId' | 'receiverId'>;

/** What a change of the words of a tip comes to: an outcome, with the row to save where there is one. */
export type MessageDecision<Outcome extends string> = {
  readonly outcome: Outcome;
  readonly row?: MessagesRow;
};

/** @param tip that of the id, if there is one. @param row what is stored about it. */
export function decideThanks(
  { receiverId, text, nowMs }: { readonly receiverId: UserId; readonly text: string; readonly nowMs: number },
  tip: Received | undefined,
  row: MessagesRow | undefined,
): MessageDecision<'thanked' | 'repeated' | 'thanked_before' | 'unknown_transaction'> {
  if (tip?.receiverId !== receiverId) return { outcome: 'unknown_transaction' };
  if (row && row.thankedAtMs !== null)
    return { outcome: row.thankYou === text ? 'repeated' : 'thanked_before' };
  return {
    outcome: 'thanked',
    row: { ...(row ?? newMessagesRow(tip)), thankYou: text, thankedAtMs: nowMs },
  };
}

/** What a receiver does about what a giver wrote. */
export function decideAboutMessage<Outcome extends string>(
  receiverId: UserId,
  tip: Received | undefined,
  row: MessagesRow | undefined,
  change: { readonly outcome: Outcome; apply(row: MessagesRow): MessagesRow },
): MessageDecision<Outcome | 'no_words' | 'unknown_transaction'> {
  if (tip?.receiverId !== receiverId) return { outcome: 'unknown_transaction' };
  if (!row || (row.message === null && row.giverName === null)) return { outcome: 'no_words' };
  return { outcome: change.outcome, row: change.apply(row) };
}

/** Hides what a giver wrote, or shows it again. */
export const hiding = (isHidden: boolean) =>
  ({ outcome: 'changed', apply: (row: MessagesRow) => ({ ...row, isHidden }) }) as const;

/** Reports what a giver wrote, and hides it. What was reported before stays reported at that time. */
export const reporting = (nowMs: number) =>
  ({
    outcome: 'reported',
    apply: (row: MessagesRow) => ({ ...row, isHidden: true, reportedAtMs: row.reportedAtMs ?? nowMs }),
  }) as const;

/** A block of one giver, with the page that its service has now. */
export interface PresentBlock extends Pick<BlockedGiver, 'serviceCategory'> {
  /** Null while the service has no code that is active or paused. */
  readonly pageId: QrCodeId | null;
  /** Of that page; null for the full name. */
  readonly displayName: string | null;
}

/**
 * Whether blocks keep their giver out of a code: those of its service, and those of a service whose page shows the same name now. Nothing
 * else may, because a giver who finds a page with another name paused as well would know that both are of one account.
 * @param blocks those that the owner of the code has of one giver.
 */
export function isKeptOut(
  code: Pick<QrCodeWithProvider, 'serviceCategory' | 'displayName' | 'fullName'>,
  blocks: readonly PresentBlock[],
): boolean {
  const shown = ({ displayName }: Pick<QrCodeWithProvider, 'displayName'>) => displayName ?? code.fullName;
  return blocks.some(
    (block) =>
      block.serviceCategory === code.serviceCategory ||
      (block.pageId !== null && shown(block) === shown(code)),
  );
}

/** Whom blocking the giver of a tip blocks, and for which service. */
export function decideBlock(
  { receiverId, nowMs }: { readonly receiverId: UserId; readonly nowMs: number },
  tip: TransactionRecord | undefined,
):
  | { readonly outcome: 'guest' | 'unknown_transaction'; readonly row?: never }
  | { readonly outcome: 'blocked'; readonly row: BlockRow } {
  if (tip?.receiverId !== receiverId) return { outcome: 'unknown_transaction' };
  const { id: transactionId, giverId, serviceCategory } = tip;
  if (giverId === null) return { outcome: 'guest' };
  return {
    outcome: 'blocked',
    row: { receiverId, giverId, serviceCategory, transactionId, createdAtMs: nowMs },
  };
}

/** The ready thank-yous of an account as they are stored. */
export function readyRows(userId: UserId, texts: readonly string[]) {
  return texts.map((text, index) => ({ userId, place: index + 1, text }));
}

/** The row of a report, as the port tells it. */
export function reportOf({
  giverUsername,
  giverEmail,
  receiverUsername,
  receiverEmail,
  ...words
}: Omit<MessageReport, 'giver' | 'receiver'> & {
  readonly giverUsername: string | null;
  readonly giverEmail: string | null;
  readonly receiverUsername: string;
  readonly receiverEmail: string;
}): MessageReport {
  return {
    ...words,
    giver:
      giverUsername === null || giverEmail === null ? null : { username: giverUsername, email: giverEmail },
    receiver: { username: receiverUsername, email: receiverEmail },
  };
}
