/**
 * Says of each received tip once that it came: to the eye by a toast, to whoever is elsewhere by an alert. Tips of one
 * breath, as after a lost connection, are told together, and so are those that came while nobody looked; what one tab
 * has shown is no news in the others.
 */
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { cents, formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastSuccess } from '../../toasts.ts';
import { alertOf } from './alerts.ts';
import { beFound } from './notifications.ts';

/** Tips that follow each other this closely are of one breath. */
const BREATH_MS = 250;
/** A hidden tab first lets one that is looked at say it. */
const HIDDEN_BREATH_MS = 1_000;
/** So long may a breath be; tips may be coming without end. */
const LONGEST_BREATH_MS = 3_000;

export interface Announcer {
  /** Of a tip that it was told before it says nothing. */
  announce(tip: Transaction): void;
  /** Says what is still to be said, and listens no more. */
  close(): void;
}

/** @param showUnseenCount is told how many tips came since the page was last looked at, whenever that changes. */
export function createAnnouncer(showUnseenCount: (count: number) => void): Announcer {
  const unheard = new Map<string, Transaction>();
  const unseen = new Map<string, Transaction>();
  /** Also what another tab showed before it arrived here. */
  const known = new Set<string>();
  const otherTabs = new BroadcastChannel(`${brand.linkScheme}_seen_tips`);
  /** Both run while a breath lasts. */
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
    // Two windows may be looked at side by side: then each one shows it.
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
