/** Renders pages on the server with the components of the browser. It is synchronous and keeps no state. */
import type { ReactNode } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import { BRAND_DESCRIPTION, brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { DEMO_PREFIX, readQrCodeId, tipPageUrl } from '#shared/ids.ts';
import { asInvited, isInvited } from '#shared/invitations.ts';
import { PROVIDER_PREFIX, qrIdFrom } from '#shared/page-paths.ts';
import type { ProviderPage } from '#shared/qr-codes.ts';
import type { Address, Lookup, PageRequest, RenderedPage, Renderer } from '#shared/rendered-page.ts';
import { Auth } from '../auth/auth.tsx';
import { nextFrom } from '../auth/next.ts';
import { DashboardFrame } from '../dashboard/dashboard-frame.tsx';
import { drawFor } from '../installation.ts';
import { Landing } from '../landing/landing.tsx';
import { authFor, authTabIn } from '../later/addresses.ts';
import { isTipPage, paths } from '../paths.ts';
import { writeLookup } from '../rendered.ts';
import { Late } from '../tip/late.tsx';
import { demoQuery, providerState } from '../tip/provider.ts';
import { Provider } from '../tip/provider-page.tsx';
import { Tip, titleFor } from '../tip/tip.tsx';
import { flowQuery, paidIn } from '../tip/tip-flow.ts';
import button from '../ui/button.module.css';
import { RetryIcon } from '../ui/icons.tsx';
import screen from '../ui/screen.module.css';
import { Screen, titleOf } from '../ui/screen.tsx';
import { Problem } from '../ui/states.tsx';
import { App } from './frame/app.tsx';
import { SignedOutOnly } from './guards/guards.tsx';

const tipPage = <Tip late={Late} />;

const STATUSES = { found: 200, unknown: 404, replaced: 410, retired: 410, failed: 503 } as const;

const CLOSED = {
  paused: (fullName: string) => `${fullName} is not taking tips right now.`,
  unpayable: (fullName: string) => `${fullName} cannot take tips here yet.`,
} as const;

/** The address of the page of all unknown codes. */
const NOBODYS: Address = { pathname: paths.tip(DEMO_PREFIX), search: '' };

export const renderer: Renderer = {
  reduce,
  render,
  renderProvider,
  renderDashboard,
  renderOffline,
  renderArticle,
};

/** A rendered page sees nothing else of its address: what it comes to read there has to be added here. */
function reduce({ pathname, search }: Address, lookup: Lookup['kind'] | null): Address {
  if (pathname === paths.auth) {
    const tab = authTabIn(search);
    const address = authFor(nextFrom(search) ?? paths.dashboard, tab);
    return split(tab === 'sign-up' && isInvited(search) ? asInvited(address) : address);
  }
  if (!isTipPage(pathname)) return split(paths.home);
  const qrId = qrIdFrom(pathname);
  const code = readQrCodeId(qrId);
  if (code !== null && lookup === 'found') return withQuery(paths.tip(code), flowQuery(search));
  if (lookup === 'failed') return NOBODYS;
  // A receipt outlives its code.
  if (lookup === 'replaced' || lookup === 'retired')
    return withQuery(NOBODYS.pathname, new URLSearchParams(paidIn(search) === null ? {} : flowQuery(search)));
  const state = providerState(qrId, search, null);
  if (state.kind !== 'found') return NOBODYS;
  const { username, serviceCategory } = state.provider;
  return withQuery(
    paths.tip(`${DEMO_PREFIX}${username}-${serviceCategory}`),
    new URLSearchParams([...demoQuery(search), ...flowQuery(search)]),
  );
}

function split(address: string): Address {
  const [pathname = '', query] = address.split('?');
  return { pathname, search: query === undefined ? '' : `?${query}` };
}

function withQuery(pathname: string, query: URLSearchParams): Address {
  return { pathname, search: query.size === 0 ? '' : `?${query}` };
}

function render(request: PageRequest): RenderedPage {
  const { pathname } = request;
  if (pathname === paths.auth)
    return draw(request, <SignedOutOnly screen={Auth} />, STATUSES.found, authCard(request));
  if (isTipPage(pathname)) return renderTip(request);
  return draw(request, <SignedOutOnly screen={Landing} />, STATUSES.found, homeCard(request));
}

function renderProvider(page: ProviderPage, publicUrl: string): RenderedPage {
  const { username, fullName } = page;
  const address = { pathname: PROVIDER_PREFIX + username, search: '' };
  const html = renderToStaticMarkup(
    <Router ssrPath={address.pathname}>
      <Provider page={page} />
    </Router>,
  );
  const { title, body } = withoutTitle(html);
  const card: Card = {
    title: titleOf(`Tip ${fullName}`),
    description: `Choose whom to tip: the pages of ${fullName}.`,
    url: publicUrl + address.pathname,
    isListed: false,
  };
  return {
    status: STATUSES.found,
    head: title + renderToStaticMarkup(<SharedCard imageUrl={`${publicUrl}/icon-512.png`} {...card} />),
    body,
    data: '',
  };
}

function renderDashboard(): RenderedPage {
  const html = renderToStaticMarkup(
    <Router ssrPath={paths.dashboard} ssrSearch="">
      <DashboardFrame />
    </Router>,
  );
  const { title, body } = withoutTitle(html);
  return {
    status: STATUSES.found,
    head: title + renderToStaticMarkup(<meta name="robots" content="noindex" />),
    body,
    data: '',
  };
}

function renderOffline(): RenderedPage {
  return {
    status: STATUSES.found,
    head: renderToStaticMarkup(
      <>
        <title>{titleOf('No connection')}</title>
        <meta name="robots" content="noindex" />
      </>,
    ),
    body: renderToStaticMarkup(<Offline />),
    data: '',
  };
}

function renderArticle(title: string, content: string): RenderedPage {
  const html = renderToStaticMarkup(
    <Router ssrPath={paths.home}>
      <Screen width="column" title={title}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server's parser of Markdown has made it, and lets no HTML of a file through */}
        <article lang="" dir="auto" data-article dangerouslySetInnerHTML={{ __html: content }} />
      </Screen>
    </Router>,
  );
  const { title: head, body } = withoutTitle(html);
  return { status: STATUSES.found, head, body, data: '' };
}

function renderTip(request: PageRequest): RenderedPage {
  const { publicUrl, pathname, search, lookup } = request;
  const state = providerState(qrIdFrom(pathname), search, lookup);
  if (state.kind !== 'found') {
    return draw(request, tipPage, STATUSES[state.kind], { ...homeCard(request), isListed: false });
  }
  const { provider } = state;
  if (lookup?.kind === 'found') {
    const { fullName, serviceCategory, greeting, photoUrl, closed } = provider;
    const invitation = `Choose an amount and tip ${fullName} with your phone. There is no app to install.`;
    return draw(request, tipPage, STATUSES.found, {
      title: `${titleFor(provider)}, ${CATEGORY_LABELS[serviceCategory]}`,
      description: greeting ?? (closed ? CLOSED[closed](fullName) : invitation),
      url: tipPageUrl(publicUrl, lookup.found.qrCode.id),
      ...(photoUrl && { imageUrl: publicUrl + photoUrl }),
      isListed: false,
    });
  }
  const demo = demoQuery(search);
  return draw(request, tipPage, STATUSES.found, {
    title: titleFor(provider),
    description: 'See how a tip is given. This is a demo: nobody is tipped.',
    url: publicUrl + pathname + (demo.size === 0 ? '' : `?${demo}`),
    isListed: false,
  });
}

function homeCard({ publicUrl }: PageRequest): Card {
  return {
    title: titleOf(),
    description: BRAND_DESCRIPTION,
    url: publicUrl + paths.home,
    isListed: true,
  };
}

function authCard({ publicUrl, installation }: PageRequest): Card {
  const isClosed = installation.registration === 'closed';
  return {
    title: titleOf(isClosed ? 'Login' : 'Login or Sign Up'),
    description: isClosed
      ? `Login to ${brand.name}.`
      : `Login to ${brand.name}, or sign up to get tipped by QR code or to tip.`,
    url: publicUrl + paths.auth,
    isListed: false,
  };
}

/** The preview of a shared link (https://ogp.me), and the consent to be listed by search engines. */
interface Card {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly imageUrl?: string;
  /** False for tip pages, because they name a person. */
  readonly isListed: boolean;
}

function draw(
  { pathname, search, publicUrl, installation, lookup }: PageRequest,
  screen: ReactNode,
  status: RenderedPage['status'],
  card: Card,
): RenderedPage {
  const html = drawFor(installation, () =>
    renderToString(
      <App address={{ pathname, search }} rendered={{ qrId: qrIdFrom(pathname), lookup }}>
        {screen}
      </App>,
    ),
  );
  const { title, body } = withoutTitle(html);
  return {
    status,
    head: title + renderToStaticMarkup(<SharedCard imageUrl={`${publicUrl}/icon-512.png`} {...card} />),
    body,
    data: writeLookup(lookup),
  };
}

/** React writes the title first, and it belongs into the head. */
function withoutTitle(html: string): { readonly title: string; readonly body: string } {
  const [title = ''] = /^<title>[^<]*<\/title>/.exec(html) ?? [];
  return { title, body: html.slice(title.length) };
}

function SharedCard(card: Card & { readonly imageUrl: string }) {
  return (
    <>
      {!card.isListed && <meta name="robots" content="noindex" />}
      <meta name="description" content={card.description} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={brand.name} />
      <meta property="og:title" content={card.title} />
      <meta property="og:description" content={card.description} />
      <meta property="og:url" content={card.url} />
      <meta property="og:image" content={card.imageUrl} />
      <meta name="twitter:card" content="summary" />
    </>
  );
}

/** The page that the service worker answers without a connection: it has no script and loads no other file. */
function Offline() {
  return (
    <div className={[screen.screen, screen.column].join(' ')}>
      <header className={screen.head}>
        {/* The name is no link, because the worker keeps no landing page. */}
        <span className={screen.wordmark}>{brand.name}</span>
      </header>
      <main className={screen.main}>
        <Problem isScreen title={`${brand.name} cannot be reached`}>
          <p>Nothing is lost, and nothing is paid twice. Check your connection and try again.</p>
          {/* biome-ignore lint/a11y/useValidAnchor: an empty reference is the address at which this page is shown (RFC 3986, section 4.4) */}
          <a href="" className={[button.button, button.primary].join(' ')}>
            <RetryIcon /> Retry
          </a>
        </Problem>
      </main>
    </div>
  );
}
