/** Everything about the words of a received tip: what its giver wrote, the answer, and what can be done against either. */
import type { Transaction } from '#shared/tips.ts';
import { BlockGiver } from './block-giver.tsx';
import { GivenWords } from './given-message.tsx';
import styles from './messages.module.css';
import { Thanks } from './thanks.tsx';

interface TipWordsProps {
  readonly tip: Transaction;
  readonly onThanked: () => void;
}

export function TipWords({ tip, onThanked }: TipWordsProps) {
  return (
    <div className={styles.parts}>
      <GivenWords tip={tip} />
      <Thanks tip={tip} onThanked={onThanked} />
      <BlockGiver tip={tip} />
    </div>
  );
}
