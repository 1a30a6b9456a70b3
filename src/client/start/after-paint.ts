/**
 * Starts the script of a rendered page after the first paint, so that no download competes with the paint. On a slow
 * phone that takes seconds, in which taps are kept: a form would do nothing or load the page again.
 * This code stands in the page itself, allowed by its hash, because a file would cost another round trip.
 */

/** The limit of waiting after the first frame, because some browsers report no paint. */
const SOON_MS = 100;

const [entry, ...others] =
  document.querySelector<HTMLElement>('[data-scripts]')?.dataset['scripts']?.split(' ') ?? [];

let isStarted = false;
// A frame is painted some time after its callback, and only the browser knows when.
new PerformanceObserver(start).observe({ type: 'paint', buffered: true });
requestAnimationFrame(() => setTimeout(start, SOON_MS));

function start(): void {
  if (isStarted) return;
  isStarted = true;
  for (const file of others) link('modulepreload', file);
  // The browser offers once to install a page with a manifest, and the script listens for that.
  if (entry)
    import(/* @vite-ignore */ entry).catch(giveUpTaps).then(() => link('manifest', '/manifest.webmanifest'));
}

function link(rel: string, href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href }));
}

const tapped = new Set<HTMLFormElement | HTMLButtonElement>();
let hasFailed = false;

document.addEventListener('submit', keep);
document.addEventListener('click', keep);
document.addEventListener('hydrating', stop);
document.addEventListener('hydrated', repeat);
document.addEventListener('failed', giveUpTaps);

function keep(event: Event): void {
  const target = targetOf(event);
  if (target === null) return;
  if (hasFailed) {
    giveUp(target, event);
    return;
  }
  event.preventDefault();
  tapped.add(target);
  show(target, true);
}

/** The form or the switch that waits for the script; null for everything that works without it. */
function targetOf({ type, target }: Event): HTMLFormElement | HTMLButtonElement | null {
  if (!(target instanceof Element)) return null;
  return type === 'submit'
    ? target.closest<HTMLFormElement>('form:not([action])')
    : target.closest<HTMLButtonElement>('button[type=button]');
}

function show(target: HTMLFormElement | HTMLButtonElement, isWaiting: boolean): void {
  const button = target instanceof HTMLFormElement ? target.querySelector('[type=submit]') : target;
  button?.toggleAttribute('data-waiting', isWaiting);
}

/** React takes over: it first hydrates what is tapped. */
function stop(): void {
  document.removeEventListener('submit', keep);
  document.removeEventListener('click', keep);
}

function repeat(): void {
  for (const target of tapped) {
    show(target, false);
    if (target instanceof HTMLFormElement) target.requestSubmit();
    else target.click();
  }
}

/** The script could not be fetched: only loading the page again can help. */
function giveUpTaps(): void {
  hasFailed = true;
  for (const target of tapped) giveUp(target);
}

function giveUp(target: HTMLFormElement | HTMLButtonElement, event?: Event): void {
  // A form that the browser sends itself leads back to its page with the chosen values.
  if (target instanceof HTMLFormElement && target.method === 'get') {
    if (!event) target.submit();
    return;
  }
  event?.preventDefault();
  location.reload();
}
