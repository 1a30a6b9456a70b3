/** A page that arrives rendered. The server and the browser draw this one component, so that hydrating finds what it expects. */
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Address } from '#shared/rendered-page.ts';
import { type Rendered, RenderedContext } from '../rendered.ts';
import { useSession } from '../session/session.ts';
import { App } from './app.tsx';

interface FirstScreenProps {
  /** Whether the first screen stands at a path. */
  readonly isHere: (pathname: string) => boolean;
  readonly screen: ReactNode;
  /** All other screens. */
  readonly elsewhere: ReactNode;
}

interface PageProps extends FirstScreenProps {
  readonly rendered: Rendered;
  /** The address of a page that is drawn on the server. */
  readonly address?: Address | undefined;
}

export function Page({ rendered, address, ...screens }: PageProps) {
  return (
    <RenderedContext value={rendered}>
      <App address={address}>
        <FirstScreen {...screens} />
      </App>
    </RenderedContext>
  );
}

function FirstScreen({ isHere, screen, elsewhere }: FirstScreenProps) {
  const [pathname] = useLocation();
  const session = useSession();
  // The route table has the screen that asks for another password.
  const mustChangePassword = session.status === 'signed-in' && session.user.mustChangePassword;
  return isHere(pathname) && !mustChangePassword ? screen : elsewhere;
}
