/** An account at Stripe: how it stands, what it holds, and when the next payout arrives. */
import type { ReactNode } from 'react';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { formatMoney } from '#shared/money.ts';
import type { PayoutStatus } from '#shared/payments.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { Money } from '../../ui/money.tsx';
import styles from './payouts.module.css';
import type { PayoutAccount } from './readiness.ts';
import { askedOf, labelsOf, standingOf } from './standing.ts';

/** Stripe names the day of arrival as its midnight in UTC. */
const DAY = new Intl.DateTimeFormat(PAGE_LANGUAGE, {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

interface AccountStateProps extends Pick<PayoutStatus, 'owedCents'> {
  readonly account: PayoutAccount;
}

export function AccountState({ account, owedCents }: AccountStateProps) {
  const { chargesEnabled } = account;
  const missing = askedOf(account);
  return (
    <>
      <p role="status">{standingOf(account)}</p>
      {missing.length > 0 && (
        <ul className={styles.missing}>
          {labelsOf(missing).map((label) => (
            <li key={label}>{label}</li>
          ))}
        </ul>
      )}
      {chargesEnabled && <Balance />}
      {owedCents > 0 && (
        <p>
          {formatMoney(owedCents)} went back to customers and hasn’t been taken back from you yet. It comes
          out of your next tips.
        </p>
      )}
    </>
  );
}

function Balance() {
  const { data, isError } = trpc.payments.balance.useQuery(undefined, FRESH);
  if (data === undefined)
    return (
      <p className={styles.note}>
        {isError ? 'Stripe doesn’t tell your balance right now.' : 'One moment...'}
      </p>
    );
  const { availableCents, pendingCents, nextPayout, payoutWeekday, hasOtherCurrencies } = data;
  return (
    <>
      <dl className={styles.balance}>
        <Entry term={nextPayout || !payoutWeekday ? 'Next payout' : 'Paid out'}>
          {nextPayout ? (
            <>
              <Money amountCents={nextPayout.amountCents} /> on {DAY.format(new Date(nextPayout.arrivesAt))}
            </>
          ) : payoutWeekday ? (
            `Every ${capitalized(payoutWeekday)}`
          ) : (
            'None on its way yet'
          )}
        </Entry>
        <Entry term="Available">
          <Money amountCents={availableCents} />
        </Entry>
        <Entry term="Pending">
          <Money amountCents={pendingCents} />
        </Entry>
      </dl>
      {hasOtherCurrencies && (
        <p className={styles.note}>Your account also holds other currencies. Stripe’s pages show them.</p>
      )}
    </>
  );
}

const capitalized = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

function Entry({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
