/** The way back for somebody who has forgotten the password: a link by mail, or the operator makes a new one. */

import { Link, useSearch } from 'wouter';
import { LINK_PATHS } from '#shared/mail-paths.ts';
import { operatorContact } from '../ui/later/contact.ts';
import { sendsMail } from '../ui/later/sends-mail.ts';
import styles from './auth.module.css';
import { nextFrom } from './next.ts';

export function ForgotPassword() {
  const next = nextFrom(useSearch());
  if (sendsMail())
    return (
      <p className={styles.forgot}>
        <Link
          className={styles.forgotLink}
          href={next === null ? LINK_PATHS.reset : `${LINK_PATHS.reset}?${new URLSearchParams({ next })}`}
        >
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
