/**
 * Renders the landing page, the login and the tip page on the server, with the components that take them over in the
 * browser.
 * Nothing here waits but for the look-up, and nothing is kept between two pages.
 */
import type { ComponentType } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { tipPageUrl } from '#shared/ids.ts';
import type { Lookup, PageRequest, RenderedPage, RenderPage } from '#shared/rendered-page.ts';
import { App } from './app.tsx';
import { AuthFirst } from './auth-first.tsx';
import { LandingFirst } from './landing-first.tsx';
import { AddressContext } from './navigation.ts';
import { isTipPage, paths, qrIdFrom } from './paths.ts';
import { RenderedContext, writeLookup } from './rendered.ts';
import { demoQuery, demoState, type KnownState, providerState } from './tip/provider.ts';
import { TipFirst } from './tip-first.tsx';
import { titleOf } from './ui/screen.tsx';

/** Only the rendered screens are ever drawn here. */
const Nowhere = () => null;

const STATUSES = { found: 200, unknown: 404, failed: 503 } as const;

/** See `RenderPage`. Any address but a tip page's and the login's is taken for the landing page's. */
export const renderPage: RenderPage = async (request) => {
  const { pathname, search, lookUp } = request;
  if (pathname === paths.auth) return draw(request, AuthFirst, STATUSES.found, authCard(request), null);
  if (!isTipPage(pathname)) return draw(request, LandingFirst, STATUSES.found, homeCard(request), null);
  const qrId = qrIdFrom(pathname);
  const demo = demoState(qrId, search);
  if (demo) return drawTip(request, demo, null);
  const lookup = await lookUp(qrId);
  return drawTip(request, providerState(lookup), lookup);
};

function drawTip(request: PageRequest, state: KnownState, lookup: Lookup | null): RenderedPage {
  if (state.status !== 'found')
    return draw(request, TipFirst, STATUSES[state.status], homeCard(request), lookup);
  const { publicUrl, pathname, search } = request;
  const { fullName, serviceCategory } = state.provider;
  const card = {
    title: `Tip ${fullName}, ${CATEGORY_LABELS[serviceCategory]}`,
    description: `Choose an amount and tip ${fullName} with your phone. There is no app to install.`,
    url:
      lookup?.status === 'found'
        ? tipPageUrl(publicUrl, lookup.found.qrCode.id)
        : publicUrl + pathname + demoQuery(search),
  };
  return draw(request, TipFirst, STATUSES.found, card, lookup);
}

function homeCard({ publicUrl }: PageRequest): Card {
  return { title: titleOf(), description: brand.description, url: publicUrl + paths.home };
}

function authCard({ publicUrl }: PageRequest): Card {
  return {
    title: titleOf('Login or Sign Up'),
    description: `Login to ${brand.name}, or sign up to get tipped by QR code or to tip.`,
    url: publicUrl + paths.auth,
  };
}

/** What a shared link shows (https://ogp.me). */
interface Card {
  readonly title: string;
  readonly description: string;
  readonly url: string;
}

function draw(
  { pathname, search, publicUrl }: PageRequest,
  First: ComponentType<{ readonly elsewhere: ComponentType }>,
  status: RenderedPage['status'],
  card: Card,
  lookup: Lookup | null,
): RenderedPage {
  const html = renderToString(
    <RenderedContext value={{ qrId: qrIdFrom(pathname), lookup }}>
      <AddressContext value={{ pathname, search }}>
        <App>
          <First elsewhere={Nowhere} />
        </App>
      </AddressContext>
    </RenderedContext>,
  );
  // The title comes first, because React expects it to be moved into the head.
  const [title = ''] = /^<title>[^<]*<\/title>/.exec(html) ?? [];
  return {
    status,
    head: title + renderToStaticMarkup(<SharedCard card={card} imageUrl={`${publicUrl}/icon-512.png`} />),
    body: html.slice(title.length),
    data: writeLookup(lookup),
  };
}

function SharedCard({ card, imageUrl }: { readonly card: Card; readonly imageUrl: string }) {
  return (
    <>
      <meta name="description" content={card.description} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={brand.name} />
      <meta property="og:title" content={card.title} />
      <meta property="og:description" content={card.description} />
      <meta property="og:url" content={card.url} />
      <meta property="og:image" content={imageUrl} />
      <meta name="twitter:card" content="summary" />
    </>
  );
}
