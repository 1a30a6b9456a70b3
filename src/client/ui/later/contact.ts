/**
 * How to reach whoever runs the site. It stands here and not beside the other settings of the operator, which
 * the tip page loads.
 */
import { type OperatorContact, readOperatorContact } from '#shared/later/operator-contact.ts';
import { drawnInstallation } from '../../installation.ts';

/** @returns null where the operator has set no contact. */
export function operatorContact(): OperatorContact | null {
  return readOperatorContact(
    import.meta.env.SSR
      ? drawnInstallation().operatorContact
      : (document.documentElement.dataset['contact'] ?? ''),
  );
}
