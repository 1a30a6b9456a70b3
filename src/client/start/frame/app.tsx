/** The frame of every screen: the router, the session, a screen for errors, and the toasts. */
import { lazy, type ReactNode, StrictMode, useEffect } from 'react';
import { Router } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { Address } from '#shared/rendered-page.ts';
import { verifySession } from '../../calls.ts';
import { type Rendered, RenderedContext } from '../../rendered.ts';
import { followOtherTabs } from '../../session/session.ts';
import { useToasterWanted } from '../../toasts.ts';
import { Later } from '../../ui/boundary.tsx';
import { FailedScreen } from '../../ui/failed-screen.tsx';
import { LoadingScreen } from '../../ui/loading-screen.tsx';
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
  const router = {
    ...exactAddresses,
    ...(address && { ssrPath: address.pathname, ssrSearch: address.search }),
  };
  // A screen that waits for its script hears nothing of an address that it has shown last: Back would do nothing.
  usePathname(router);
  const isToasterWanted = useToasterWanted();
  return (
    <StrictMode>
      <Router {...router}>
        <RenderedContext value={rendered ?? null}>
          <Later meanwhile={<LoadingScreen />} otherwise={<FailedScreen />}>
            {children}
          </Later>
        </RenderedContext>
      </Router>
      {isToasterWanted && (
        // With a boundary of its own a toaster that cannot be fetched leaves the screen as it is.
        <Later>
          <Toaster />
        </Later>
      )}
    </StrictMode>
  );
}
