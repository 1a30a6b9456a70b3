/**
 * Starts the script of a rendered page after the first paint, so that no download competes with the paint. This starter
 * stands in the page itself, allowed by its hash, because a file would cost another round trip.
 */

import { giveUpTaps } from './early-taps.ts';

/** The script starts this long after the first frame at the latest, because some browsers report no paint. */
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
  if (entry) import(/* @vite-ignore */ entry).catch(giveUpTaps);
  link('manifest', '/manifest.webmanifest');
}

function link(rel: string, href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href }));
}
