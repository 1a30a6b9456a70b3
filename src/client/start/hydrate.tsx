/** Takes over a page that the server rendered. */
import { lazy, type ReactNode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { qrIdFrom } from '../paths.ts';
import { readLookup } from '../rendered.ts';
import { clientRoot } from './client-root.ts';
import { fetchDisplayFont } from './display-font.ts';
import { Page } from './page.tsx';

const Elsewhere = lazy(() => import('./routes.tsx').then(({ Routes }) => ({ default: Routes })));

/**
 * Hydrates the page; the route table is fetched when somebody leaves its screen.
 * @param isHere whether the screen stands at a path.
 * @param screen the screen that was rendered. It must not have to be fetched: a tap would be lost meanwhile.
 */
export function hydrate(isHere: (pathname: string) => boolean, screen: ReactNode): void {
  const rendered = { qrId: qrIdFrom(window.location.pathname), lookup: readLookup(document) };
  hydrateRoot(
    clientRoot(),
    <Page rendered={rendered} isHere={isHere} screen={screen} elsewhere={<Elsewhere />} />,
  );
  void fetchDisplayFont();
}
