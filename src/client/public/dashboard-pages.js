/**
 * The part of the dashboard's service worker that answers for pages: by the server's answer or, without a connection,
 * the offline page. For providers it keeps the dashboard's page and scripts, which are the same for everybody, and
 * answers with them also where the server is slow, or a proxy says that it is away. The page shows the codes that it has
 * kept itself.
 */

/** The server writes the path and the tag of the offline page here, so that another page makes another worker. */
const OFFLINE_PAGE = 'path of the page';
const VERSION = 'tag of the page';
const PREFIX = 'offline-page-';

/** The server writes here what names this version of the dashboard's page, and the paths of what it needs. */
const DASHBOARD = '/dashboard';
const DASHBOARD_CACHE = 'dashboard-tag of the dashboard';
const DASHBOARD_PREFIX = 'dashboard-';
const DASHBOARD_FILES = /* files of the dashboard */ [];
const ASSETS = '/assets/';
/** The server gets this time to answer where the dashboard is kept. */
const ANSWER_PATIENCE_MS = 1_000;
/** A proxy answers with 502, 503 or 504 for a server that it cannot reach. */
const LEAST_STATUS_OF_PROXY = 502;

self.addEventListener('install', (event) => {
  event.waitUntil(keepPages());
  // In browsers with static routing only navigations and scripts start this worker and wait for it.
  const handled = { or: [{ requestMode: 'navigate' }, { urlPattern: `${ASSETS}*` }] };
  event.addRoutes?.({ condition: { not: handled }, source: 'network' }).catch(() => {});
});

self.addEventListener('activate', (event) => {
  event.waitUntil(forgetEarlierPages());
});

self.addEventListener('fetch', (event) => {
  const { mode, method, url } = event.request;
  if (method !== 'GET') return;
  if (mode === 'navigate') event.respondWith(answer(event.request));
  else if (url.startsWith(self.location.origin + ASSETS)) event.respondWith(answerFile(event.request));
});

self.addEventListener('message', (event) => {
  if (event.data === 'keep-dashboard') event.waitUntil(keepDashboard().catch(() => {}));
});

async function keepPages() {
  const cache = await caches.open(PREFIX + VERSION);
  await cache.add(new Request(OFFLINE_PAGE, { cache: 'reload' }));
  const isProviders = (await caches.keys()).some((name) => name.startsWith(DASHBOARD_PREFIX));
  // The next page of a provider asks for it again.
  if (isProviders) await keepDashboard().catch(() => {});
  await self.skipWaiting();
}

/** Keeps all of it or nothing. */
async function keepDashboard() {
  const cache = await caches.open(DASHBOARD_CACHE);
  // It has less when the browser ended in the middle.
  if ((await cache.keys()).length > DASHBOARD_FILES.length) return;
  const files = DASHBOARD_FILES.map((path) => new Request(path));
  const page = new Request(DASHBOARD, { cache: 'reload' });
  await cache.addAll([page, ...files]).catch(async (error) => {
    await caches.delete(DASHBOARD_CACHE);
    throw error;
  });
}

async function forgetEarlierPages() {
  const present = [PREFIX + VERSION, DASHBOARD_CACHE];
  const names = (await caches.keys()).filter(
    (name) => [PREFIX, DASHBOARD_PREFIX].some((prefix) => name.startsWith(prefix)) && !present.includes(name),
  );
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** @param {Request} request */
async function answer(request) {
  const kept = new URL(request.url).pathname === DASHBOARD ? await keptOf(DASHBOARD) : undefined;
  const answered = fetch(request).catch(() => null);
  if (kept) {
    const patience = new Promise((resolve) => setTimeout(resolve, ANSWER_PATIENCE_MS));
    const answer = await Promise.race([answered, patience]);
    return answer && answer.status < LEAST_STATUS_OF_PROXY ? answer : kept;
  }
  return (await answered) ?? (await caches.match(OFFLINE_PAGE)) ?? Response.error();
}

/** @param {Request} request */
async function answerFile(request) {
  return (await keptOf(request)) ?? fetch(request);
}

function keptOf(what) {
  return caches.match(what, { cacheName: DASHBOARD_CACHE });
}
