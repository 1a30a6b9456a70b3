import { useEffect, useState } from 'react';
import { callAbout } from '../giving/guest-receipt.ts';
import { lookForThanksMs } from '../giving/look-again.ts';
import type { Receipt } from './tip-flow.ts';

/** What the receiver of a tip says to its giver. It is looked for again while somebody looks, until the receiver has answered. */
export function useThankYou({ transactionId, thankYou }: Receipt): string | null {
  const [told, setTold] = useState<{ readonly name: string; readonly thankYou: string | null } | null>(null);
  useEffect(() => {
    if (transactionId === null) return;
    const name = transactionId;
    const beganAt = new Date();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLooking = false;
    let isOver = false;

    const look = async () => {
      // A hidden page does not look; it does when it is looked at again.
      if (isLooking || isOver || document.hidden) return;
      isLooking = true;
      clearTimeout(timer);
      const outcome = await callAbout(name, (api) => api.transactions.get.query({ id: name }));
      isLooking = false;
      if (isOver) return;
      if (outcome.failure === null) {
        setTold({ name, thankYou: outcome.answer.thankYou });
        isOver = outcome.answer.thankedAt !== null;
      }
      wait();
    };
    const wait = () => {
      if (!isOver) timer = setTimeout(() => void look(), lookForThanksMs(msSince(beganAt)));
    };
    const lookWhenSeen = () => void look();

    wait();
    document.addEventListener('visibilitychange', lookWhenSeen);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', lookWhenSeen);
    };
  }, [transactionId]);
  return (told?.name === transactionId && told?.thankYou) || thankYou;
}

function msSince(moment: Date, now = new Date()): number {
  return now.getTime() - moment.getTime();
}
