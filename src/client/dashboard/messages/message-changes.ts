import type { Transaction } from '#shared/tips.ts';
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
