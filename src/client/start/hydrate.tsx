/** Takes over a page that the server rendered: the first drawing is what stands there already. */
import type { ComponentType } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { qrIdFrom } from '../paths.ts';
import { RenderedContext, readLookup } from '../rendered.ts';
import { App } from './app.tsx';
import { clientRoot } from './client-root.ts';
import { fetchDisplayFont } from './display-font.ts';
import { Elsewhere } from './elsewhere.ts';

/** `first` has the rendered screen at hand: one that had to be fetched first would lose what is tapped meanwhile. */
export function hydrate(First: ComponentType<{ readonly elsewhere: ComponentType }>): void {
  const rendered = { qrId: qrIdFrom(window.location.pathname), lookup: readLookup(document) };
  hydrateRoot(
    clientRoot(),
    <RenderedContext value={rendered}>
      <App>
        <First elsewhere={Elsewhere} />
      </App>
    </RenderedContext>,
  );
  void fetchDisplayFont();
}
