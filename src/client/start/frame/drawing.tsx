/** Draws the client into its page: into an empty one, or over the HTML of one that the server rendered. */
import file from '@fontsource/instrument-serif/files/instrument-serif-latin-400-normal.woff2?url';
import { lazy, type ReactNode, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { useLocation } from 'wouter';
import { qrIdFrom } from '../../paths.ts';
import { readLookup } from '../../rendered.ts';
import { useSession } from '../../session/session.ts';
import { App } from './app.tsx';
import '../../ui/tokens.css';
import '../../ui/base.css';

const Elsewhere = lazy(() => import('../routes.tsx').then(({ Routes }) => ({ default: Routes })));

interface RenderedScreenProps {
  /** Whether the path is the screen's. */
  readonly isHere: (pathname: string) => boolean;
  readonly screen: ReactNode;
}

/** Draws a page that arrived empty. */
export function draw(screen: ReactNode): void {
  fetchDisplayFont();
  createRoot(clientRoot()).render(<App>{screen}</App>);
}

/**
 * Takes over a page that the server rendered; its HTML must be what this draws first.
 * @param screen the screen that the server rendered. No part of it may be fetched first: taps would be lost
 * meanwhile.
 */
export function hydrate(isHere: RenderedScreenProps['isHere'], screen: ReactNode): void {
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

/**
 * The rendered screen; the route table is fetched when somebody leaves it or has to change their password.
 */
function RenderedScreen({ isHere, screen }: RenderedScreenProps) {
  const [pathname] = useLocation();
  const session = useSession();
  useEffect(() => {
    // after-paint.ts repeats what was tapped before, on a page that has read what was chosen before.
    setTimeout(() => document.dispatchEvent(new Event('hydrated')));
  }, []);
  const mustChangePassword = session.status === 'signed-in' && session.user.mustChangePassword;
  return isHere(pathname) && !mustChangePassword ? screen : <Elsewhere />;
}

function clientRoot(): HTMLElement {
  const root = document.getElementById('root');
  if (!root) throw new Error('no root');
  return root;
}

/**
 * Fetches the typeface of headings, after the first paint: nothing moves when it comes, because the fallback
 * has its measures (ui/tokens.css). Without the typeface headings keep the fallback.
 */
function fetchDisplayFont(): void {
  const face = new FontFace('Instrument Serif', `url(${file})`, { display: 'swap' });
  document.fonts.add(face);
  face.load().catch(() => {});
}
