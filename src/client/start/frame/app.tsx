/** The frame of every screen: the router, the session, a screen for errors, and the toasts. */
import { lazy, type ReactNode, StrictMode, Suspense, useEffect } from 'react';
import { Router } from 'wouter';
import type { Address } from '#shared/rendered-page.ts';
import { verifySession } from '../../calls.ts';
import { type Rendered, RenderedContext } from '../../rendered.ts';
import { followOtherTabs } from '../../session/session.ts';
import { useToasterWanted } from '../../toasts.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { LoadingScreen } from '../../ui/loading-screen.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Problem } from '../../ui/states.tsx';
import { exactAddresses } from './exact-addresses.ts';

const Toaster = lazy(() =>
  import('../../ui/later/toaster.tsx').then(({ Toaster }) => ({ default: Toaster })),
);

interface AppProps {
  /** The address of a page that the server renders; absent in a browser. */
  readonly address?: Address;
  readonly rendered?: Rendered;
  readonly children: ReactNode;
}

export function App({ address, rendered, children }: AppProps) {
  useEffect(() => {
    void verifySession();
    return followOtherTabs(() => void verifySession());
  }, []);
  const isToasterWanted = useToasterWanted();
  return (
    <StrictMode>
      <Router {...exactAddresses} {...(address && { ssrPath: address.pathname, ssrSearch: address.search })}>
        <RenderedContext value={rendered ?? null}>
          <Boundary fallback={<FailedScreen />}>
            <Suspense fallback={<LoadingScreen />}>{children}</Suspense>
          </Boundary>
        </RenderedContext>
      </Router>
      {isToasterWanted && (
        // With a boundary of its own a toaster that cannot be fetched leaves the screen as it is.
        <Boundary>
          <Suspense>
            <Toaster />
          </Suspense>
        </Boundary>
      )}
    </StrictMode>
  );
}

/** Replaces a screen that could not be fetched or drawn; a reload may help in both cases. */
function FailedScreen() {
  return (
    <Screen title="Something went wrong">
      <Problem isScreen title="This page could not be shown" onRetry={() => window.location.reload()}>
        <p>Check your connection and try again. The same tip is never charged twice.</p>
      </Problem>
    </Screen>
  );
}
