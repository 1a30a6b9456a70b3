/**
 * Announces each received tip once, by a card on a visible page and by the alerts that are on. Hidden tabs do not
 * announce a tip that a visible one has shown.
 */
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { toastSuccess } from '../../toasts.ts';
import { alertOf, beFound } from './alerts.ts';
import { keptOf } from './kept.ts';

/** Tips that follow each other within this time are announced together. */
const BREATH_MS = 250;
/** A hidden tab waits longer, so that a visible one announces the tips first. */
const HIDDEN_BREATH_MS = 1_000;
const LONGEST_BREATH_MS = 3_000;

export interface Announcer {
  /** @param isShown false for a tip that is heard without words, because of whoever looks at the screen. */
  announce(tip: Transaction, isShown?: boolean): void;
  /** Says nothing of a tip that went back, unless it was said already. */
  withdraw(id: TransactionId): void;
  /** Announces the waiting tips at once, by a toast because the screen with the card is left. */
  close(): void;
}

export interface Stage {
  show(tips: readonly Transaction[]): void;
  showUnseenCount(count: number): void;
  /** Whether tips arrive here: where none do, the worker shows its notifications. */
  isReached(): boolean;
}

export function createAnnouncer(stage: Stage): Announcer {
  const unheard = new Map<string, Transaction>();
  const unseen = new Map<string, Transaction>();
  /** The ids of tips that were announced here, or shown by another tab. */
  const known = new Set<string>();
  const otherTabs = openChannel();
  let pause: ReturnType<typeof setTimeout> | undefined;
  let longest: ReturnType<typeof setTimeout> | undefined;

  const leave = beFound(stage.isReached);
  const countUnseen = () => stage.showUnseenCount(document.hidden ? unseen.size : 0);

  function tell(show: Stage['show']): void {
    clearTimeout(pause);
    clearTimeout(longest);
    pause = longest = undefined;
    const heard = [...unheard.values()];
    unheard.clear();
    const told = heard.filter(({ id }) => unseen.has(id));
    if (heard[0]) alertOf(heard[0].id, told.length > 0 ? sentenceOf(told) : null);
    if (document.hidden || unseen.size === 0) return;
    const seen = [...unseen.values()];
    unseen.clear();
    show(seen);
    otherTabs?.postMessage(seen.map(({ id }) => id));
  }

  function look(): void {
    countUnseen();
    if (pause === undefined) tell(stage.show);
  }

  function forget(ids: readonly string[]): void {
    for (const id of ids) {
      known.add(id);
      unheard.delete(id);
      unseen.delete(id);
    }
    countUnseen();
  }

  otherTabs?.addEventListener('message', ({ data }) => {
    // Of two windows side by side each shows the tips.
    if (document.hidden && Array.isArray(data)) forget(data);
  });
  document.addEventListener('visibilitychange', look);

  return {
    announce(tip, isShown = true) {
      if (known.has(tip.id)) return;
      known.add(tip.id);
      unheard.set(tip.id, tip);
      if (isShown) unseen.set(tip.id, tip);
      countUnseen();
      clearTimeout(pause);
      pause = setTimeout(tell, document.hidden ? HIDDEN_BREATH_MS : BREATH_MS, stage.show);
      longest ??= setTimeout(tell, LONGEST_BREATH_MS, stage.show);
    },

    withdraw: (id) => forget([id]),

    close() {
      tell((tips) => toastSuccess(newsOf(tips)));
      leave();
      otherTabs?.close();
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/** @returns null in a browser that has none, or refuses it because it stores nothing for this site. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(`${brand.linkScheme}_seen_tips`);
  } catch {
    return null;
  }
}

/** The sentence for places where others may read it: it has no messages. */
export function sentenceOf(tips: readonly Transaction[]): string {
  const { given, kept, service } = sumsOf(tips);
  return `${given} · ${kept}${service === null ? '' : ` (${service})`}`;
}

/** The sentence and the messages, for the receiver alone. */
export function newsOf(tips: readonly Transaction[]): string {
  return [sentenceOf(tips), ...messagesOf(tips)].join('. ');
}

export function messagesOf(tips: readonly Transaction[]): string[] {
  const [first] = tips;
  if (tips.length === 1 && first)
    return [first.giverName && `From ${first.giverName}`, first.message].filter((line) => line !== null);
  const count = tips.filter(({ message }) => message !== null).length;
  return count > 0 ? [`${count} ${count === 1 ? 'message' : 'messages'}`] : [];
}

/** The sum that was given leads. The service is null for several tips. */
export function sumsOf(tips: readonly Transaction[]) {
  const [first] = tips;
  const isOne = tips.length === 1 && first !== undefined;
  const total = (of: (tip: Transaction) => Cents) => cents(tips.reduce((sum, tip) => sum + of(tip), 0));
  const given = formatMoney(total(({ amountCents }) => amountCents));
  return {
    given: isOne ? `${given} tip` : `${tips.length} tips, ${given}`,
    kept: keptOf({
      netAmountCents: total(({ netAmountCents }) => netAmountCents),
      changes: tips.flatMap(({ changes }) => changes),
    }),
    service: isOne ? CATEGORY_LABELS[first.serviceCategory] : null,
  };
}
