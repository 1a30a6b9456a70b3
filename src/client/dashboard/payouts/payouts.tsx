/** The state of a provider's account at Stripe, and the ways to its pages. */
import { lazy, useState } from 'react';
import { useSearch } from 'wouter';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { PayoutStatus } from '#shared/payments.ts';
import { failureOf } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { toastError } from '../../toasts.ts';
import { Later } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Problem } from '../../ui/states.tsx';
import styles from './payouts.module.css';
import { isClosed, isWell, reasonToOpen } from './readiness.ts';

const CountryForm = lazy(() =>
  import('./country-form.tsx').then(({ CountryForm }) => ({ default: CountryForm })),
);
const AccountState = lazy(() =>
  import('./account-state.tsx').then(({ AccountState }) => ({ default: AccountState })),
);

/** Somebody who comes back from Stripe sees the outcome of their answers within a minute. */
const ASK_INTERVAL_MS = 5_000;
const MAX_ASKED = 13;

const ONE_MOMENT = 'One moment...';
const TRY_AGAIN = 'Check your connection and try again.';

/** Screens pass it in: each module that imports others lazily would get a table of files of its own. */
type LoadQuestion = () => Promise<
  Pick<typeof import('../../signed-in/later/password-again.ts'), 'withPassword'>
>;

interface PayoutsProps {
  readonly user: KeptUser;
  /** Above the tabs it is shown while something is to be done or was just done, in the profile afterwards. */
  readonly place: 'above' | 'profile';
  readonly loadQuestion: LoadQuestion;
}

export function Payouts({ user, place, loadQuestion }: PayoutsProps) {
  const isBack = new URLSearchParams(useSearch()).get('payouts') === 'back';
  const query = trpc.payments.payoutStatus.useQuery(undefined, {
    ...FRESH,
    refetchInterval: ({ state: { data, dataUpdateCount, errorUpdateCount } }) =>
      isBack && !(data?.account && isWell(data.account)) && dataUpdateCount + errorUpdateCount < MAX_ASKED
        ? ASK_INTERVAL_MS
        : false,
  });
  const status = partOf(query, (data) => data);
  if (status.status === 'loading') return null;
  if (status.status === 'failed') {
    if (place === 'profile') return null;
    return (
      <Problem title="Your payouts could not be loaded" onRetry={() => void query.refetch()}>
        <p>{TRY_AGAIN}</p>
      </Problem>
    );
  }
  const { account, excludedCategories } = status.data;
  const isServed = user.serviceCategories.some((category) => !excludedCategories.includes(category));
  const isDone = isServed && account !== null && isWell(account);
  if (place === 'above' ? isDone && !isBack : !isDone) return null;
  return <Card status={status.data} isServed={isServed} loadQuestion={loadQuestion} />;
}

interface CardProps {
  readonly status: PayoutStatus;
  readonly isServed: boolean;
  readonly loadQuestion: LoadQuestion;
}

function Card({ status, isServed, loadQuestion }: CardProps) {
  const { account, lostAccount, excludedCategories, owedCents } = status;
  return (
    <section className={[card.card, styles.payouts].join(' ')} aria-labelledby="payouts">
      <h2 id="payouts">Get paid</h2>
      {excludedCategories.length > 0 && <p>{sentenceOfExcluded(excludedCategories)}</p>}
      {account !== null ? (
        <Later meanwhile={<p>{ONE_MOMENT}</p>}>
          <AccountState account={account} owedCents={owedCents} />
        </Later>
      ) : (
        isServed && <p role="status">{reasonToOpen(lostAccount)}</p>
      )}
      {/* An account holds its money whatever its owner works as now. */}
      {(account !== null || isServed) && <Way account={account} loadQuestion={loadQuestion} />}
    </section>
  );
}

/** The one thing to do. The address of a page of Stripe can be opened once. */
function Way({ account, loadQuestion }: Pick<PayoutStatus, 'account'> & Pick<CardProps, 'loadQuestion'>) {
  const { client, payments } = trpc.useUtils();
  const attempts = useAttempts();
  const [isAsking, setAsking] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  function go(ask: () => Promise<{ readonly url: string }>) {
    void attempts.run(async () => {
      setRefusal(null);
      try {
        const { withPassword } = await loadQuestion();
        window.location.assign((await withPassword(ask)).url);
      } catch (error) {
        const { code, detail } = failureOf(error);
        if (code === 'payout_account_refused') setRefusal(detail);
        else toastError(detail ?? TRY_AGAIN);
        // An account may turn out to be gone.
        void payments.payoutStatus.invalidate();
      }
    });
  }

  if (account === null && isAsking) {
    return (
      <Later meanwhile={<p>{ONE_MOMENT}</p>} otherwise={<p role="alert">{TRY_AGAIN}</p>}>
        <CountryForm
          isUnderWay={attempts.isUnderWay}
          refusal={refusal}
          onChosen={(country) => go(() => client.payments.onboard.mutate({ country }))}
        />
      </Later>
    );
  }
  // There is nothing to complete in an account that is complete, or closed.
  const isDone = account !== null && (isWell(account) || isClosed(account));
  const isQuiet = isDone || account?.missing.length === 0;
  const onClick = () => {
    if (account === null) setAsking(true);
    else go(() => (isDone ? client.payments.openDashboard.mutate() : client.payments.onboard.mutate({})));
  };
  return (
    <Button
      look={isQuiet ? 'quiet' : 'primary'}
      className={styles.action}
      aria-disabled={attempts.isUnderWay}
      onClick={onClick}
    >
      {attempts.isUnderWay
        ? ONE_MOMENT
        : account === null
          ? 'Set Up Payouts'
          : isDone
            ? 'Payouts at Stripe'
            : 'Continue at Stripe'}
    </Button>
  );
}

/** The operator has excluded them: Stripe does not serve them, or the operator moves to another account there. */
function sentenceOfExcluded(categories: readonly ServiceCategory[]): string {
  const names = new Intl.ListFormat('en').format(categories.map((category) => CATEGORY_LABELS[category]));
  const [verb, pronoun] = categories.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${names} ${verb} not paid through Stripe here: no tips can be taken for ${pronoun}.`;
}
