import type { ReactNode } from 'react';
import { authFor } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { registrationMode } from '../ui/later/registration-mode.ts';

interface JoinLinkProps {
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** Leads to the sign-up form; to the login where nobody can sign up. */
export function JoinLink({ className, children }: JoinLinkProps) {
  const isClosed = registrationMode() === 'closed';
  return (
    <ButtonLink href={isClosed ? paths.auth : authFor(paths.dashboard, 'sign-up')} className={className}>
      {isClosed ? 'Login' : children}
    </ButtonLink>
  );
}
