/** How to reach whoever runs the site. */
import { readOperatorContact } from '#shared/operator-contact.ts';
import { operatorContact } from '../../installation.ts';

/** Nothing where the operator has set no contact. */
export function NeedHelp() {
  const contact = readOperatorContact(operatorContact());
  return (
    contact && (
      <p>
        Need help? Contact <a href={contact.href}>{contact.text}</a>.
      </p>
    )
  );
}
