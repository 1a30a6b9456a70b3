/** What a receiver does about the words of a tip. The lists follow with the answer. */
import { useState } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../../api/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { showChanged } from '../live/changed-tip.ts';
import { useTipCache } from '../live/tip-cache.ts';

/** @returns a function that shows a changed tip wherever it stands. */
export function useShowTip(): (changed: Transaction) => void {
  const { lists } = useTipCache();
  const utils = trpc.useUtils();
  return (changed) => {
    showChanged(lists, changed);
    utils.transactions.get.setData({ id: changed.id }, changed);
  };
}

/** The failure of the last attempt, in a sentence that stands beside what was attempted: a dialog lies over all toasts. */
export function useFailure() {
  const [failure, setFailure] = useState<string | null>(null);
  return {
    failure,
    forget: () => setFailure(null),
    /** @param fallback the sentence when the server did not answer one. */
    tell: (error: unknown, fallback: string) => setFailure(failureOf(error).detail ?? fallback),
  };
}

/** Hides what the giver of a tip wrote, shows it again, reports it. */
export function useWordsOf({ id }: Transaction) {
  const show = useShowTip();
  const { failure, forget, tell } = useFailure();
  const hiding = trpc.words.hide.useMutation({
    onMutate: forget,
    onSuccess: show,
    onError: (error) => tell(error, 'The message could not be changed. Please try again.'),
  });
  const reporting = trpc.words.report.useMutation({
    onMutate: forget,
    onSuccess: show,
    onError: (error) => tell(error, 'The message could not be reported. Please try again.'),
  });
  return {
    failure,
    isUnderWay: hiding.isPending || reporting.isPending,
    hide: (hidden: boolean) => hiding.mutate({ id, hidden }),
    /** @param onSettled is called with the answer, whatever it is. */
    report: (onSettled: () => void) => reporting.mutate({ id }, { onSettled }),
  };
}
