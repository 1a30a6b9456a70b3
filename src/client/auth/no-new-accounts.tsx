/** What stands below the login of a site that takes no new accounts, with whom to ask. */
import { operatorContact } from '../ui/later/contact.ts';
import { NO_NEW_ACCOUNTS } from '../ui/later/registration-mode.ts';
import styles from './auth.module.css';

export function NoNewAccounts() {
  const contact = operatorContact();
  return (
    <p className={styles.closed}>
      {NO_NEW_ACCOUNTS}{' '}
      {contact ? (
        <>
          Questions? Contact <a href={contact.href}>{contact.text}</a>.
        </>
      ) : (
        'Questions? Ask whoever runs it.'
      )}
    </p>
  );
}
