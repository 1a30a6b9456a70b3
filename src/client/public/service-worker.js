/**
 * The service worker of the dashboard. It answers navigations with what the server answers, or, without a connection, with
 * the offline page, the only page that it keeps. A click on a notification leads to the dashboard, in a tab in which it
 * is open if there is one.
 */

/** The server writes the path and the tag of the offline page here: another page makes another worker, which fetches that page. */
const OFFLINE_PAGE = 'path of the page';
const VERSION = 'tag of the page';
const PREFIX = 'offline-page-';

self.addEventListener('install', (event) => {
  event.waitUntil(keepPage());
  // In browsers with static routing only navigations start this worker and wait for it.
  event.addRoutes?.({ condition: { not: { requestMode: 'navigate' } }, source: 'network' }).catch(() => {});
});

self.addEventListener('activate', (event) => {
  event.waitUntil(forgetEarlierPages());
});

self.addEventListener('fetch', (event) => {
  const { mode, method } = event.request;
  if (mode === 'navigate' && method === 'GET') event.respondWith(answer(event.request));
});

async function keepPage() {
  const cache = await caches.open(PREFIX + VERSION);
  await cache.add(new Request(OFFLINE_PAGE, { cache: 'reload' }));
  await self.skipWaiting();
}

async function forgetEarlierPages() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION);
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** @param {Request} request */
async function answer(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(OFFLINE_PAGE)) ?? Response.error();
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(showDashboard(event.notification.data));
});

/** How long tabs may take to answer: browsers let a window come forward only soon after the click. */
const PATIENCE_MS = 300;

/** @param {string} address of the dashboard, to open it where no tab has it. */
async function showDashboard(address) {
  // The tab that was focused last comes first.
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const answers = await Promise.all(tabs.map(isDashboardOpen));
  const tab = tabs[answers.indexOf(true)];
  await (tab ? tab.focus() : self.clients.openWindow(address));
}

/** Asks the tab: the address that a worker knows of it is that at which it was loaded, which may have been the login. */
function isDashboardOpen(tab) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(resolve, PATIENCE_MS, false);
    tab.postMessage('is-dashboard-open', [port2]);
  });
}
