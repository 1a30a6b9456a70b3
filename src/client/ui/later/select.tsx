import { ChevronDown } from 'lucide-react';
import { type ComponentProps, useId } from 'react';
import field from '../field.module.css';
import styles from './select.module.css';

export function Select({ label, ...select }: ComponentProps<'select'> & { readonly label: string }) {
  const id = useId();
  return (
    <div className={field.field}>
      <label className={field.label} htmlFor={id}>
        {label}
      </label>
      <div className={[field.box, styles.box].join(' ')}>
        <select id={id} className={[field.input, styles.select].join(' ')} {...select} />
        <ChevronDown aria-hidden className={styles.arrow} />
      </div>
    </div>
  );
}
