/** The page of a transaction for its two people: the receipt and the refund. */
import { useLocation } from 'wouter';
import type { User } from '#shared/accounts.ts';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../api-client/api.ts';
import { serverNow } from '../api-client/server-clock.ts';
import { lookAgainMs } from '../giving/look-again.ts';
import { transactionIdIn } from '../later/addresses.ts';
import { trpc } from '../signed-in/api-hooks.ts';
import { FRESH } from '../signed-in/part.ts';
import { SignedInData } from '../signed-in/signed-in-data.tsx';
import { Screen } from '../ui/screen.tsx';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';
import { Receipt, UnknownReceipt } from './receipt.tsx';

export function ReceiptPage({ user }: { readonly user: User }) {
  const [pathname] = useLocation();
  const id = transactionIdIn(pathname) ?? '';
  return (
    <SignedInData user={user}>
      <LoadedReceipt key={id} id={id} user={user} />
    </SignedInData>
  );
}

function LoadedReceipt({ id, user }: { readonly id: string; readonly user: User }) {
  const utils = trpc.useUtils();
  function take(refunded: Transaction) {
    utils.transactions.get.setData({ id }, refunded);
    void utils.transactions.invalidate();
  }
  const { data, isError, error, refetch } = trpc.transactions.get.useQuery(
    { id },
    {
      ...FRESH,
      // A hidden page asks again when somebody returns to it.
      refetchInterval: ({ state }) =>
        (state.data && lookAgainMs(state.data, state.data.giverId === user.id, serverNow())) ?? false,
    },
  );
  if (data !== undefined) {
    return (
      <Screen title="Receipt" width="column">
        <Receipt
          transaction={data}
          isGiver={data.giverId === user.id}
          onRefunded={take}
          onStale={() => void refetch()}
        />
      </Screen>
    );
  }
  if (!isError) {
    return (
      <Screen title="Receipt" width="column">
        <Loading text="Loading your receipt...">
          <Skeleton height="tall" />
        </Loading>
      </Screen>
    );
  }
  return failureOf(error).code === 'transaction_not_found' ? (
    <UnknownReceipt />
  ) : (
    <Screen title="Receipt" width="column">
      <Problem isScreen title="The receipt could not be loaded" onRetry={() => void refetch()}>
        <p>Nothing is lost. Check your connection and try again.</p>
      </Problem>
    </Screen>
  );
}
