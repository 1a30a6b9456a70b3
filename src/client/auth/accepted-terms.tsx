/** What whoever creates an account accepts, where the operator has terms of use. */
import { drawnInstallation } from '../installation.ts';

export function AcceptedTerms() {
  const hasTerms = import.meta.env.SSR
    ? drawnInstallation().hasTerms
    : document.documentElement.dataset['terms'] === 'on';
  if (!hasTerms) return null;
  return (
    <p>
      By creating an account you accept the{' '}
      {/* A new tab, because this one has a form that may be half filled in. */}
      <a href="/terms" target="_blank" rel="noopener noreferrer">
        terms of use
      </a>
      .
    </p>
  );
}
