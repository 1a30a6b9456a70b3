/** An account whose password the operator made sees no other screen: somebody else knows that password. */
import type { User } from '#shared/accounts.ts';
import { useLogout } from '../../signed-in/logout.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { ScreenHeading } from '../../ui/heading.tsx';
import { Screen } from '../../ui/screen.tsx';
import styles from './account-care.module.css';
import { ChangePassword } from './change-password.tsx';

const CURRENT_HINT = 'The one that you were given. Leave it empty if you logged in by a passkey.';

export function OwnPassword({ user }: { readonly user: User }) {
  const { logout, isLoggingOut } = useLogout();
  return (
    <Screen
      title="Choose a password"
      width="column"
      actions={
        <Button look="quiet" aria-disabled={isLoggingOut} onClick={() => void logout()}>
          Logout
        </Button>
      }
    >
      <div className={styles.part}>
        <ScreenHeading>Choose a password of your own</ScreenHeading>
        <p>
          Somebody else made the present password of your account. Choose one that only you know, and go on.
        </p>
        <div className={card.card}>
          <ChangePassword email={user.email} currentHint={CURRENT_HINT} />
        </div>
      </div>
    </Screen>
  );
}
