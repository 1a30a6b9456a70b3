/** What a receiver can do about a tip, apart from thanking. The list and the dialog of a tip offer the same. */
import { useQueryClient } from '@tanstack/react-query';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { Transaction } from '#shared/tips.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { transactionsKey, trpc } from '../../signed-in/api-hooks.ts';
import { isGone, sentenceOf } from '../codes/code-changes.ts';
import { useShowTip } from './message-changes.ts';

export interface TipAction {
  readonly name: 'hide' | 'report' | 'block' | 'messages';
  readonly label: string;
  /** The consequence of an act that takes effect without a question. */
  readonly hint?: string;
  readonly run: () => void;
}

interface Told {
  readonly onDone: (sentence: string) => void;
  readonly onFailure: (sentence: string) => void;
}

export function useTipActions(tip: Transaction, told: Told): readonly TipAction[] {
  const messages = useMessageActions(tip, told);
  const giver = useGiverActions(tip, told);
  const code = useCodeActions(tip, told);
  return [...messages, ...giver, ...code];
}

/** Hidden words do not tell whether a message is among them. */
function whatOf({ message, wordsHidden }: Transaction): 'Name' | 'Message' {
  return message === null && !wordsHidden ? 'Name' : 'Message';
}

function useMessageActions(tip: Transaction, { onDone, onFailure }: Told): readonly TipAction[] {
  const { id, message, giverName, wordsHidden, reportedAt } = tip;
  const what = whatOf(tip);
  const show = useShowTip();
  const fail = (fallback: string) => (error: unknown) => onFailure(failureOf(error).detail ?? fallback);
  const hiding = trpc.messages.hide.useMutation({
    onSuccess(changed) {
      show(changed);
      onDone(changed.wordsHidden ? `${what} hidden` : 'Shown again');
    },
    onError: fail(unanswered(`the ${what.toLowerCase()} was changed`)),
  });
  const reporting = trpc.messages.report.useMutation({
    onSuccess(changed) {
      show(changed);
      onDone('Reported, and hidden here');
    },
    onError: fail(unanswered(`the ${what.toLowerCase()} was reported`)),
  });
  const isWritten = message !== null || giverName !== null || wordsHidden;
  const isUnderWay = hiding.isPending || reporting.isPending;
  const hide: TipAction = {
    name: 'hide',
    label: wordsHidden ? 'Show Again' : `Hide ${what}`,
    run: () => isUnderWay || hiding.mutate({ id, hidden: !wordsHidden }),
  };
  const report: TipAction = {
    name: 'report',
    label: 'Report',
    hint: 'The people who run this site see it, with your name and their account.',
    run: () => isUnderWay || reporting.mutate({ id }),
  };
  if (!isWritten) return [];
  return reportedAt === null ? [hide, report] : [hide];
}

function useGiverActions(
  { id, giverId, serviceCategory }: Transaction,
  { onDone, onFailure }: Told,
): readonly TipAction[] {
  const utils = trpc.useUtils();
  const queryClient = useQueryClient();
  const blocked = trpc.messages.blocked.useQuery(undefined, { enabled: giverId !== null });
  const block = trpc.messages.block.useMutation({
    async onSuccess() {
      // Pages of tips name who is blocked. Without a connection Last Call would go by what it has loaded before.
      queryClient.removeQueries({ queryKey: transactionsKey, type: 'inactive' });
      await utils.messages.blocked.invalidate();
      onDone('Customer blocked. They won’t be told.');
    },
    onError: (error) => onFailure(failureOf(error).detail ?? unanswered('the customer was blocked')),
  });
  const unblock = trpc.messages.unblock.useMutation({
    async onSuccess() {
      await utils.messages.blocked.invalidate();
      onDone('Customer unblocked. They can tip you again.');
    },
    onError: (error) => onFailure(failureOf(error).detail ?? unanswered('the customer was unblocked')),
  });
  if (giverId === null) return [];
  const isBlocked = blocked.data?.some(
    (one) => one.giverId === giverId && one.serviceCategory === serviceCategory,
  );
  const isUnderWay = block.isPending || unblock.isPending;
  if (isBlocked)
    return [
      {
        name: 'block',
        label: 'Unblock This Customer',
        run: () => isUnderWay || unblock.mutate({ giverId }),
      },
    ];
  return [
    {
      name: 'block',
      label: 'Block This Customer',
      hint: 'To them, your code looks paused. They won’t be told.',
      run: () => isUnderWay || block.mutate({ id }),
    },
  ];
}

/** The code that takes tips for the service now, which may be another than that of the tip. */
function useCodeActions({ serviceCategory }: Transaction, { onDone, onFailure }: Told): readonly TipAction[] {
  const codes = trpc.qrCodes.list.useQuery();
  const utils = trpc.useUtils();
  const changing = trpc.qrCodes.update.useMutation({
    async onSuccess(changed) {
      await utils.qrCodes.list.invalidate();
      onDone(`Messages are ${changed.takesWords ? 'on' : 'off'} for ${CATEGORY_LABELS[serviceCategory]}`);
    },
    onError(error) {
      onFailure(sentenceOf(error, unanswered('the code was changed')));
      if (isGone(error)) void utils.qrCodes.invalidate();
    },
  });
  const code = codes.data?.find((one) => one.serviceCategory === serviceCategory);
  if (code === undefined) return [];
  const { id, takesWords } = code;
  return [
    {
      name: 'messages',
      label: `Turn ${takesWords ? 'Off' : 'On'} Messages for This Code`,
      run: () => changing.isPending || changing.mutate({ id, takesWords: !takesWords }),
    },
  ];
}
