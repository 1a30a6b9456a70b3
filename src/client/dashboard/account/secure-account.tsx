/** A provider who must have a second factor sees no other screen before there is one. */
import type { User } from '#shared/accounts.ts';
import { verifySession } from '../../calls.ts';
import { useLogout } from '../../signed-in/logout.ts';
import { QuietData } from '../../signed-in/signed-in-data.tsx';
import { Button } from '../../ui/button.tsx';
import { ScreenHeading } from '../../ui/heading.tsx';
import { Screen } from '../../ui/screen.tsx';
import styles from './account-care.module.css';
import { FactorCare } from './second-factors.tsx';

export function SecureAccount({ user }: { readonly user: User }) {
  const { logout, isLoggingOut } = useLogout();
  return (
    <Screen
      title="Secure Your Account"
      width="column"
      actions={
        <Button look="quiet" aria-disabled={isLoggingOut} onClick={() => void logout()}>
          Logout
        </Button>
      }
    >
      <div className={styles.part}>
        <ScreenHeading>Secure Your Account</ScreenHeading>
        <p>This site asks everybody who gets tips for a passkey or an authenticator app.</p>
        {/* The server says whether there is a factor, and this screen ends with that. */}
        <QuietData user={user}>
          <FactorCare user={user} onAdded={() => void verifySession()} />
        </QuietData>
      </div>
    </Screen>
  );
}
