/**
 * The route table: which screen stands at which address, and who may see it.
 */
import { type ComponentType, lazy, type ReactNode, StrictMode, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { brand } from '#shared/brand.ts';
import { verifySession } from './calls.ts';
import { authFor, currentPath, nextFrom, paths, qrIdFrom } from './paths.ts';
import { useAddress } from './rendered.ts';
import type { Screens } from './screens.ts';
import { followOtherTabs, useSession } from './session.ts';
import { useToasterWanted } from './toasts.ts';
import { Boundary } from './ui/boundary.tsx';
import { Screen } from './ui/screen.tsx';
import { Loading, Problem } from './ui/states.tsx';

const Toaster = lazy(() => import('./ui/toaster.tsx').then(({ Toaster }) => ({ default: Toaster })));

export function App({ screens }: { readonly screens: Screens }) {
  const { Landing, Auth, Dashboard, Scan, NotFound } = screens;
  useEffect(() => {
    void verifySession();
    return followOtherTabs(() => void verifySession());
  }, []);
  const isToasterWanted = useToasterWanted();
  return (
    <StrictMode>
      <Boundary fallback={<FailedScreen />}>
        <Suspense fallback={<LoadingScreen />}>
          <Switch>
            <Route path={paths.home}>
              <SignedOutOnly screen={Landing} />
            </Route>
            <Route path={paths.auth}>
              <SignedOutOnly screen={Auth} />
            </Route>
            <Route path={paths.dashboard}>
              <SignedInOnly>
                <Dashboard />
              </SignedInOnly>
            </Route>
            <Route path={paths.scan}>
              <SignedInOnly>
                <Scan />
              </SignedInOnly>
            </Route>
            <Route path="/tip/:qrId">
              <TipOfAddress screen={screens.Tip} />
            </Route>
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
      {isToasterWanted && (
        // What a toast says stands on the page as well, so that without a connection it may be missing.
        <Boundary>
          <Suspense>
            <Toaster />
          </Suspense>
        </Boundary>
      )}
    </StrictMode>
  );
}

function TipOfAddress({ screen: Tip }: { readonly screen: Screens['Tip'] }) {
  const qrId = qrIdFrom(useAddress().pathname);
  return <Tip key={qrId} qrId={qrId} />;
}

/** Whoever is logged in goes on to where they were heading, else to the dashboard. */
function SignedOutOnly({ screen: ScreenOf }: { readonly screen: ComponentType }) {
  const session = useSession();
  const { search } = useAddress();
  switch (session.status) {
    case 'signed-in':
      return <Redirect to={nextFrom(search, window.location.origin) ?? paths.dashboard} replace />;
    case 'signed-out':
      return <ScreenOf />;
    case 'checking':
      return <LoadingScreen />;
    case 'unreachable':
      return <UnreachableScreen />;
  }
}

/** Whoever is not logged in is sent to the login, which leads back here. */
function SignedInOnly({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  switch (session.status) {
    case 'signed-in':
      return children;
    case 'signed-out':
      return <Redirect to={authFor(currentPath())} replace />;
    case 'checking':
      return <LoadingScreen />;
    case 'unreachable':
      return <UnreachableScreen />;
  }
}

function LoadingScreen() {
  return (
    <Screen>
      <Loading text={`Loading ${brand.name}...`} />
    </Screen>
  );
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

/** A part of the client could not be fetched, or there is a mistake in it: loading anew is the way out of both. */
function FailedScreen() {
  return (
    <Screen title="Something went wrong">
      <Problem isScreen title="This page could not be shown" onRetry={() => window.location.reload()}>
        <p>Nothing was charged by this. Check your connection and try again.</p>
      </Problem>
    </Screen>
  );
}
