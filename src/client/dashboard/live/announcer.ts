/**
 * Announces each received tip once: by a card on the page that is looked at, and by the alerts that are on. Tips that follow
 * each other closely are announced together, and so are those that came while the page was hidden. A tip that one tab
 * has shown is not announced by the hidden ones.
 */
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { type Cents, cents, formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastSuccess } from '../../toasts.ts';
import { alertOf } from '../shared/alerts.ts';
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
  /** Announces the waiting tips at once, by a toast because the screen with the card is left, and stops. */
  close(): void;
}

/** Where an announcer shows what it says. */
export interface Stage {
  /** Shows tips that nobody has seen, together. */
  show(tips: readonly Transaction[]): void;
  /** Shows the number of tips that came since the page was last visible, when it changes. */
  showUnseenCount(count: number): void;
}

export function createAnnouncer(stage: Stage): Announcer {
  const unheard = new Map<string, Transaction>();
  const unseen = new Map<string, Transaction>();
  /** The ids of tips that were announced here, or shown by another tab. */
  const known = new Set<string>();
  const otherTabs = new BroadcastChannel(`${brand.linkScheme}_seen_tips`);
  /** Both timers run while tips wait to be announced. */
  let pause: ReturnType<typeof setTimeout> | undefined;
  let longest: ReturnType<typeof setTimeout> | undefined;

  const leave = beFound();
  const countUnseen = () => stage.showUnseenCount(document.hidden ? unseen.size : 0);

  function tell(show: Stage['show']): void {
    clearTimeout(pause);
    clearTimeout(longest);
    pause = longest = undefined;
    const heard = [...unheard.values()];
    unheard.clear();
    if (heard[0]) alertOf(heard[0].id, sentenceOf(heard));
    if (document.hidden || unseen.size === 0) return;
    const seen = [...unseen.values()];
    unseen.clear();
    show(seen);
    otherTabs.postMessage(seen.map(({ id }) => id));
  }

  function look(): void {
    countUnseen();
    if (pause === undefined) tell(stage.show);
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
      pause = setTimeout(tell, document.hidden ? HIDDEN_BREATH_MS : BREATH_MS, stage.show);
      longest ??= setTimeout(tell, LONGEST_BREATH_MS, stage.show);
    },

    close() {
      tell((tips) => toastSuccess(newsOf(tips)));
      leave();
      otherTabs.close();
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/** What is said of tips that are announced together, where others may read it: without what was written. */
export function sentenceOf(tips: readonly Transaction[]): string {
  const what = tips.length === 1 ? `(${originOf(tips)})` : originOf(tips);
  return `You received ${formatUsd(sumOf(tips))} ${what}`;
}

/** What its receiver alone is told of tips: the sentence, and what was written. */
export function newsOf(tips: readonly Transaction[]): string {
  return [sentenceOf(tips), ...messagesOf(tips)].join('. ');
}

/** From whom a single tip is and what its giver wrote, each a line; of several tips how many messages came with them. */
export function messagesOf(tips: readonly Transaction[]): string[] {
  const [first] = tips;
  if (tips.length === 1 && first)
    return [first.giverName && `From ${first.giverName}`, first.message].filter((line) => line !== null);
  const count = tips.filter(({ message }) => message !== null).length;
  return count > 0 ? [`${count} ${count === 1 ? 'message' : 'messages'}`] : [];
}

/** The service of a single tip, or how many tips there are. */
export function originOf(tips: readonly Transaction[]): string {
  const [first] = tips;
  return tips.length === 1 && first ? CATEGORY_LABELS[first.serviceCategory] : `in ${tips.length} tips`;
}

/** What reached the receiver of these tips. */
export function sumOf(tips: readonly Transaction[]): Cents {
  return cents(tips.reduce((total, { netAmountCents }) => total + netAmountCents, 0));
}
