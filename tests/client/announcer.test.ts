/** What is said of tips that arrive: each once, those of one breath together, and by one tab only. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cents } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { stubPage, stubStorage, toastsOf } from './browser.ts';
import { transaction } from './transaction.ts';

const BREATH_MS = 250;
const HIDDEN_BREATH_MS = 1_000;
const LONGEST_BREATH_MS = 3_000;

/** A tab with the dashboard on a device that vibrates, and has no sound and no notifications. */
async function openTab() {
  const { document } = stubPage();
  let isHidden = false;
  let isAsked = () => {};
  Object.defineProperty(document, 'hidden', {
    get() {
      isAsked();
      return isHidden;
    },
  });
  stubStorage('localStorage').setItem('tipwell_alerts', '{"vibration":true}');
  let alerts = 0;
  vi.stubGlobal('navigator', {
    vibrate() {
      alerts += 1;
      return true;
    },
  });
  vi.resetModules();
  const toasts = await import('#client/toasts.ts');
  const { createAnnouncer, sentenceOf } = await import('#client/dashboard/live/announcer.ts');
  let unseenCount = 0;
  let isCounted = () => {};
  const cards: string[] = [];
  const announcer = createAnnouncer({
    show(tips) {
      cards.push(sentenceOf(tips));
    },
    showUnseenCount(count) {
      unseenCount = count;
      isCounted();
    },
    isReached: () => true,
  });
  closing.push(announcer.close);
  return {
    ...announcer,
    cards: () => cards,
    toasts: () => toastsOf(toasts),
    alerts: () => alerts,
    unseenCount: () => unseenCount,
    /** Resolves when the tab counts again what nobody has seen. */
    counted: () =>
      new Promise<void>((resolve) => {
        isCounted = resolve;
      }),
    /** Resolves when the tab has heard something and asks whether somebody looks at it. */
    asked: () =>
      new Promise<void>((resolve) => {
        isAsked = resolve;
      }),
    setHidden(isIt: boolean) {
      isHidden = isIt;
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

/** Another tab of the same browser, which says and hears what has been shown. */
function openOtherTab() {
  const channel = new BroadcastChannel('tipwell_seen_tips');
  closing.push(() => channel.close());
  return {
    show: (...tips: readonly Transaction[]) => channel.postMessage(tips.map(({ id }) => id)),
    say: (words: unknown) => channel.postMessage(words),
    hears: () =>
      new Promise<unknown>((resolve) => {
        channel.onmessage = ({ data }) => resolve(data);
      }),
  };
}

const closing: (() => void)[] = [];
beforeEach(() => {
  // Messages between tabs take their time; only what waits on purpose is waited for by the test.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  for (const close of closing.splice(0)) close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a page that somebody looks at', () => {
  it('says of a tip by one card and one alert that it came', async () => {
    const tab = await openTab();
    tab.announce(transaction(25));
    expect([tab.cards(), tab.alerts()]).toEqual([[], 0]);
    vi.advanceTimersByTime(BREATH_MS);
    expect([tab.cards(), tab.alerts()]).toEqual([['$25.00 tip · you keep $24.25 (Bartender)'], 1]);
    vi.advanceTimersByTime(LONGEST_BREATH_MS);
    expect(tab.cards()).toHaveLength(1);
  });

  it('is heard, and shows nothing, of a tip that others who look at it must not see', async () => {
    const tab = await openTab();
    tab.announce(transaction(100), false);
    vi.advanceTimersByTime(BREATH_MS);
    expect([tab.cards(), tab.alerts()]).toEqual([[], 1]);
    tab.announce(transaction(100), false);
    tab.announce(transaction(25));
    vi.advanceTimersByTime(BREATH_MS);
    expect([tab.cards(), tab.alerts()]).toEqual([['$25.00 tip · you keep $24.25 (Bartender)'], 2]);
    tab.setHidden(true);
    tab.announce(transaction(100), false);
    vi.advanceTimersByTime(HIDDEN_BREATH_MS);
    expect([tab.unseenCount(), tab.alerts()]).toEqual([0, 3]);
  });

  it('tells tips of one breath together, and the next ones for themselves', async () => {
    const tab = await openTab();
    for (const dollars of [10, 20, 30]) {
      tab.announce(transaction(dollars));
      vi.advanceTimersByTime(BREATH_MS - 1);
    }
    expect(tab.cards()).toEqual([]);
    vi.advanceTimersByTime(1);
    tab.announce(transaction(10));
    vi.advanceTimersByTime(BREATH_MS);
    expect(tab.cards()).toEqual([
      '3 tips, $60.00 · you keep $58.20',
      '$10.00 tip · you keep $9.70 (Bartender)',
    ]);
    expect(tab.alerts()).toBe(2);
  });

  it('says after three seconds what came, though tips go on coming', async () => {
    const tab = await openTab();
    for (let waitedMs = 0; waitedMs < LONGEST_BREATH_MS; waitedMs += 100) {
      expect(tab.cards()).toEqual([]);
      tab.announce(transaction(10));
      vi.advanceTimersByTime(100);
    }
    expect(tab.cards()).toEqual(['30 tips, $300.00 · you keep $291.00']);
  });

  it('says nothing of a tip that it has told, or is about to tell', async () => {
    const tab = await openTab();
    const given = transaction(25);
    tab.announce(given);
    tab.announce(given);
    vi.advanceTimersByTime(BREATH_MS);
    tab.announce(given);
    vi.advanceTimersByTime(LONGEST_BREATH_MS);
    expect([tab.cards(), tab.alerts()]).toEqual([['$25.00 tip · you keep $24.25 (Bartender)'], 1]);
  });

  it('names what is left of a tip of which a part went back at once', async () => {
    const tab = await openTab();
    const refund = {
      kind: 'refund',
      at: '2026-05-15T12:01:00.000Z',
      amountCents: cents(-970),
      isOver: false,
    } as const;
    tab.announce({ ...transaction(20), changes: [refund] });
    vi.advanceTimersByTime(BREATH_MS);
    expect(tab.cards()).toEqual(['$20.00 tip · you keep $9.70 (Bartender)']);
  });

  it('says nothing of a tip that went back before it was told', async () => {
    const tab = await openTab();
    const [undone, kept] = [transaction(200), transaction(11)];
    tab.announce(undone);
    tab.announce(kept);
    tab.withdraw(undone.id);
    vi.advanceTimersByTime(BREATH_MS);
    expect([tab.cards(), tab.alerts()]).toEqual([['$11.00 tip · you keep $10.67 (Bartender)'], 1]);
    tab.announce(undone);
    tab.withdraw(kept.id);
    vi.advanceTimersByTime(LONGEST_BREATH_MS);
    expect([tab.cards(), tab.alerts()]).toEqual([['$11.00 tip · you keep $10.67 (Bartender)'], 1]);
  });

  it('counts nothing as unseen', async () => {
    const tab = await openTab();
    tab.announce(transaction(25));
    expect(tab.unseenCount()).toBe(0);
  });

  it('says by a toast when it is closed what it has not said yet, and nothing afterwards', async () => {
    const tab = await openTab();
    tab.announce(transaction(25));
    tab.close();
    expect([tab.toasts(), tab.alerts()]).toEqual([['$25.00 tip · you keep $24.25 (Bartender)'], 1]);
    tab.setHidden(false);
    vi.advanceTimersByTime(LONGEST_BREATH_MS);
    expect([tab.toasts(), tab.alerts()]).toEqual([['$25.00 tip · you keep $24.25 (Bartender)'], 1]);
    expect(tab.cards()).toEqual([]);
  });
});

describe('a page that nobody looks at', () => {
  it('counts and alerts of what comes, and shows all of it together to whoever looks', async () => {
    const tab = await openTab();
    tab.setHidden(true);
    for (const [index, dollars] of [10, 20, 30].entries()) {
      tab.announce(transaction(dollars));
      expect(tab.unseenCount()).toBe(index + 1);
      vi.advanceTimersByTime(HIDDEN_BREATH_MS);
      expect(tab.alerts()).toBe(index + 1);
    }
    expect(tab.cards()).toEqual([]);
    tab.setHidden(false);
    expect([tab.cards(), tab.alerts()]).toEqual([['3 tips, $60.00 · you keep $58.20'], 3]);
    expect(tab.unseenCount()).toBe(0);
  });

  it('counts and shows no tip that went back, of which it may have alerted already', async () => {
    const tab = await openTab();
    const [undone, kept] = [transaction(1_000), transaction(20)];
    tab.setHidden(true);
    tab.announce(undone);
    vi.advanceTimersByTime(HIDDEN_BREATH_MS);
    tab.announce(kept);
    vi.advanceTimersByTime(HIDDEN_BREATH_MS);
    tab.withdraw(undone.id);
    expect([tab.unseenCount(), tab.alerts()]).toEqual([1, 2]);
    tab.setHidden(false);
    expect(tab.cards()).toEqual(['$20.00 tip · you keep $19.40 (Bartender)']);
  });

  it('lets a tab that is looked at say it first', async () => {
    const tab = await openTab();
    tab.setHidden(true);
    tab.announce(transaction(25));
    vi.advanceTimersByTime(HIDDEN_BREATH_MS - 1);
    expect(tab.alerts()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(tab.alerts()).toBe(1);
  });
});

describe('what one tab has shown', () => {
  it('is told to the others', async () => {
    const tab = await openTab();
    const told = openOtherTab().hears();
    const given = [transaction(10), transaction(20)];
    for (const each of given) tab.announce(each);
    vi.advanceTimersByTime(BREATH_MS);
    expect(await told).toEqual(given.map(({ id }) => id));
  });

  it('is no news in another that nobody looks at, whether it came there before or comes afterwards', async () => {
    const tab = await openTab();
    const other = openOtherTab();
    const [before, after] = [transaction(10), transaction(20)];
    tab.setHidden(true);
    tab.announce(before);
    expect(tab.unseenCount()).toBe(1);
    const counted = tab.counted();
    other.show(before, after);
    await counted;
    tab.announce(after);
    expect(tab.unseenCount()).toBe(0);
    vi.advanceTimersByTime(LONGEST_BREATH_MS);
    tab.setHidden(false);
    expect([tab.cards(), tab.alerts()]).toEqual([[], 0]);
    tab.announce(transaction(30));
    vi.advanceTimersByTime(BREATH_MS);
    expect(tab.cards()).toEqual(['$30.00 tip · you keep $29.10 (Bartender)']);
  });

  it('is said by another that is looked at as well, as by two windows side by side', async () => {
    const tab = await openTab();
    const other = openOtherTab();
    const given = transaction(25);
    tab.announce(given);
    const asked = tab.asked();
    other.show(given);
    await asked;
    vi.advanceTimersByTime(BREATH_MS);
    expect(tab.cards()).toEqual(['$25.00 tip · you keep $24.25 (Bartender)']);
  });

  it('is a list of tips, and anything else means nothing', async () => {
    const tab = await openTab();
    const other = openOtherTab();
    tab.setHidden(true);
    tab.announce(transaction(25));
    const counted = tab.counted();
    other.say({ length: 1 });
    other.say(null);
    other.show();
    await counted;
    expect(tab.unseenCount()).toBe(1);
  });
});

describe('what givers wrote', () => {
  const WRITTEN = { giverName: 'Cam Doe', message: 'Keep the change' };
  const load = async () => {
    stubStorage('localStorage');
    stubPage();
    return import('#client/dashboard/live/announcer.ts');
  };

  it.each([
    [WRITTEN, ['From Cam Doe', 'Keep the change']],
    [{ giverName: 'Cam Doe' }, ['From Cam Doe']],
    [{ message: 'Keep the change' }, ['Keep the change']],
    [{}, []],
  ])('is told of a single tip: %j', async (written, lines) => {
    const { newsOf, sentenceOf, messagesOf } = await load();
    const given = [transaction(25, written)];
    expect(messagesOf(given)).toEqual(lines);
    expect(newsOf(given)).toBe(['$25.00 tip · you keep $24.25 (Bartender)', ...lines].join('. '));
    // Whoever looks at the phone may read this one.
    expect(sentenceOf(given)).toBe('$25.00 tip · you keep $24.25 (Bartender)');
  });

  it('is counted where several tips are told together', async () => {
    const { newsOf } = await load();
    const named = transaction(10, { giverName: 'Cam Doe' });
    expect(newsOf([named, transaction(10)])).toBe('2 tips, $20.00 · you keep $19.40');
    expect(newsOf([named, transaction(10, WRITTEN)])).toBe('2 tips, $20.00 · you keep $19.40. 1 message');
    expect(newsOf([transaction(10, WRITTEN), transaction(10, WRITTEN)])).toBe(
      '2 tips, $20.00 · you keep $19.40. 2 messages',
    );
  });

  it('is in the toast of a page that is left', async () => {
    const tab = await openTab();
    tab.announce(transaction(25, WRITTEN));
    tab.close();
    expect(tab.toasts()).toEqual(['$25.00 tip · you keep $24.25 (Bartender). From Cam Doe. Keep the change']);
  });
});
