/** The cost of a tip for its giver, and the net amount of the provider. */
import { type Cents, cents, feesFor, formatRate, terms } from '#shared/money.ts';
import { Money } from '../ui/money.tsx';
import styles from './cost.module.css';

interface CostProps {
  readonly amountCents: Cents;
}

export function Parts({ amountCents }: CostProps) {
  const { giverFeeCents, netAmountCents } = feesFor(amountCents);
  const { giverFeeRate, receiverFeeRate } = terms();
  return (
    <dl className={styles.parts}>
      <Row label="Tip" amountCents={amountCents} />
      {giverFeeRate > 0 && (
        <Row label={`Service fee (${formatRate(giverFeeRate)})`} amountCents={giverFeeCents} />
      )}
      {receiverFeeRate > 0 && (
        <Row
          label={`Provider receives (${formatRate(10_000 - receiverFeeRate)})`}
          amountCents={netAmountCents}
        />
      )}
    </dl>
  );
}

export function Total({ amountCents }: CostProps) {
  return (
    <dl className={styles.total}>
      <Row label="Total" amountCents={cents(amountCents + feesFor(amountCents).giverFeeCents)} />
    </dl>
  );
}

function Row({ label, amountCents }: CostProps & { readonly label: string }) {
  return (
    <div className={styles.row}>
      <dt>{label}</dt>
      <dd>
        <Money amountCents={amountCents} />
      </dd>
    </div>
  );
}
