/** A link that looks like a button. It works before the script loads. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { buttonClasses } from './button.tsx';

interface ButtonLinkProps {
  readonly href: string;
  readonly look?: 'primary' | 'quiet';
  readonly className?: string | undefined;
  readonly onClick?: () => void;
  /** The state of the new entry in the history. */
  readonly state?: object;
  readonly children: ReactNode;
}

export function ButtonLink({ look = 'primary', className, ...rest }: ButtonLinkProps) {
  return <Link className={buttonClasses(look, className)} {...rest} />;
}
