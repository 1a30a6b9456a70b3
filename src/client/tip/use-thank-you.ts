import { useEffect, useState } from 'react';
import { callAbout } from '../guest-receipt.ts';
import { lookForThanksMs } from '../look-again.ts';
import type { Receipt } from './tip-flow.ts';

/** What the receiver of a tip says to its giver. It is looked for again while somebody looks, until the receiver has answered. */
export function useThankYou({ transactionId, thankYou }: Receipt): string | null {
  const [told, setTold] = useState<{ readonly name: string; readonly thankYou: string | null } | null>(null);
  useEffect(() => {
    if (transactionId === null) return;
    const beganAt = new Date();
    const next = () => setTimeout(() => void look(), lookForThanksMs(msSince(beganAt)));
    let isOver = false;
    let timer = next();

    async function look(name = transactionId ?? '') {
      // A hidden page does not look; it does when it is looked at again.
      const outcome = document.hidden
        ? null
        : await callAbout(name, (api) => api.transactions.get.query({ id: name }));
      if (isOver) return;
      if (outcome?.failure === null) {
        setTold({ name, thankYou: outcome.answer.thankYou });
        if (outcome.answer.thankedAt !== null) return;
      }
      timer = next();
    }

    function lookWhenSeen() {
      if (document.hidden) return;
      clearTimeout(timer);
      void look();
    }

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
