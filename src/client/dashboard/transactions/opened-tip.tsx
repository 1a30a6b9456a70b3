/** The dialog of a received tip, which the address names. It stays when its row leaves the list. */
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { UserId } from '#shared/ids.ts';
import type { Transaction, TransactionPage } from '#shared/tips.ts';
import { paths } from '../../paths.ts';
import { transactionsKey, trpc } from '../../signed-in/api-hooks.ts';
import { MessagesDialog } from '../messages/messages-dialog.tsx';
import { focusIfLost } from '../question.ts';
import { goBackTo } from '../way-back.ts';
import { TIP } from './tip-address.ts';

interface OpenedTipProps {
  readonly id: string;
  readonly userId: UserId;
}

export function OpenedTip({ id, userId }: OpenedTipProps) {
  const client = useQueryClient();
  const listed = useSyncExternalStore(client.getQueryCache().subscribe, () => findIn(client, id));
  const { data } = trpc.transactions.get.useQuery({ id }, { enabled: !listed, initialData: () => listed });
  const tip = listed ?? data;
  useEffect(
    () => () => {
      // The row, whose button had the focus, may be gone.
      focusIfLost(document.querySelector<HTMLElement>('[role="tabpanel"]'));
    },
    [],
  );
  // Only a received tip has such a dialog, whatever the address names.
  return tip?.receiverId === userId ? <MessagesDialog tip={tip} onClose={closeTip} /> : null;
}

function closeTip(): void {
  const query = new URLSearchParams(window.location.search);
  query.delete(TIP);
  goBackTo(`${paths.dashboard}?${query}`);
}

/** A tip of any list, so that its dialog is there at once, and hears of what becomes of it. */
function findIn(client: QueryClient, id: string): Transaction | undefined {
  return client
    .getQueriesData<InfiniteData<TransactionPage>>({ queryKey: transactionsKey })
    .flatMap(([, loaded]) => loaded?.pages ?? [])
    .flatMap(({ transactions }) => transactions)
    .find((one) => one.id === id);
}
