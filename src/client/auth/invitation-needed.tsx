/** Stands in the place of the sign-up form where it takes an invitation and there is none. */
import { operatorContact } from '../ui/later/contact.ts';
import styles from './auth.module.css';

/** @param props.isLinkBroken whether somebody came by a link that has lost its end. */
export function InvitationNeeded({ isLinkBroken }: { readonly isLinkBroken: boolean }) {
  const contact = operatorContact();
  return (
    <div className={styles.needed}>
      <p>
        {isLinkBroken
          ? 'This invitation link is not complete. Open it again from the message you got.'
          : 'You need an invitation to sign up here. Have one? Open its link.'}
      </p>
      <p>
        {contact ? (
          <>
            No invitation? Contact <a href={contact.href}>{contact.text}</a> to get one.
          </>
        ) : (
          'No invitation? Ask whoever runs this site for one.'
        )}
      </p>
    </div>
  );
}

export function Invited({ email }: { readonly email: string | null }) {
  return (
    <p className={styles.invited}>
      {email === null ? (
        'You’re invited. Create your account here.'
      ) : (
        <>
          This invitation is for <bdi className={styles.address}>{email}</bdi>.
        </>
      )}
    </p>
  );
}
