/** The note in the place of a receipt that cannot be shown. */
import { authFor, currentPath } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Problem } from '../ui/states.tsx';

export function NoReceipt({ onRetry }: { readonly onRetry: () => void }) {
  const session = useSession();
  if (session.status === 'signed-out') {
    return (
      <Problem title="Login to see your receipt">
        <p>Only the two people of a tip can see it.</p>
        <ButtonLink href={authFor(currentPath())}>Login</ButtonLink>
      </Problem>
    );
  }
  return (
    <Problem title="Your receipt could not be loaded" onRetry={onRetry}>
      <p>Your tip is not lost, and it is not paid again. Check your connection and try again.</p>
    </Problem>
  );
}
