/** The place of a receipt that is being asked for, and what stands in the way of showing it. */
import { authFor, currentPath } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';

interface RecallProps {
  readonly hasFailed: boolean;
  readonly onRetry: () => void;
}

export function Recall({ hasFailed, onRetry }: RecallProps) {
  const session = useSession();
  if (!hasFailed) {
    return (
      <Loading text="Loading your receipt...">
        <Skeleton height="tall" />
      </Loading>
    );
  }
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
