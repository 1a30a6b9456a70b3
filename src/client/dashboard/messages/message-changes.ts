import { useState } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { useTipCache } from '../live/tip-cache.ts';
import { showChanged } from '../live/tip-news.ts';

export function useShowTip(): (changed: Transaction) => void {
  const { lists } = useTipCache();
  const utils = trpc.useUtils();
  return (changed) => {
    showChanged(lists, changed);
    utils.transactions.get.setData({ id: changed.id }, changed);
  };
}

/** The sentence of the last failure, which is shown in the dialog, because a dialog lies over all toasts. */
export function useFailure() {
  const [failure, setFailure] = useState<string | null>(null);
  return {
    failure,
    forget: () => setFailure(null),
    tell: (error: unknown, fallback: string) => setFailure(failureOf(error).detail ?? fallback),
  };
}
