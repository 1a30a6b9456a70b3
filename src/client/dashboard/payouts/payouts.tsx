/** The state of a provider's account at Stripe, and the ways to its pages. */
import { useSearch } from 'wouter';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { PayoutStatus } from '#shared/payments.ts';
import { failureOf } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { toastError } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Problem } from '../../ui/states.tsx';
import styles from './payouts.module.css';

/** Somebody who comes back from Stripe sees the outcome of their answers within a minute. */
const ASK_INTERVAL_MS = 5_000;
const MAX_ASKED = 13;

const ONE_MOMENT = 'One moment...';
const TRY_AGAIN = 'Check your connection and try again.';

/** Labels of requirements: https://docs.stripe.com/connect/required-verification-information */
const REQUIREMENTS: readonly (readonly [requirement: RegExp, label: string])[] = [
  [/^external_account$/, 'a bank account'],
  [/^individual\.verification\./, 'an identity document'],
  [/^individual\.(?:first|last)_name/, 'your name'],
  [/^individual\.(?:id_number|ssn_last_4)$/, 'your tax number'],
  [/^individual\.dob\./, 'your date of birth'],
  [/^individual\.address\./, 'your address'],
  [/^individual\.(?:email|phone)$/, 'how to reach you'],
  [/^tos_acceptance\./, 'your agreement with Stripe'],
  [/^business_profile\./, 'your business'],
];

const OTHER_REQUIREMENTS = 'other details';

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
  return <Card status={status.data} isServed={isServed} isPayable={isPayable} loadQuestion={loadQuestion} />;
}

interface CardProps {
  readonly status: PayoutStatus;
  readonly isServed: boolean;
  readonly isPayable: boolean;
  readonly loadQuestion: LoadQuestion;
}

function Card({ status: { account, excludedCategories }, isServed, isPayable, loadQuestion }: CardProps) {
  const { payments } = trpc.useUtils().client;
  const attempts = useAttempts();

  /** The address of a page of Stripe can be opened once. */
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
  const missing = labelsOf(account?.missing ?? []);
  return (
    <section className={[card.card, styles.payouts].join(' ')} aria-labelledby="payouts">
      <h2 id="payouts">Get paid</h2>
      {excludedCategories.length > 0 && <p>{sentenceOfExcluded(excludedCategories)}</p>}
      {isServed && (
        <>
          <p role="status">{standingOf(account)}</p>
          {account && !isPayable && missing.length > 0 && (
            <ul className={styles.missing}>
              {missing.map((label) => (
                <li key={label}>{label}</li>
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
  const pronoun = categories.length === 1 ? 'it' : 'them';
  return `Stripe does not serve ${names}: no tips can be taken for ${pronoun}.`;
}

function standingOf(account: PayoutStatus['account']): string {
  if (account === null)
    return (
      'Tips are paid by card through Stripe, which sends them on to your bank account. ' +
      'First it asks who you are, which takes some minutes. Until then nobody can tip you.'
    );
  if (account.chargesEnabled) return 'You can be paid. Stripe sends your tips on to your bank account.';
  return account.missing.length > 0
    ? 'Nobody can tip you yet. Stripe still asks for:'
    : 'Nobody can tip you yet. Stripe is looking at your answers.';
}

/** Requirements without a label here become one label, which stands last. */
function labelsOf(names: readonly string[]): readonly string[] {
  const labels = new Set(
    names.map(
      (name) => REQUIREMENTS.find(([requirement]) => requirement.test(name))?.[1] ?? OTHER_REQUIREMENTS,
    ),
  );
  return labels.delete(OTHER_REQUIREMENTS) ? [...labels, OTHER_REQUIREMENTS] : [...labels];
}
