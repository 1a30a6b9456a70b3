/** What a tip costs and what reaches the provider, to the cent, announced when it changes. */
import { type Cents, cents, feesFor } from '#shared/money.ts';
import { Money } from '../ui/money.tsx';
import styles from './cost.module.css';

export function Cost({ amountCents }: { readonly amountCents: Cents }) {
  const { giverFeeCents, netAmountCents } = feesFor(amountCents);
  return (
    <dl className={styles.cost}>
      <Row label="Tip" amount={amountCents} />
      <Row label="Service fee (5%)" amount={giverFeeCents} />
      <Row label="Total" amount={cents(amountCents + giverFeeCents)} isTotal />
      <Row label="Provider receives (97%)" amount={netAmountCents} />
    </dl>
  );
}

function Row({
  label,
  amount,
  isTotal = false,
}: {
  readonly label: string;
  readonly amount: Cents;
  readonly isTotal?: boolean;
}) {
  return (
    <div className={isTotal ? styles.total : styles.row}>
      <dt>{label}</dt>
      <dd>
        <Money cents={amount} />
      </dd>
    </div>
  );
}
