import { type Cents, formatMoney } from '#shared/money.ts';
import styles from './money.module.css';

interface MoneyProps {
  readonly amountCents: Cents;
  /** "+" for a received amount, "-" for a sent one. */
  readonly sign?: '+' | '-';
}

export function Money({ amountCents, sign }: MoneyProps) {
  return (
    <span className={styles.money}>
      {sign}
      {formatMoney(amountCents)}
    </span>
  );
}
