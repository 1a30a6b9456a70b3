/** The place of the last tip below the codes: it stays until somebody has seen it, also after a reload. */
import { useRef, useState } from 'react';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { LastTip } from './last-tip.tsx';
import styles from './last-tip-place.module.css';
import { useNewTips } from './seen-tips.ts';

interface LastTipPlaceProps {
  readonly user: KeptUser;
  readonly transactions: readonly Transaction[];
}

export function LastTipPlace({ user, transactions }: LastTipPlaceProps) {
  const { tips, see } = useNewTips(user.id, transactions);
  /** The tip that was just thanked for: it stays, because its card says so. */
  const [heldId, setHeldId] = useState<string | null>(null);
  /** The tip that somebody is answering: a newer one waits until that is done. */
  const [answeredId, setAnsweredId] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  // Nobody is asked to thank for what they have reported.
  const thankable = tips.filter((tip) => isKept(tip) && tip.reportedAt === null);
  const [newest] = thankable;
  const isOpen = newest && (newest.thankedAt === null || newest.id === heldId);
  const tip =
    transactions.find(({ id }) => id === answeredId) ??
    (isOpen ? newest : transactions.find(({ id }) => id === heldId));
  if (!tip) return null;

  function dismiss() {
    // The pressed button goes, and reading goes on in the panel around it.
    place.current?.closest<HTMLElement>('[role="tabpanel"]')?.focus();
    setHeldId(null);
    setAnsweredId(null);
    see();
  }

  return (
    <div ref={place} className={styles.place} data-last-tip>
      {/* The key animates a new card. */}
      <LastTip
        key={tip.id}
        tip={tip}
        othersCount={thankable.filter(({ id }) => id !== tip.id).length}
        onAnswer={() => {
          setHeldId(tip.id);
          setAnsweredId(tip.id);
        }}
        onAnswered={() => setAnsweredId(null)}
        onSeen={see}
        onDismiss={dismiss}
      />
    </div>
  );
}
