/** The part of the profile with forms; it is fetched when the profile is opened. */
import type { User } from '#shared/accounts.ts';
import { WordSettings } from '../words/word-settings.tsx';
import { ChangePassword } from './change-password.tsx';
import { Leaving } from './leaving.tsx';
import { Services } from './services.tsx';
import { useReloadSessions } from './session-queries.ts';
import { Sessions } from './sessions.tsx';

export function AccountCare({ user }: { readonly user: User }) {
  return (
    <>
      <Services user={user} />
      <ChangePassword email={user.email} onChanged={useReloadSessions()} />
      <Sessions />
      {user.isServiceProvider && <WordSettings />}
      <Leaving user={user} />
    </>
  );
}
