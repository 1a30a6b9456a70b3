/**
 * Whether a provider's tips can be paid to them, what is missing, and the ways to Stripe's own pages. It is fetched only where tips are
 * paid there.
 */
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { PayoutStatus } from '#shared/payments.ts';
import { failureOf } from '../../api/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { toastError } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Problem } from '../../ui/states.tsx';
import { wordsForMissing } from './missing.ts';
import styles from './payouts.module.css';

/** Somebody who comes back from Stripe waits for what it makes of their answers, for a minute. */
const ASK_INTERVAL_MS = 5_000;
const MAX_ASKED = 13;

const ONE_MOMENT = 'One moment...';
const TRY_AGAIN = 'Check your connection and try again.';

/** Fetches what asks for the password again; the screens that show this fetch other parts by the same table. */
type LoadQuestion = () => Promise<
  Pick<typeof import('../../signed-in/later/password-again.ts'), 'withPassword'>
>;

interface PayoutsProps {
  readonly user: User;
  /** Above the tabs it stands only while something is to be done or has just been done, in the profile only afterwards. */
  readonly place: 'above' | 'profile';
  readonly loadQuestion: LoadQuestion;
}

export function Payouts({ user, place, loadQuestion }: PayoutsProps) {
  const isBack = new URLSearchParams(useSearch()).get('payouts') === 'back';
  const query = trpc.payments.payoutStatus.useQuery(undefined, {
    ...FRESH,
    refetchInterval: ({ state: { data, dataUpdateCount, errorUpdateCount } }) =>
      isBack && !data?.account?.chargesEnabled && dataUpdateCount + errorUpdateCount < MAX_ASKED
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
  const isPayable = isServed && account?.chargesEnabled === true;
  if (place === 'above' ? isPayable && !isBack : !isPayable) return null;
  return <Card status={status.data} {...{ isServed, isPayable, loadQuestion }} />;
}

interface CardProps {
  readonly status: PayoutStatus;
  /** Whether Stripe serves any of the services. */
  readonly isServed: boolean;
  readonly isPayable: boolean;
  readonly loadQuestion: LoadQuestion;
}

function Card({ status: { account, excludedCategories }, isServed, isPayable, loadQuestion }: CardProps) {
  const { payments } = trpc.useUtils().client;
  const attempts = useAttempts();

  /** Goes to a page of Stripe's, whose address can be opened once. */
  function go({ mutate }: { mutate(): Promise<{ readonly url: string }> }) {
    void attempts.run(async () => {
      try {
        const { withPassword } = await loadQuestion();
        window.location.assign((await withPassword(() => mutate())).url);
      } catch (error) {
        toastError(failureOf(error).detail ?? TRY_AGAIN);
      }
    });
  }

  const beginning = account ? 'Go on at Stripe' : 'Begin at Stripe';
  const missing = wordsForMissing(account?.missing ?? []);
  return (
    <section className={[card.card, styles.payouts].join(' ')} aria-labelledby="payouts">
      <h2 id="payouts">Get paid</h2>
      {excludedCategories.length > 0 && <p>{sentenceOfExcluded(excludedCategories)}</p>}
      {isServed && (
        <>
          <p role="status">{standingOf(account)}</p>
          {account && !isPayable && missing.length > 0 && (
            <ul className={styles.missing}>
              {missing.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          )}
          <Button
            look={isPayable ? 'quiet' : 'primary'}
            className={styles.action}
            aria-disabled={attempts.isUnderWay}
            onClick={() => go(isPayable ? payments.openDashboard : payments.onboard)}
          >
            {attempts.isUnderWay ? ONE_MOMENT : isPayable ? 'Payouts at Stripe' : beginning}
          </Button>
        </>
      )}
    </section>
  );
}

function sentenceOfExcluded(categories: readonly ServiceCategory[]): string {
  const names = new Intl.ListFormat('en').format(categories.map((category) => CATEGORY_LABELS[category]));
  return `Stripe does not serve ${names}: no tips can be taken for ${categories.length === 1 ? 'it' : 'them'}.`;
}

function standingOf(account: PayoutStatus['account']): string {
  if (account === null)
    return 'Tips are paid by card through Stripe, which sends them on to your bank account. First it asks who you are, which takes some minutes. Until then nobody can tip you.';
  if (account.chargesEnabled) return 'You can be paid. Stripe sends your tips on to your bank account.';
  return account.missing.length > 0
    ? 'Nobody can tip you yet. Stripe still asks for:'
    : 'Nobody can tip you yet. Stripe is looking at your answers.';
}
