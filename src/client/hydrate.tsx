/** Takes over a page that the server rendered: the first drawing is what stands there already. */
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { clientRoot } from './client-root.ts';
import { qrIdFrom } from './paths.ts';
import { RenderedContext, readLookup } from './rendered.ts';
import type { Screens } from './screens.ts';

/** `screens` has the rendered one at hand; one that had to be fetched first would lose what is tapped meanwhile. */
export function hydrate(screens: Screens): void {
  const rendered = { qrId: qrIdFrom(window.location.pathname), lookup: readLookup(document) };
  hydrateRoot(
    clientRoot(),
    <RenderedContext value={rendered}>
      <App screens={screens} />
    </RenderedContext>,
  );
}
