/**
 * The service worker of the dashboard. Without a connection it answers a page that says so, the only one that it keeps;
 * with one, whatever the server says. It leads whoever clicks a notification to the dashboard, in a tab where that is open
 * already.
 */

/** The server writes here where the page is, and its tag: with another page this is another worker, which fetches it. */
const OFFLINE_PAGE = 'path of the page';
const VERSION = 'tag of the page';
const PREFIX = 'offline-page-';

self.addEventListener('install', (event) => {
  event.waitUntil(keepPage());
  // Where browsers can be told, nothing but a navigation starts this worker or waits for it.
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

/** Browsers let a window come forward only soon after the click. */
const PATIENCE_MS = 300;

/** @param {string} address where to open it. */
async function showDashboard(address) {
  // The one that was looked at last comes first.
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const answers = await Promise.all(tabs.map(isDashboardOpen));
  const tab = tabs[answers.indexOf(true)];
  await (tab ? tab.focus() : self.clients.openWindow(address));
}

/** The tab is asked, because its address here is the one that it was loaded at, which may have been the login. */
function isDashboardOpen(tab) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(resolve, PATIENCE_MS, false);
    tab.postMessage('is-dashboard-open', [port2]);
  });
}
