/** An amount of money in tabular figures. */
import { type Cents, formatUsd } from '#shared/money.ts';
import styles from './money.module.css';

interface MoneyProps {
  readonly cents: Cents;
  /** Written before the amount: "+" for what came in, "-" for what went out. */
  readonly sign?: '+' | '-';
}

export function Money({ cents, sign }: MoneyProps) {
  return (
    <span className={styles.money}>
      {sign}
      {formatUsd(cents)}
    </span>
  );
}
