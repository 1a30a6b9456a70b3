/** The checkboxes of the eight services, with a badge for each chosen one. */
import { useId } from 'react';
import { useWatch } from 'react-hook-form';
import { CATEGORY_LABELS, SERVICE_CATEGORIES } from '#shared/categories.ts';
import { Badge } from '../ui/badge.tsx';
import { Choice } from '../ui/choice.tsx';
import styles from './auth.module.css';
import type { SignUpFormState } from './forms.ts';

export function ServicePicker({ form }: { readonly form: SignUpFormState }) {
  const id = useId();
  const chosen = useWatch({ control: form.control, name: 'serviceCategories' });
  const error = form.formState.errors.serviceCategories?.message;
  return (
    <>
      <fieldset aria-describedby={error === undefined ? undefined : `${id}-error`}>
        <legend className={styles.legend}>Select all services you provide:</legend>
        <div className={styles.services}>
          {SERVICE_CATEGORIES.map((category) => (
            <Choice
              key={category}
              value={category}
              aria-invalid={error !== undefined}
              {...form.register('serviceCategories')}
            >
              {CATEGORY_LABELS[category]}
            </Choice>
          ))}
        </div>
        <p id={`${id}-error`} className={styles.failure} aria-live="polite">
          {error}
        </p>
      </fieldset>
      {chosen.length > 0 && (
        <div className={styles.selected}>
          <p id={`${id}-selected`}>Selected services:</p>
          <ul aria-labelledby={`${id}-selected`} className={styles.badges}>
            {SERVICE_CATEGORIES.filter((category) => chosen.includes(category)).map((category) => (
              <li key={category}>
                <Badge>{CATEGORY_LABELS[category]}</Badge>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
