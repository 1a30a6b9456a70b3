/** The receipt of a tip without an account, for everybody who has its link, with the refund. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { GUEST_RECEIPT_PREFIX } from '#shared/page-paths.ts';
import type { Transaction } from '#shared/tips.ts';
import { serverNow } from '../api-client/server-clock.ts';
import { callAbout, isGuests, isUnknown } from '../giving/guest-receipt.ts';
import { lookAgainMs, restMs } from '../giving/look-again.ts';
import { Screen } from '../ui/screen.tsx';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';
import { Receipt, UnknownReceipt } from './receipt.tsx';

const NO_ANSWER = 'Nothing is lost. Check your connection and try again.';

export function GuestReceiptPage() {
  const [pathname] = useLocation();
  // Some people end addresses with a slash.
  const token = pathname.slice(GUEST_RECEIPT_PREFIX.length).replace(/\/$/, '');
  return isGuests(token) ? <LoadedReceipt key={token} token={token} /> : <UnknownReceipt isByLink />;
}

type Found = 'nothing yet' | 'unknown' | { readonly transaction: Transaction } | { readonly problem: string };

function LoadedReceipt({ token }: { readonly token: string }) {
  const { found, take, look } = useGuestReceipt(token);
  if (found === 'unknown') return <UnknownReceipt isByLink />;
  return (
    <Screen title="Receipt" width="column">
      {found === 'nothing yet' ? (
        <Loading text="Loading your receipt...">
          <Skeleton height="tall" />
        </Loading>
      ) : 'problem' in found ? (
        <Problem isScreen title="The receipt could not be loaded" onRetry={look}>
          <p>{found.problem}</p>
        </Problem>
      ) : (
        <Receipt transaction={found.transaction} isGiver onRefunded={take} onStale={look} />
      )}
    </Screen>
  );
}

function useGuestReceipt(token: string) {
  const [found, setFound] = useState<Found>('nothing yet');
  const [leastMs, setLeastMs] = useState(0);
  /** Numbers the requests, so that an older answer never replaces a newer one. */
  const count = useRef(0);
  /** The number of the newest request that was answered. A slow network answers after the next one is sent. */
  const answered = useRef(0);

  function take(transaction: Transaction) {
    count.current += 1;
    answered.current = count.current;
    setFound({ transaction });
  }

  async function ask() {
    count.current += 1;
    const own = count.current;
    const outcome = await callAbout(token, (api) => api.transactions.get.query({ id: token }));
    if (own < answered.current) return;
    answered.current = own;
    setLeastMs(restMs(outcome.failure));
    if (outcome.failure === null) {
      setFound({ transaction: outcome.answer });
    } else if (isUnknown(outcome.failure, token)) {
      setFound('unknown');
    } else {
      const problem = outcome.failure.detail ?? NO_ANSWER;
      // A failed repetition keeps the shown receipt.
      setFound((shown) => (typeof shown === 'object' && 'transaction' in shown ? shown : { problem }));
    }
  }

  const askAgain = useEffectEvent(ask);
  useEffect(() => void askAgain(), []);
  const waitMs =
    typeof found === 'object' && 'transaction' in found
      ? lookAgainMs(found.transaction, true, serverNow())
      : null;
  useEffect(() => {
    if (waitMs === null) return;
    const askIfSeen = () => {
      if (!document.hidden) void askAgain();
    };
    const timer = setInterval(askIfSeen, Math.max(leastMs, waitMs));
    document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [waitMs, leastMs]);

  return { found, take, look: () => void ask() };
}
