/** Draws the queued toasts at the top right, three at once. */
import 'sonner/dist/styles.css';
import { useEffect } from 'react';
import { Toaster as Sonner, toast } from 'sonner';
import { takeToasts, useWaitingToasts } from '../toasts.ts';
import './toaster.css';

const SHOWN_MS = 4_000;
const MAX_VISIBLE = 3;

export function Toaster() {
  const waiting = useWaitingToasts();
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const { kind, text } of waiting) toast[kind](text);
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
