import { useId } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { CATEGORY_LABELS, SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { Choice } from '../../controls/choice.tsx';
import { Badge } from '../badge.tsx';
import styles from './service-picker.module.css';

interface ServicePickerProps {
  readonly legend: string;
  readonly services?: readonly ServiceCategory[];
  readonly field: UseFormRegisterReturn;
  readonly chosen: readonly ServiceCategory[];
  readonly error: string | undefined;
}

export function ServicePicker(props: ServicePickerProps) {
  const { legend, services = SERVICE_CATEGORIES, field, chosen, error } = props;
  const id = useId();
  return (
    <>
      <fieldset aria-describedby={error === undefined ? undefined : `${id}-error`}>
        <legend className={styles.legend}>{legend}</legend>
        <div className={styles.services}>
          {services.map((category) => (
            <Choice key={category} value={category} aria-invalid={error !== undefined} {...field}>
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
            {services
              .filter((category) => chosen.includes(category))
              .map((category) => (
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
