/**
 * What a receiver can do about a tip, apart from thanking: hide and report what was written with it, block
 * its giver, and take no more messages. The list and the dialog of a tip offer the same.
 */
import { type ReactNode, useState } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { NeedHelp } from '../../ui/later/need-help.tsx';
import { useShowTip } from './message-changes.ts';

export interface TipAction {
  readonly name: 'hide' | 'report' | 'block' | 'messages';
  readonly label: string;
  readonly run: () => void;
}

interface Told {
  readonly onDone: (sentence: string) => void;
  readonly onFailure: (sentence: string) => void;
}

export function useTipActions(
  tip: Transaction,
  told: Told,
): {
  readonly actions: readonly TipAction[];
  /** The question that an action asks before it is done; null when none is open. */
  readonly question: ReactNode;
} {
  const messages = useMessageActions(tip, told);
  const giver = useGiverActions(tip, told);
  const code = useCodeActions(tip, told);
  return {
    actions: [...messages.actions, ...giver.actions, ...code],
    question: messages.question ?? giver.question,
  };
}

/** Nobody is told whether what is hidden has a message. */
function whatOf({ message, wordsHidden }: Transaction): 'Name' | 'Message' {
  return message === null && !wordsHidden ? 'Name' : 'Message';
}

function useMessageActions(tip: Transaction, { onDone, onFailure }: Told) {
  const { id, message, giverName, wordsHidden, reportedAt } = tip;
  const what = whatOf(tip);
  const show = useShowTip();
  const [isAsking, setAsking] = useState(false);
  const fail = (fallback: string) => (error: unknown) => onFailure(failureOf(error).detail ?? fallback);
  const hiding = trpc.messages.hide.useMutation({
    onSuccess(changed) {
      show(changed);
      onDone(changed.wordsHidden ? `${what} hidden` : 'Shown again');
    },
    onError: fail(`The ${what.toLowerCase()} could not be changed. Please try again.`),
  });
  const reporting = trpc.messages.report.useMutation({
    onSuccess(changed) {
      show(changed);
      onDone('Reported, and hidden here');
    },
    onError: fail(`The ${what.toLowerCase()} could not be reported. Please try again.`),
    onSettled: () => setAsking(false),
  });
  const isWritten = message !== null || giverName !== null || wordsHidden;
  const isUnderWay = hiding.isPending || reporting.isPending;
  const hide: TipAction = {
    name: 'hide',
    label: wordsHidden ? 'Show Again' : `Hide ${what}`,
    run: () => isUnderWay || hiding.mutate({ id, hidden: !wordsHidden }),
  };
  const report: TipAction = { name: 'report', label: 'Report', run: () => setAsking(true) };
  return {
    actions: isWritten ? [hide, ...(reportedAt === null ? [report] : [])] : [],
    question: isAsking ? (
      <Confirmation
        title={`Report this ${what.toLowerCase()}?`}
        confirm={isUnderWay ? 'Reporting...' : 'Report'}
        isUnderWay={isUnderWay}
        onConfirm={() => reporting.mutate({ id })}
        onCancel={() => setAsking(false)}
      >
        <p>
          Whoever runs this site will see the message, your name and the giver's account. It is hidden here as
          well.
        </p>
        <NeedHelp />
      </Confirmation>
    ) : null,
  };
}

/** Somebody without an account cannot be blocked. */
function useGiverActions({ id, giverId, serviceCategory }: Transaction, { onDone, onFailure }: Told) {
  const utils = trpc.useUtils();
  const [isAsking, setAsking] = useState(false);
  const blocked = trpc.messages.blocked.useQuery(undefined, { enabled: giverId !== null });
  const block = trpc.messages.block.useMutation({
    async onSuccess() {
      await utils.messages.blocked.invalidate();
      onDone('Giver blocked. They are not told.');
    },
    onError: (error) =>
      onFailure(failureOf(error).detail ?? 'The giver could not be blocked. Please try again.'),
    onSettled: () => setAsking(false),
  });
  const unblock = trpc.messages.unblock.useMutation({
    async onSuccess() {
      await utils.messages.blocked.invalidate();
      onDone('Giver unblocked. They can tip you again.');
    },
    onError: (error) =>
      onFailure(failureOf(error).detail ?? 'The giver could not be unblocked. Please try again.'),
  });
  if (giverId === null) return { actions: [], question: null };
  const isBlocked = blocked.data?.some(
    (one) => one.giverId === giverId && one.serviceCategory === serviceCategory,
  );
  const action: TipAction = {
    name: 'block',
    label: isBlocked ? 'Unblock This Giver' : 'Block This Giver',
    run: () => (isBlocked ? unblock.isPending || unblock.mutate({ giverId }) : setAsking(true)),
  };
  return {
    actions: [action],
    question: isAsking ? (
      <Confirmation
        title="Block this giver?"
        confirm={block.isPending ? 'Blocking...' : 'Block'}
        isUnderWay={block.isPending}
        onConfirm={() => block.mutate({ id })}
        onCancel={() => setAsking(false)}
      >
        <p>
          You get no more tips from them for this service, or on your other pages with the same name. They are
          not told: to them your code looks paused.
        </p>
      </Confirmation>
    ) : null,
  };
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
    onError: (error) =>
      onFailure(failureOf(error).detail ?? 'The code could not be changed. Please try again.'),
  });
  const code = codes.data?.find((one) => one.serviceCategory === serviceCategory);
  if (code === undefined) return [];
  const { id, takesWords } = code;
  return [
    {
      name: 'messages',
      label: `Turn ${takesWords ? 'Off' : 'On'} Messages`,
      run: () => changing.isPending || changing.mutate({ id, takesWords: !takesWords }),
    },
  ];
}
