/** The last step: the receipt. */

import { navigate } from 'wouter/use-browser-location';
import { cents } from '#shared/money.ts';
import { dashboardTab } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import card from '../ui/card.module.css';
import { Money } from '../ui/money.tsx';
import type { Provider } from './provider.ts';
import { StepHeading } from './step-heading.tsx';
import styles from './success-step.module.css';
import type { Receipt } from './tip-flow.ts';

interface SuccessStepProps {
  readonly receipt: Receipt;
  readonly provider: Provider;
  readonly onAnother: () => void;
}

export function SuccessStep({ receipt, provider, onAnother }: SuccessStepProps) {
  const { amountCents, giverFeeCents, paidAt, transactionId } = receipt;
  return (
    <section className={[card.card, styles.success].join(' ')}>
      <svg className={styles.check} viewBox="0 0 96 96" aria-hidden="true">
        <circle cx="48" cy="48" r="46" />
        <path d="M27 50 42 65 70 34" />
      </svg>
      <StepHeading>{provider.isDemo ? 'Demo tip sent!' : 'Tip sent!'}</StepHeading>
      <p className={styles.amount}>
        <Money amountCents={amountCents} />
      </p>
      <p>
        to <bdi>{provider.fullName}</bdi> (<bdi>@{provider.username}</bdi>)
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>Service fee</dt>
          <dd>
            <Money amountCents={giverFeeCents} />
          </dd>
        </div>
        <div>
          <dt>Total</dt>
          <dd>
            <Money amountCents={cents(amountCents + giverFeeCents)} />
          </dd>
        </div>
        <div>
          <dt>When</dt>
          <dd>
            <time dateTime={paidAt}>
              {new Date(paidAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}
            </time>
          </dd>
        </div>
        {transactionId !== null && (
          <div>
            <dt>Transaction</dt>
            <dd className={styles.id}>{transactionId}</dd>
          </div>
        )}
      </dl>
      {provider.isDemo && <p>This was a demo: nothing was recorded or paid.</p>}
      <div className={styles.actions}>
        <Button onClick={() => navigate(dashboardTab('transactions'))}>View Transactions</Button>
        <Button look="quiet" onClick={onAnother}>
          Send Another Tip
        </Button>
      </div>
    </section>
  );
}
