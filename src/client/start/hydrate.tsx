/** Takes over a page that the server rendered. */
import { lazy, type ReactNode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { useLocation } from 'wouter';
import { qrIdFrom } from '../paths.ts';
import { readLookup } from '../rendered.ts';
import { useSession } from '../session/session.ts';
import { App } from './app.tsx';
import { clientRoot } from './client-root.ts';
import { fetchDisplayFont } from './display-font.ts';

const Elsewhere = lazy(() => import('./routes.tsx').then(({ Routes }) => ({ default: Routes })));

interface RenderedScreenProps {
  /** Whether the screen stands at a path. */
  readonly isHere: (pathname: string) => boolean;
  readonly screen: ReactNode;
}

/**
 * Hydrates the page.
 * @param screen what the server rendered. It must not have to be fetched: a tap would be lost meanwhile.
 */
export function hydrate(isHere: RenderedScreenProps['isHere'], screen: ReactNode): void {
  const rendered = { qrId: qrIdFrom(window.location.pathname), lookup: readLookup(document) };
  hydrateRoot(
    clientRoot(),
    <App rendered={rendered}>
      <RenderedScreen isHere={isHere} screen={screen} />
    </App>,
  );
  void fetchDisplayFont();
}

/** The rendered screen, until somebody leaves it or has to change their password: then the route table is fetched. */
function RenderedScreen({ isHere, screen }: RenderedScreenProps) {
  const [pathname] = useLocation();
  const session = useSession();
  const mustChangePassword = session.status === 'signed-in' && session.user.mustChangePassword;
  return isHere(pathname) && !mustChangePassword ? screen : <Elsewhere />;
}
