/** The fees and the total of a tip, and what reaches the provider. */
import { type Cents, cents, feesFor } from '#shared/money.ts';
import { Money } from '../ui/money.tsx';
import styles from './cost.module.css';

export function Cost({ amountCents }: { readonly amountCents: Cents }) {
  const { giverFeeCents, netAmountCents } = feesFor(amountCents);
  return (
    <dl className={styles.cost}>
      <Row label="Tip" amountCents={amountCents} />
      <Row label="Service fee (5%)" amountCents={giverFeeCents} />
      <Row label="Total" amountCents={cents(amountCents + giverFeeCents)} isTotal />
      <Row label="Provider receives (97%)" amountCents={netAmountCents} />
    </dl>
  );
}

function Row({
  label,
  amountCents,
  isTotal = false,
}: {
  readonly label: string;
  readonly amountCents: Cents;
  readonly isTotal?: boolean;
}) {
  return (
    <div className={isTotal ? styles.total : styles.row}>
      <dt>{label}</dt>
      <dd>
        <Money amountCents={amountCents} />
      </dd>
    </div>
  );
}
