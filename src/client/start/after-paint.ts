/**
 * Starts the script of a rendered page once the page has been painted: until then nothing competes with what there is to
 * see. What is tapped or typed meanwhile is kept by the page itself. It stands in the page, allowed by its hash: as a
 * file it would cost a round trip before the script can begin.
 */

/** Longer than a frame takes to be shown. */
const SOON_MS = 100;

const [entry, ...others] =
  document.querySelector<HTMLElement>('[data-scripts]')?.dataset['scripts']?.split(' ') ?? [];

let isStarted = false;
// A frame is shown some time after its callback: only the browser knows when. Where it does not say, soon is good enough.
new PerformanceObserver(start).observe({ type: 'paint', buffered: true });
requestAnimationFrame(() => setTimeout(start, SOON_MS));

function start(): void {
  if (isStarted) return;
  isStarted = true;
  for (const file of others) link('modulepreload', file);
  if (entry) void import(/* @vite-ignore */ entry);
  link('manifest', '/manifest.webmanifest');
}

function link(rel: string, href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href }));
}
