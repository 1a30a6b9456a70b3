/** The page of a transaction, for its two people: the receipt, and the way to reverse the tip. */
import { useLocation } from 'wouter';
import type { User } from '#shared/accounts.ts';
import type { Transaction } from '#shared/tips.ts';
import { failureOf } from '../api.ts';
import { dashboardTab, transactionIdIn } from '../paths.ts';
import { trpc } from '../session/api-hooks.ts';
import { FRESH } from '../session/part.ts';
import { SignedInData } from '../session/signed-in-data.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';
import states from '../ui/states.module.css';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';
import { Receipt } from './receipt.tsx';

/** How often an open receipt looks whether its tip was refunded. */
const LOOK_AGAIN_MS = 15_000;
/** How often it looks whether its tip was paid. */
const LOOK_FOR_PAYMENT_MS = 3_000;

function lookAgainMs(status: Transaction['status'] | undefined): number | false {
  if (status === 'pending') return LOOK_FOR_PAYMENT_MS;
  return status === 'completed' && LOOK_AGAIN_MS;
}

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
  const { data, isError, error, refetch } = trpc.transactions.get.useQuery(
    { id },
    {
      ...FRESH,
      // A stream would take one of the account's, and one of a browser's few connections, for news that come once at most. A hidden
      // page does not look; it does when it is looked at again.
      refetchInterval: ({ state }) => lookAgainMs(state.data?.status),
    },
  );
  if (data !== undefined) {
    return (
      <Screen title="Receipt" width="column">
        <Receipt transaction={data} isGiver={data.giverId === user.id} onStale={() => void refetch()} />
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
    <NotFound />
  ) : (
    <Screen title="Receipt" width="column">
      <Problem isScreen title="The receipt could not be loaded" onRetry={() => void refetch()}>
        <p>Nothing is lost. Check your connection and try again.</p>
      </Problem>
    </Screen>
  );
}

/** Other people's transactions are as unknown as those that never were. */
function NotFound() {
  return (
    <Screen title="Transaction not found" width="column">
      <section className={[card.card, states.problem].join(' ')}>
        <ScreenHeading className={states.title}>Transaction not found</ScreenHeading>
        <p>
          There is no transaction of yours at this address. A receipt can be seen by the two people of the tip
          only: check the link, and which account you are logged in with.
        </p>
        <ButtonLink href={dashboardTab('transactions')}>View Transactions</ButtonLink>
      </section>
    </Screen>
  );
}
