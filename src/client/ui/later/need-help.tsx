import { operatorContact } from './contact.ts';

/** Draws nothing when the operator has set no contact. */
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
