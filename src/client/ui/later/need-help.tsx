/** How to reach whoever runs the site. */
import { operatorContact } from './contact.ts';

/** Nothing where the operator has set no contact. */
export function NeedHelp() {
  const contact = operatorContact();
  return (
    contact && (
      <p>
        Need help? Contact <a href={contact.href}>{contact.text}</a>.
      </p>
    )
  );
}
