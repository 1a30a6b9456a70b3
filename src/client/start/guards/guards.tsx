/** The guards of screens send everybody else to another screen. */
import { type ComponentType, type ReactNode, useEffectEvent, useLayoutEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { nextFrom } from '../../auth/next.ts';
import { verifySession } from '../../calls.ts';
import { authFor } from '../../later/addresses.ts';
import { currentPath, paths } from '../../paths.ts';
import { useSession } from '../../session/session.ts';
import { LoadingScreen } from '../../ui/loading-screen.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Problem } from '../../ui/states.tsx';

export function SignedOutOnly({ screen: ScreenOf }: { readonly screen: ComponentType }) {
  const session = useSession();
  const search = useSearch();
  if (session.status === 'signed-in') return <Replace to={nextFrom(search) ?? paths.dashboard} />;
  return session.status === 'signed-out' ? <ScreenOf /> : <Unverified status={session.status} />;
}

interface SignedInOnlyProps {
  readonly screen: ComponentType<{ readonly user: User }>;
}

export function SignedInOnly({ screen: ScreenOf }: SignedInOnlyProps) {
  const session = useSession();
  if (session.status === 'signed-out') return <Replace to={authFor(currentPath())} />;
  return session.status === 'signed-in' ? (
    <ScreenOf user={session.user} />
  ) : (
    <Unverified status={session.status} />
  );
}

interface SignedInOrKeptProps<Kept> {
  readonly screen: ComponentType<{ readonly user: User | Kept }>;
  /** Whose screen is shown before the session is verified; null shows that of others. */
  readonly kept: () => Kept | null;
  /** What is shown while nobody knows whose session it is, if not the words alone. */
  readonly checking?: ReactNode;
}

/** Shows what was kept on this device until the session is verified, also without a connection. */
export function SignedInOrKept<Kept>({ screen: ScreenOf, kept, checking }: SignedInOrKeptProps<Kept>) {
  const session = useSession();
  // A change of the query draws the screen again.
  useSearch();
  if (session.status === 'signed-out') return <Replace to={authFor(currentPath())} />;
  if (session.status === 'signed-in') return <ScreenOf user={session.user} />;
  const user = kept();
  if (user !== null) return <ScreenOf user={user} />;
  return (session.status === 'checking' && checking) || <Unverified status={session.status} />;
}

/** Written here, because wouter's `Redirect` would stand in the script of every tip page. */
function Replace({ to }: { readonly to: string }) {
  const [, navigate] = useLocation();
  const leave = useEffectEvent(() => {
    navigate(to, { replace: true });
    // A long form may have been scrolled, and the next screen is read from its head.
    window.scrollTo({ top: 0, behavior: 'instant' });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another redirection
  useLayoutEffect(() => leave(), [to]);
  return null;
}

/** Without an answer the token may still be valid, so that it is kept. */
function Unverified({ status }: { readonly status: 'checking' | 'unreachable' }) {
  if (status === 'checking') return <LoadingScreen />;
  return (
    <Screen title="No connection">
      <Problem isScreen title={`${brand.name} cannot be reached`} onRetry={() => void verifySession()}>
        <p>You are still logged in on this device. Check your connection and try again.</p>
      </Problem>
    </Screen>
  );
}
