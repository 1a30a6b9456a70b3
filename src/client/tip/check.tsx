import styles from './check.module.css';

export function Check() {
  return (
    <svg className={styles.check} viewBox="0 0 96 96" aria-hidden="true">
      <circle cx="48" cy="48" r="46" />
      <path d="M27 50 42 65 70 34" />
    </svg>
  );
}
