/** Draws the client into its page: into an empty one, or over the HTML of a rendered one. */
import file from '@fontsource/instrument-serif/files/instrument-serif-latin-400-normal.woff2?url';
import { lazy, type ReactNode, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { useLocation } from 'wouter';
import { qrIdFrom } from '#shared/page-paths.ts';
import { readTerms } from '../../installation.ts';
import { readLookup } from '../../rendered.ts';
import { useSession } from '../../session/session.ts';
import { App } from './app.tsx';
import '../../ui/tokens.css';
import '../../ui/base.css';

const Elsewhere = lazy(() => import('../routes.tsx').then(({ Routes }) => ({ default: Routes })));

interface RenderedScreenProps {
  readonly isHere: (pathname: string) => boolean;
  readonly screen: ReactNode;
}

export function draw(screen: ReactNode): void {
  readTerms();
  fetchDisplayFont();
  createRoot(clientRoot()).render(<App>{screen}</App>);
}

/** Draws over a rendered frame, which may hold what only this device knows, so that nothing can be hydrated. */
export function drawOver(isHere: RenderedScreenProps['isHere'], screen: ReactNode): void {
  readTerms();
  createRoot(clientRoot()).render(
    <App>
      <RenderedScreen isHere={isHere} screen={screen} />
    </App>,
  );
  document.dispatchEvent(new Event('hydrating'));
  fetchDisplayFont();
}

/** @param screen draws the server's HTML at first, and fetches no part of it, because taps would be lost meanwhile. */
export function hydrate(isHere: RenderedScreenProps['isHere'], screen: ReactNode): void {
  readTerms();
  const rendered = { qrId: qrIdFrom(window.location.pathname), lookup: readLookup(document) };
  hydrateRoot(
    clientRoot(),
    <App rendered={rendered}>
      <RenderedScreen isHere={isHere} screen={screen} />
    </App>,
  );
  document.dispatchEvent(new Event('hydrating'));
  fetchDisplayFont();
}

/** The rendered screen; the route table is fetched when a person leaves it or has to secure the account first. */
function RenderedScreen({ isHere, screen }: RenderedScreenProps) {
  const [pathname] = useLocation();
  const session = useSession();
  useEffect(() => {
    // after-paint.ts repeats the taps from before, on a page that has read the earlier choices.
    setTimeout(() => document.dispatchEvent(new Event('hydrated')));
  }, []);
  const isHeldUp =
    session.status === 'signed-in' && (session.user.mustChangePassword || session.user.mustAddSecondFactor);
  return isHere(pathname) && !isHeldUp ? screen : <Elsewhere />;
}

function clientRoot(): HTMLElement {
  const root = document.getElementById('root');
  if (!root) throw new Error('no root');
  // A later handler keeps this place, ahead of what draws another address (ui/later/unsaved.tsx).
  window.onpopstate = () => {};
  return root;
}

/** After the first paint. Nothing moves, because the fallback has the metrics of the typeface (ui/tokens.css). */
function fetchDisplayFont(): void {
  const face = new FontFace('Instrument Serif', `url(${file})`, { display: 'swap' });
  document.fonts.add(face);
  face.load().catch(() => {});
}
