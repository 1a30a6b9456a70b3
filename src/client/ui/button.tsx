import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  /** `money` is only for buttons that move money. */
  readonly look?: 'primary' | 'quiet' | 'money';
}

export function Button({ look = 'primary', type = 'button', className, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      {...rest}
    />
  );
}
