/** The way back for somebody who has forgotten the password: a link by mail, or the operator makes a new one. */

import { Link } from 'wouter';
import { LINK_PATHS } from '#shared/mail-paths.ts';
import { operatorContact } from '../ui/later/contact.ts';
import { sendsMail } from '../ui/later/sends-mail.ts';
import styles from './auth.module.css';

export function ForgotPassword() {
  if (sendsMail())
    return (
      <p className={styles.forgot}>
        <Link className={styles.forgotLink} href={LINK_PATHS.reset}>
          Forgot your password?
        </Link>
      </p>
    );
  return (
    <p className={styles.forgot}>
      Forgot your password? <AskOperator />
    </p>
  );
}

export function AskOperator() {
  const contact = operatorContact();
  return contact ? (
    <>
      Contact <a href={contact.href}>{contact.text}</a> to get a new one.
    </>
  ) : (
    'Ask whoever runs this site for a new one.'
  );
}
