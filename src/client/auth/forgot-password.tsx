/** The way back for somebody who has forgotten the password: the operator makes a new one. */
import { readOperatorContact } from '#shared/operator-contact.ts';
import { operatorContact } from '../installation.ts';
import styles from './auth.module.css';

export function ForgotPassword() {
  const contact = readOperatorContact(operatorContact());
  return (
    <p className={styles.forgot}>
      Forgot your password?{' '}
      {contact ? (
        <>
          Contact <a href={contact.href}>{contact.text}</a> to get a new one.
        </>
      ) : (
        'Ask whoever runs this site for a new one.'
      )}
    </p>
  );
}
