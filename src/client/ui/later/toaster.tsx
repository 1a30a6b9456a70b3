/**
 * Draws queued toasts at the right, below the head of the page with its buttons. By sonner's own bounds each
 * stays for four seconds, and three are seen at once.
 */
import 'sonner/dist/styles.css';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Toaster as Sonner, toast } from 'sonner';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { SHOWN } from '../../later/addresses.ts';
import { paths } from '../../paths.ts';
import { dismissShownBy, type Toast, takeToasts, useWaitingToasts } from '../../toasts.ts';
import './toaster.css';

/** The event of the document when a card, below which toasts are drawn, has come or gone. */
export const CARD_PLACED = 'card-placed';

/** The longest time that a resting pointer keeps a toast: a finger never leaves what it has touched. */
const LONGEST_MS = 12_000;
/** A toast stays readable for this time before the next one of its subject replaces it. */
const READ_MS = 1_200;
/** The least distance from the edges of the window and from the head, in CSS pixels. */
const MARGIN_PX = 16;

/** Holds the toasts; dialog.tsx moves it, because an open dialog mutes what is outside it. */
const toasts = document.createElement('div');
toasts.id = 'toasts';
document.body.append(toasts);

// Toasts have nothing to press, and sonner gives the focus back to where Tab came from. Alt+T leads to them.
new MutationObserver(() => {
  for (const one of toasts.querySelectorAll('li')) one.tabIndex = -1;
}).observe(toasts, { childList: true, subtree: true });

/** A toast that waits for the one before it goes with it. */
let dismissals = 0;
const shownAt = new Map<string, number>();
const endings = new Map<string | number, ReturnType<typeof setTimeout>>();

function show({ kind, text, subject }: Toast): void {
  if (subject === undefined) {
    endAfterLongest(toast[kind](text));
    return;
  }
  const now = new Date();
  const waitMs = Math.max(0, (shownAt.get(subject) ?? 0) + READ_MS - now.getTime());
  shownAt.set(subject, now.getTime() + waitMs);
  const before = dismissals;
  setTimeout(() => before === dismissals && endAfterLongest(toast[kind](text, { id: subject })), waitMs);
}

function endAfterLongest(id: string | number): void {
  clearTimeout(endings.get(id));
  const end = () => {
    // Nobody has read a toast of a hidden page.
    if (document.hidden) return;
    endings.delete(id);
    toast.dismiss(id);
  };
  endings.set(id, setTimeout(end, LONGEST_MS));
}

document.addEventListener('visibilitychange', () => {
  // Whoever looks now has the whole time to read.
  if (!document.hidden) for (const id of endings.keys()) endAfterLongest(id);
});

function findTopPx(): number {
  const bottom = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
  // The place of a card stands still while the card in it comes.
  const card = document.querySelector('[data-arrival]')?.parentElement?.getBoundingClientRect().bottom ?? 0;
  return Math.max(MARGIN_PX, Math.min(Math.max(bottom, card), window.innerHeight / 2) + MARGIN_PX / 2);
}

dismissShownBy(() => {
  dismissals += 1;
  toast.dismiss();
});

export function Toaster() {
  const waiting = useWaitingToasts();
  // A code that fills the screen faces guests, and the end of a night is a sum: toasts wait until both are left.
  const isCodeShown = new URLSearchParams(useSearch()).has(SHOWN);
  const isHeld = usePathname() === paths.dashboard && isCodeShown;
  const [top, setTop] = useState(MARGIN_PX);
  useEffect(() => {
    const place = () => setTop(findTopPx());
    place();
    window.addEventListener('scroll', place);
    window.addEventListener('resize', place);
    document.addEventListener(CARD_PLACED, place);
    return () => {
      window.removeEventListener('scroll', place);
      window.removeEventListener('resize', place);
      document.removeEventListener(CARD_PLACED, place);
    };
  }, []);
  useEffect(() => {
    if (isHeld || waiting.length === 0) return;
    // Another screen may have another head.
    setTop(findTopPx());
    for (const one of waiting) show(one);
    takeToasts(waiting);
  }, [waiting, isHeld]);
  const offset = { top, left: MARGIN_PX, right: MARGIN_PX };
  return createPortal(<Sonner position="top-right" offset={offset} mobileOffset={offset} expand />, toasts);
}
