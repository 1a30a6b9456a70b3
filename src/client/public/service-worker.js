/**
 * The dashboard's service worker. dashboard-pages.js answers for its pages. Push messages (shared/notifications.ts)
 * show one notification that counts tips. A click on it leads to the dashboard, in an open tab where there is one.
 */

/** The server writes the version of the pages here, so that other pages make another worker. */
importScripts('/dashboard-pages.js?tag of the pages');

/** The server writes the labels of the services here. */
const SERVICES = /* labels of the services */ {};

/** As the newest push message says. Browsers disagree about the digits of some currencies, such as HUF. */
let presentCurrency = 'USD';
let presentExponent = 2;

/** All tips share one notification by its tag. */
const TIPS = 'tips';
const PICTURES = { icon: '/icon-192.png', badge: '/badge-96.png' };
const ADDRESS = '/dashboard?tab=transactions';
/** The names of the actions, as many as browsers show (shared/notifications.ts). */
const ACTIONS = ['thank-0', 'thank-1'];
const THANKS_PATH = '/api/notices/thank';

/** Kept here, because browsers end the worker between messages. api-client/service-worker.ts deletes it. */
const TOLD = 'told-tips';
const TOLD_KEY = '/told-tips';
/** The server repeats a push message within a day of the news. A lower position after it is of a restored ledger. */
const REPEATED_WITHIN_MS = 86_400_000;
/** In characters, of which some are two units of a string; the server accepts less for a name or a message. */
const MAX_WORDS_LENGTH = 200;

/** Messages of pushes and pages are handled in turn, because each reads what the one before has kept. */
let turn = Promise.resolve();

/** @param {() => Promise<void>} work */
function inTurn(work) {
  turn = turn.then(work, work);
  return turn;
}

self.addEventListener('push', (event) => {
  event.waitUntil(inTurn(() => tell(event.data)));
});

self.addEventListener('message', (event) => {
  if (event.data === 'seen') event.waitUntil(inTurn(noteSeen));
});

/** @param {PushMessageData | null} data */
async function tell(data) {
  const notice = readNotice(data);
  if (notice === null) {
    // Browsers demand a notification for each push message.
    await show('You have new tips', { body: 'Open the dashboard to see them.', tag: 'news', renotify: true });
  } else if (notice.kind === 'test') {
    await show('Test notification', {
      body: 'Notifications reach this device.',
      tag: 'test',
      renotify: true,
    });
  } else if (notice.kind === 'webhook') {
    await show('Webhook switched off', {
      body: `${notice.host} took no events for three days, or wants none.`,
      tag: 'webhook',
      renotify: true,
      data: { address: '/dashboard?tab=profile&open=api' },
    });
  } else {
    await tellTips(notice);
  }
}

/** @returns null for anything that is no push message of this version of the server. */
function readNotice(data) {
  try {
    const message = data.json();
    const { v, kind, count, amountCents, netCents, upTo, tip, tag, host } = message;
    if (v !== 1) return null;
    if (kind === 'webhook') return { kind, host: oneLine(host) };
    presentCurrency = message.currency ?? 'USD';
    presentExponent = message.exponent ?? digitsOf(presentCurrency);
    if (kind === 'test') return { kind };
    const areNumbers = [count, netCents + 1, upTo].every(
      (number) => Number.isSafeInteger(number) && number > 0,
    );
    return kind === 'tips' && areNumbers ? { kind, count, amountCents, netCents, upTo, tip, tag } : null;
  } catch {
    return null;
  }
}

const NO_TIPS = { count: 0, amountCents: 0, netCents: 0 };

/** Messages and notifications of earlier versions have no `amountCents`. A sum with one of them is no number. */
async function tellTips({ count, amountCents, netCents, upTo, tip, tag }) {
  const told = await readTold();
  const isNews = upTo > told.upTo;
  // A message with the same tag counts the tips of the last one again, whose answer the server has not received.
  const counted = isNews && tag !== undefined && tag === told.tag ? told : NO_TIPS;
  const news = {
    count: Math.max(1, count - counted.count),
    amountCents: Math.max(0, amountCents - counted.amountCents),
    netCents: Math.max(0, netCents - counted.netCents),
  };
  const unseen = told.unseen + (isNews ? news.count : 0);
  const next = isNews
    ? { unseen, upTo, tag, count, amountCents, netCents, atMs: Date.now() }
    : { ...told, unseen };
  if (await isLookedAt()) {
    // The page shows the tip itself, and browsers then demand no notification.
    await keepTold({ ...next, unseen: 0 });
    return;
  }
  const [shown] = await self.registration.getNotifications({ tag: TIPS });
  const before = shown?.data?.count > 0 ? shown.data : NO_TIPS;
  if (isNews) {
    const sum = {
      count: before.count + news.count,
      amountCents: before.amountCents + news.amountCents,
      netCents: before.netCents + news.netCents,
    };
    const thanks = sum.count === 1 ? thanksOf(tip) : null;
    await show(titleOf(sum), {
      tag: TIPS,
      renotify: true,
      body: bodyOf(tip, sum.count),
      data: { ...sum, upTo, thanks, address: ADDRESS },
      actions: actionsOf(thanks),
      timestamp: Date.parse(tip?.createdAt) || Date.now(),
    });
  } else if (shown) {
    await showAgain(shown, shown);
  } else {
    // It was dismissed, or the page has shown the tip: it stays silent, and the next one does not count it.
    await show(titleOf({ count, amountCents, netCents }), {
      tag: TIPS,
      renotify: false,
      silent: true,
      body: bodyOf(tip, count),
    });
  }
  await keepTold(next);
  await showBadge(next.unseen);
}

function show(title, options) {
  return self.registration.showNotification(title, { ...PICTURES, data: { address: ADDRESS }, ...options });
}

function showAgain({ title, data, timestamp }, { body }) {
  const actions = actionsOf(data?.thanks);
  return show(title, { body, data, timestamp, actions, tag: TIPS, renotify: false, silent: true });
}

function thanksOf(tip) {
  const { texts, proof } = tip?.thanks ?? {};
  const areTexts = Array.isArray(texts) && texts.every((text) => oneLine(text) !== '');
  return areTexts && typeof proof === 'string' ? { texts: texts.slice(0, ACTIONS.length), proof } : null;
}

function actionsOf(thanks) {
  return (thanks?.texts ?? []).map((text, place) => ({ action: ACTIONS[place], title: oneLine(text) }));
}

async function thank(notification, choice) {
  const { title, data } = notification;
  const { texts, proof } = data.thanks;
  const outcome = await sendThanks(proof, choice);
  if (outcome === 'thanked' || outcome === 'thanked-before') {
    const told = await readTold();
    await keepTold({ ...told, unseen: 0 });
    await showBadge(0);
    const said = outcome === 'thanked' ? `“${oneLine(texts[choice])}”` : 'You had said thank you before.';
    const body = `${title}\n${said}`;
    await show('Thanked.', { body, tag: TIPS, renotify: false, silent: true });
    return;
  }
  // What was refused is refused again; a lost connection may be back.
  const next = outcome === 'refused' ? { ...data, thanks: null } : data;
  const body =
    outcome === 'refused' ? 'Not sent. Open the dashboard to say thank you.' : 'Not sent. Try again.';
  await showAgain({ title, data: next, timestamp: notification.timestamp }, { body });
}

/** @returns `thanked-before` when another text was said; `lost` when it is not known, and can be sent again. */
async function sendThanks(proof, choice) {
  try {
    const { status } = await fetch(THANKS_PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ proof, choice }),
    });
    if (status === 204) return 'thanked';
    if (status === 409) return 'thanked-before';
    return status === 429 || status >= 500 ? 'lost' : 'refused';
  } catch {
    return 'lost';
  }
}

function titleOf({ count, amountCents, netCents }) {
  const net = asMoney(netCents);
  if (!Number.isSafeInteger(amountCents)) return `${count === 1 ? 'New tip' : `${count} new tips`}: ${net}`;
  const tips = count === 1 ? `${asMoney(amountCents)} tip` : `${count} tips, ${asMoney(amountCents)}`;
  return `${tips} · you keep ${net}`;
}

/** Text of a giver has a line of its own, so that it does not look like ours. */
function bodyOf(tip, count) {
  if (typeof tip !== 'object' || tip === null) return 'Open the dashboard to see them.';
  const { amountCents, netAmountCents, serviceCategory, giverName, message } = tip;
  const sum = Number.isSafeInteger(amountCents) ? `${asMoney(amountCents)} tip` : asMoney(netAmountCents);
  const service = Object.hasOwn(SERVICES, serviceCategory) ? SERVICES[serviceCategory] : 'Tip';
  const name = oneLine(giverName);
  const words = oneLine(message);
  return [
    count === 1 ? service : `Newest: ${sum}, ${service}`,
    ...(name === '' ? [] : [`From ${name}`]),
    ...(words === '' ? [] : [`“${words}”`]),
  ].join('\n');
}

function oneLine(text) {
  return typeof text === 'string'
    ? [...text.replace(/\s+/g, ' ').trim()].slice(0, MAX_WORDS_LENGTH).join('')
    : '';
}

function asMoney(cents) {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: presentCurrency,
    minimumFractionDigits: presentExponent,
  }).format(cents / 10 ** presentExponent);
}

/** Messages of earlier versions name a currency without its digits. */
function digitsOf(currency) {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits;
}

async function isLookedAt() {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const looked = tabs.filter(({ visibilityState, focused }) => visibilityState === 'visible' && focused);
  // A page without a connection is the dashboard, and shows no tip.
  const answers = await Promise.all(looked.map((tab) => ask(tab, 'do-tips-arrive')));
  return answers.includes(true);
}

async function noteSeen() {
  const told = await readTold();
  await keepTold({ ...told, unseen: 0 });
  for (const notification of await self.registration.getNotifications({ tag: TIPS })) notification.close();
  await showBadge(0);
}

async function readTold() {
  const nothing = { unseen: 0, upTo: 0, atMs: 0 };
  try {
    const cache = await caches.open(TOLD);
    const told = await (await cache.match(TOLD_KEY)).json();
    const { atMs } = told;
    return Math.abs(Date.now() - atMs) < REPEATED_WITHIN_MS ? told : { ...told, upTo: 0 };
  } catch {
    return nothing;
  }
}

async function keepTold(told) {
  // A full disk must not keep a notification from being shown.
  const cache = await caches.open(TOLD).catch(() => null);
  await cache?.put(TOLD_KEY, Response.json(told)).catch(() => {});
}

async function showBadge(count) {
  await self.navigator.setAppBadge?.(count).catch(() => {});
}

/**
 * The subscription was replaced or ended. An open page, or else the next one, registers the new one: the session's
 * token is in the storage of pages, which workers cannot read, and shall have no second place.
 */
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(subscribeAnew(event));
});

async function subscribeAnew({ oldSubscription, newSubscription }) {
  const key = oldSubscription?.options.applicationServerKey;
  if (!newSubscription && key) {
    await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  }
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const tab of tabs) tab.postMessage('subscription-changed');
}

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  const choice = ACTIONS.indexOf(action);
  if (choice >= 0 && notification.data?.thanks) {
    event.waitUntil(inTurn(() => thank(notification, choice)));
    return;
  }
  notification.close();
  // A notification of a page has only the address.
  event.waitUntil(showDashboard(notification.data?.address ?? notification.data ?? ADDRESS));
});

/** Tabs get this time to answer, because browsers let a window come forward only soon after the click. */
const PATIENCE_MS = 300;

/** @param {string} address of the dashboard, to open it where no tab has it. */
async function showDashboard(address) {
  // The tab that was focused last comes first.
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const answers = await Promise.all(tabs.map((tab) => ask(tab, 'is-dashboard-open')));
  const tab = tabs[answers.indexOf(true)];
  await (tab ? tab.focus() : self.clients.openWindow(address));
}

/** Asks the tab, because a worker knows only the address at which it was loaded, which may be the login. */
function ask(tab, question) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(resolve, PATIENCE_MS, false);
    tab.postMessage(question, [port2]);
  });
}
