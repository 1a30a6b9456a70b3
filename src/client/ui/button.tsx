/** The button of the product, in three looks. */
import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  /** `money` is for buttons that move money only. */
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
