/** The receipt of a tip to a code that has ended: it outlives the code. */
import { type ReactNode, useEffect, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { readQrCodeId } from '#shared/ids.ts';
import { verifySession } from '../calls.ts';
import { callAbout, isGuests, receiptPage } from '../giving/guest-receipt.ts';
import { authFor } from '../later/addresses.ts';
import { currentPath, LEFT } from '../paths.ts';
import { presentSession, useSession } from '../session/session.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Screen } from '../ui/screen.tsx';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';
import { askerOf } from './payer.ts';
import type { FoundReceipt } from './recall-receipt.ts';
import type { SuccessStep } from './success-step.tsx';

interface LateReceiptProps {
  readonly qrId: string;
  /** Whether its address is that of a payment, which may be unpaid. */
  readonly isPayment: boolean;
  readonly transactionId: string;
  /** The screen of the code, shown without a receipt at this address. */
  readonly gone: ReactNode;
}

type Outcome = 'asking' | 'failed' | 'none' | (FoundReceipt & { readonly Success: typeof SuccessStep });

export function LateReceipt({ qrId, isPayment, transactionId, gone }: LateReceiptProps) {
  const session = useSession();
  const [outcome, setOutcome] = useState<Outcome>('asking');
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in decides what is shown
  useEffect(() => {
    if (presentSession().status === 'checking') return;
    let isWanted = true;
    void find(qrId, transactionId).then((found) => isWanted && setOutcome(found));
    return () => {
      isWanted = false;
    };
  }, [qrId, transactionId, session.status, askerOf(session, transactionId), attempt]);

  function retry() {
    setOutcome('asking');
    void verifySession().then(() => setAttempt((count) => count + 1));
  }

  if (outcome === 'none') return gone;
  if (outcome === 'asking' || outcome === 'failed') {
    return (
      <Screen title="Receipt" width="column">
        {outcome === 'failed' ? (
          <NoReceipt isPayment={isPayment} name={transactionId} onRetry={retry} />
        ) : (
          <Loading text="Loading your receipt...">
            <Skeleton height="tall" />
          </Loading>
        )}
      </Screen>
    );
  }
  const { Success, receipt, provider } = outcome;
  return (
    <Screen title="Receipt" width="column">
      <Success receipt={receipt} provider={provider} onAnother={null} />
    </Screen>
  );
}

async function find(typed: string, transactionId: string): Promise<Outcome> {
  const payerId = askerOf(presentSession(), transactionId);
  const loaded = payerId === null ? null : await import('./paying.tsx').catch(() => null);
  if (payerId === null || loaded === null) return 'failed';
  // As on the page of a code that lives: what was left unpaid must not be paid later.
  if (new URLSearchParams(window.location.search).has(LEFT))
    await callAbout(transactionId, (api) => api.transactions.giveUp.mutate({ id: transactionId }));
  const found = await loaded.paying.findReceipt(readQrCodeId(typed) ?? typed, payerId, transactionId);
  if (found === 'failed') return 'failed';
  if (found === 'unpaid') {
    // The page of the receipt shows the state of the payment.
    navigate(receiptPage(transactionId), { replace: true });
    return 'asking';
  }
  return found === null ? 'none' : { ...found, Success: loaded.paying.SuccessStep };
}

interface NoReceiptProps {
  readonly isPayment?: boolean;
  readonly name: string | null;
  readonly onRetry: () => void;
}

export function NoReceipt({ isPayment = false, name, onRetry }: NoReceiptProps) {
  const session = useSession();
  // A login shows nobody a tip that was given without an account.
  const isGuest = name !== null && isGuests(name);
  if (session.status === 'signed-out' && !isGuest) {
    return (
      <Problem title={isPayment ? 'Login to see what became of your payment' : 'Login to see your receipt'}>
        <p>Only {isPayment ? 'whoever began it' : 'the two people of a tip'} can see it.</p>
        <ButtonLink href={authFor(currentPath())}>Login</ButtonLink>
      </Problem>
    );
  }
  if (isPayment) {
    return (
      <Problem title="What became of your payment could not be loaded" onRetry={onRetry}>
        <p>Nothing is lost, and nothing is paid twice. Check your connection and try again.</p>
      </Problem>
    );
  }
  return (
    <Problem title="Your receipt could not be loaded" onRetry={onRetry}>
      <p>Your tip is not lost, and it is not paid again. Check your connection and try again.</p>
    </Problem>
  );
}
