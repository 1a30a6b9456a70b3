/**
 * Who may see a screen, and where everybody else is taken.
 */
import { type ComponentType, useLayoutEffect } from 'react';
import { brand } from '#shared/brand.ts';
import { verifySession } from '../calls.ts';
import { navigate, useAddress } from '../navigation.ts';
import { nextFrom } from '../next.ts';
import { authFor, currentPath, paths } from '../paths.ts';
import { LoadingScreen } from '../ui/loading-screen.tsx';
import { Screen } from '../ui/screen.tsx';
import { Problem } from '../ui/states.tsx';
import { useSession } from './session.ts';

/** Whoever is logged in goes on to where they were heading, else to the dashboard. */
export function SignedOutOnly({ screen: ScreenOf }: { readonly screen: ComponentType }) {
  const session = useSession();
  const { search } = useAddress();
  switch (session.status) {
    case 'signed-in':
      return <Redirect to={nextFrom(search) ?? paths.dashboard} />;
    case 'signed-out':
      return <ScreenOf />;
    case 'checking':
      return <LoadingScreen />;
    case 'unreachable':
      return <UnreachableScreen />;
  }
}

/** Whoever is not logged in is sent to the login, which leads back here. */
export function SignedInOnly({ screen: ScreenOf }: { readonly screen: ComponentType }) {
  const session = useSession();
  switch (session.status) {
    case 'signed-in':
      return <ScreenOf />;
    case 'signed-out':
      return <Redirect to={authFor(currentPath())} />;
    case 'checking':
      return <LoadingScreen />;
    case 'unreachable':
      return <UnreachableScreen />;
  }
}

function Redirect({ to }: { readonly to: string }) {
  useLayoutEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

/** The token is kept: without an answer nobody knows whether it still counts. */
function UnreachableScreen() {
  return (
    <Screen title="No connection">
      <Problem isScreen title={`${brand.name} cannot be reached`} onRetry={() => void verifySession()}>
        <p>You are still logged in on this device. Check your connection and try again.</p>
      </Problem>
    </Screen>
  );
}
