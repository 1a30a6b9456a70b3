/** A link that looks like a button. It works before the script loads. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';

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
  return <Link className={[styles.button, styles[look], className].filter(Boolean).join(' ')} {...rest} />;
}
