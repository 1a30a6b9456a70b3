import type { ComponentProps } from 'react';
import styles from './button.module.css';

/** `money` is only for buttons that move money. */
const LOOKS = { primary: styles.primary, quiet: styles.quiet, money: styles.money };

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof LOOKS;
}

export function Button({ look = 'primary', type = 'button', className, ...rest }: ButtonProps) {
  return <button type={type} className={buttonClasses(look, className)} {...rest} />;
}

export function buttonClasses(look: keyof typeof LOOKS, className: string | undefined): string {
  return [styles.button, LOOKS[look], className].filter(Boolean).join(' ');
}
