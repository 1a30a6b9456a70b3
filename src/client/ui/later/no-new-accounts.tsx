/** What a site that takes no new accounts says of it. */
import { operatorContact } from './contact.ts';

export const NO_NEW_ACCOUNTS = 'This site isn’t taking new accounts.';

/** Whom to ask, where the operator has set a contact. */
export function AskForAccount() {
  const contact = operatorContact();
  return contact ? (
    <>
      Questions? Contact <a href={contact.href}>{contact.text}</a>.
    </>
  ) : (
    'Questions? Ask whoever runs it.'
  );
}
