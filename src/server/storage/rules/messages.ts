/** What becomes of the message of a tip: thanks, hiding, a report; and whom a block keeps out. */
import type { QrCodeId, UserId } from '#shared/ids.ts';
import type { QrCodeWithProvider } from '../port/codes.ts';
import type { TransactionRecord } from '../port/ledger.ts';
import type { BlockedGiver, GiverMessage, MessageReport, MessagesOfTip } from '../port/messages.ts';

export interface MessagesRow extends MessagesOfTip {
  readonly giverId: UserId | null;
  readonly receiverId: UserId;
  readonly settledAtMs: number | null;
  /** An erased message compares as equal to any other. */
  readonly isErased: boolean;
}

export type KeptMessage = GiverMessage & Pick<MessagesRow, 'isErased'>;

interface BlockRow extends BlockedGiver {
  readonly receiverId: UserId;
}

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

/** Compares only whether there is a name, because the giver may have changed it meanwhile. */
export function isSameMessage(kept: KeptMessage | undefined, given: GiverMessage | undefined): boolean {
  if (kept?.isErased) return true;
  return (
    (kept?.message ?? null) === (given?.message ?? null) &&
    ((kept?.giverName ?? null) !== null) === ((given?.giverName ?? null) !== null)
  );
}

type Received = Pick<TransactionRecord, 'id' | 'giverId' | 'receiverId'>;

export type MessageDecision<Outcome extends string> = {
  readonly outcome: Outcome;
  readonly row?: MessagesRow;
};

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

export function decideAboutMessage<Outcome extends string>(
  receiverId: UserId,
  tip: Received | undefined,
  row: MessagesRow | undefined,
  change: (row: MessagesRow) => MessageDecision<Outcome>,
): MessageDecision<Outcome | 'no_words' | 'unknown_transaction'> {
  if (tip?.receiverId !== receiverId) return { outcome: 'unknown_transaction' };
  if (!row || (row.message === null && row.giverName === null)) return { outcome: 'no_words' };
  return change(row);
}

export const hiding = (isHidden: boolean) => (row: MessagesRow) =>
  ({ outcome: 'changed', row: { ...row, isHidden } }) as const;

/** Reports a message and hides it. An earlier report stays what it is, also once the operator has settled it. */
export const reporting = (nowMs: number) => (row: MessagesRow) => {
  const reportedAtMs = row.reportedAtMs ?? nowMs;
  return {
    outcome: reportedAtMs === nowMs ? 'reported' : 'reported_before',
    row: { ...row, isHidden: true, reportedAtMs },
  } as const;
};

export interface PresentBlock extends Pick<BlockedGiver, 'serviceCategory'> {
  /** Null when the service has no current code. */
  readonly pageId: QrCodeId | null;
  /** The name on that page; null for the account's full name. */
  readonly displayName: string | null;
}

/**
 * Whether blocks keep a giver out: those of the code's service, and of services whose page shows the same name. A giver
 * who found a page of another name paused too would learn that both belong to one account.
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

export function decideBlock(
  { receiverId, nowMs }: { readonly receiverId: UserId; readonly nowMs: number },
  tip: (Received & Pick<TransactionRecord, 'serviceCategory'>) | undefined,
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

export function readyRows(userId: UserId, texts: readonly string[]) {
  return texts.map((text, index) => ({ userId, place: index + 1, text }));
}

export function reportOf({
  giverId,
  giverUsername,
  giverEmail,
  giverClosedAtMs,
  receiverId,
  receiverUsername,
  receiverEmail,
  receiverClosedAtMs,
  ...words
}: Omit<MessageReport, 'giver' | 'receiver'> & {
  readonly giverId: UserId | null;
  readonly giverUsername: string | null;
  readonly giverEmail: string | null;
  readonly giverClosedAtMs: number | null;
  readonly receiverId: UserId;
  readonly receiverUsername: string;
  readonly receiverEmail: string;
  readonly receiverClosedAtMs: number | null;
}): MessageReport {
  return {
    ...words,
    giver:
      giverId === null || giverUsername === null || giverEmail === null
        ? null
        : { id: giverId, username: giverUsername, email: giverEmail, isClosed: giverClosedAtMs !== null },
    receiver: {
      id: receiverId,
      username: receiverUsername,
      email: receiverEmail,
      isClosed: receiverClosedAtMs !== null,
    },
  };
}
