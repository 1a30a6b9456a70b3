/**
 * Announces each received tip once: by a toast on the page that is looked at, and by the alerts that are on. Tips that follow
 * each other closely are announced together, and so are those that came while the page was hidden. A tip that one tab
 * has shown is not announced by the hidden ones.
 */
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { cents, formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastSuccess } from '../../toasts.ts';
import { alertOf } from './alerts.ts';
import { beFound } from './notifications.ts';

/** Tips that follow each other within this time are announced together. */
const BREATH_MS = 250;
/** A hidden tab waits longer, so that a visible one announces the tips first. */
const HIDDEN_BREATH_MS = 1_000;
/** The longest wait, however many tips follow each other. */
const LONGEST_BREATH_MS = 3_000;

export interface Announcer {
  /** Announces a tip, but not a second time. */
  announce(tip: Transaction): void;
  /** Announces the waiting tips at once, and stops. */
  close(): void;
}

/** @param showUnseenCount is called with the number of tips that came since the page was last visible, when it changes. */
export function createAnnouncer(showUnseenCount: (count: number) => void): Announcer {
  const unheard = new Map<string, Transaction>();
  const unseen = new Map<string, Transaction>();
  /** The ids of tips that were announced here, or shown by another tab. */
  const known = new Set<string>();
  const otherTabs = new BroadcastChannel(`${brand.linkScheme}_seen_tips`);
  /** Both timers run while tips wait to be announced. */
  let pause: ReturnType<typeof setTimeout> | undefined;
  let longest: ReturnType<typeof setTimeout> | undefined;

  const leave = beFound();
  const countUnseen = () => showUnseenCount(document.hidden ? unseen.size : 0);

  function tell(): void {
    clearTimeout(pause);
    clearTimeout(longest);
    pause = longest = undefined;
    const heard = [...unheard.values()];
    unheard.clear();
    if (heard[0]) alertOf(heard[0].id, sentenceOf(heard));
    if (document.hidden || unseen.size === 0) return;
    const seen = [...unseen.values()];
    unseen.clear();
    toastSuccess(sentenceOf(seen));
    otherTabs.postMessage(seen.map(({ id }) => id));
  }

  function look(): void {
    countUnseen();
    if (pause === undefined) tell();
  }

  otherTabs.onmessage = ({ data }) => {
    // A visible page shows its tips itself: two windows may be looked at side by side.
    if (!document.hidden || !Array.isArray(data)) return;
    for (const id of data) {
      known.add(id);
      unheard.delete(id);
      unseen.delete(id);
    }
    countUnseen();
  };
  document.addEventListener('visibilitychange', look);

  return {
    announce(tip) {
      if (known.has(tip.id)) return;
      known.add(tip.id);
      unheard.set(tip.id, tip);
      unseen.set(tip.id, tip);
      countUnseen();
      clearTimeout(pause);
      pause = setTimeout(tell, document.hidden ? HIDDEN_BREATH_MS : BREATH_MS);
      longest ??= setTimeout(tell, LONGEST_BREATH_MS);
    },

    close() {
      tell();
      leave();
      otherTabs.close();
      document.removeEventListener('visibilitychange', look);
    },
  };
}

function sentenceOf(tips: readonly Transaction[]): string {
  const sum = formatUsd(cents(tips.reduce((total, { netAmountCents }) => total + netAmountCents, 0)));
  const [first] = tips;
  const what =
    tips.length === 1 && first ? `(${CATEGORY_LABELS[first.serviceCategory]})` : `in ${tips.length} tips`;
  return `You received ${sum} ${what}`;
}
