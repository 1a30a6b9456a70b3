/** The way back for somebody who has forgotten the password: the operator makes a new one. */
import { operatorContact } from '../ui/later/contact.ts';
import styles from './auth.module.css';

export function ForgotPassword() {
  const contact = operatorContact();
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
