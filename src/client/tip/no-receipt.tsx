/** The note in the place of a receipt that cannot be shown. */
import { isGuests } from '../giving/guest-receipt.ts';
import { authFor, currentPath } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Problem } from '../ui/states.tsx';

interface NoReceiptProps {
  /** Whether it is not known that anything was paid. */
  readonly isPayment?: boolean;
  /** The name of the transaction; null where none is known. */
  readonly name: string | null;
  readonly onRetry: () => void;
}

export function NoReceipt({ isPayment = false, name, onRetry }: NoReceiptProps) {
  const session = useSession();
  // A login helps with nothing that was given without an account.
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
