/** The operator's contact, apart from the other settings, which the tip page loads. */
import { type OperatorContact, readOperatorContact } from '#shared/later/operator-contact.ts';
import { drawnInstallation } from '../../installation.ts';

/** @returns null when none is set. */
export function operatorContact(): OperatorContact | null {
  return readOperatorContact(
    import.meta.env.SSR
      ? drawnInstallation().operatorContact
      : (document.documentElement.dataset['contact'] ?? ''),
  );
}
