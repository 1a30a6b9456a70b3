/** Draws the queued toasts at the top right, three at once. */
import 'sonner/dist/styles.css';
import { useEffect } from 'react';
import { Toaster as Sonner, toast } from 'sonner';
import { type Toast, takeToasts, useWaitingToasts } from '../toasts.ts';
import './toaster.css';

const SHOWN_MS = 4_000;
const MAX_VISIBLE = 3;
/** How long a toast can be read at least, before the next one about the same subject takes its place. */
const READ_MS = 1_200;

/** When the last toast of each subject was shown. */
const shownAt = new Map<string, number>();

function show({ kind, text, subject }: Toast): void {
  if (subject === undefined) {
    toast[kind](text);
    return;
  }
  const now = new Date();
  const waitMs = Math.max(0, (shownAt.get(subject) ?? 0) + READ_MS - now.getTime());
  shownAt.set(subject, now.getTime() + waitMs);
  setTimeout(() => toast[kind](text, { id: subject }), waitMs);
}

export function Toaster() {
  const waiting = useWaitingToasts();
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const one of waiting) show(one);
    takeToasts(waiting);
  }, [waiting]);
  return (
    <Sonner
      position="top-right"
      duration={SHOWN_MS}
      visibleToasts={MAX_VISIBLE}
      expand
      theme="system"
      richColors={false}
    />
  );
}
