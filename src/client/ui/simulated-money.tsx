/** Says that the sums of a screen are simulated. It stands once on each screen that shows a sum. */
import styles from './simulated-money.module.css';

export function SimulatedMoney() {
  return <p className={styles.note}>Simulated money: no real money moves.</p>;
}
