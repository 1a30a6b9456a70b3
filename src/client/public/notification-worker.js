/**
 * Leads whoever clicks a notification to the dashboard, in a tab where that is open already. Does nothing else: no
 * request passes through here.
 */
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
