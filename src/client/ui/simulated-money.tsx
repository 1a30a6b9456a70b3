/** Says that sums are no real money, unless they are. It stands once on each screen with a sum. */
import type { PaymentMode } from '#shared/payments.ts';
import { moneyNote } from '#shared/simulated-money.ts';
import { paymentMode } from '../installation.ts';
import styles from './simulated-money.module.css';

/** @param props.mode is how the sums were paid; the default is the mode of this installation. */
export function SimulatedMoney({ mode = paymentMode() }: { readonly mode?: PaymentMode }) {
  const note = moneyNote(mode);
  return note === null ? null : <p className={styles.note}>{note}</p>;
}
