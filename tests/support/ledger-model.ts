/**
 * The product's rules about money once more, as plainly as they can be said: a few lists in memory, which are
 * searched from one end to the other for every answer.
 */
import type { EntryKind } from '#server/storage/port/ledger.ts';
import type { Account } from '#server/storage/port/storage.ts';
import { SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId } from '#shared/ids.ts';
import type { AdjustmentKind } from '#shared/payments.ts';
import type { InsightsQuery, TipDirection } from '#shared/records.ts';
import { type ChargeStep, createModelCharge, type Left } from './model-charge.ts';

/** What a tip should look like once it is made; ids are the ledger's to choose. */
interface ModelTip {
  readonly giverId: string;
  readonly receiverId: string;
  readonly receiverName: string;
  readonly receiverUsername: string;
  readonly qrCodeId: QrCodeId;
  readonly amountCents: number;
  readonly giverFeeCents: number;
  readonly netAmountCents: number;
  readonly receiverFeeCents: number;
  readonly serviceCategory: ServiceCategory;
  readonly createdAt: string;
  readonly paymentMode: 'simulated' | 'test';
  paymentUrl: null;
  receiptUrl: null;
  status: 'completed' | 'refunded' | 'pending' | 'disputed';
  refundedAt: string | null;
  refundedBy: 'giver' | 'receiver' | null;
  /** Of a tip that was paid: when its money is captured, and afterwards null unless that never happened. */
  capturesAt: string | null;
  refundAskedAt: null;
}

/** A change of a paid tip, its reversal among them, with signed sums. */
interface ModelChange extends Left {
  readonly kind: AdjustmentKind | 'reversal';
  readonly at: string;
}

interface BookedChange extends Left {
  readonly kind: string;
  readonly at: string;
}

interface Money {
  readonly charge: ReturnType<typeof createModelCharge>;
  readonly changes: ModelChange[];
}

interface ModelEntry {
  readonly kind: EntryKind;
  readonly place: number;
  readonly cents: number;
}

export interface TipRequest {
  readonly amountCents: unknown;
  readonly receiverQrId: string;
  readonly serviceCategory: ServiceCategory;
  readonly idempotencyKey?: string;
}

export interface ModelFilter {
  readonly direction?: TipDirection;
  readonly serviceCategory?: ServiceCategory;
  readonly from?: string;
  readonly to?: string;
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    weekday: 'short',
  });
  formats.set(timeZone, format);
  return format;
}

/** What the calendar and the clock on a wall show. */
function wallOf(time: string, timeZone: string) {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(new Date(time))
      .map(({ type, value }) => [type, value]),
  );
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    hour: Number(parts['hour']),
    weekday: WEEKDAYS.indexOf(parts['weekday'] ?? '') + 1,
  };
}

const laterBy = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

const NOTHING: Left = { amountCents: 0, giverFeeCents: 0, netAmountCents: 0 };
const difference = (one: Left, other: Left): Left => ({
  amountCents: one.amountCents - other.amountCents,
  giverFeeCents: one.giverFeeCents - other.giverFeeCents,
  netAmountCents: one.netAmountCents - other.netAmountCents,
});

const NO_WORDS = {
  message: null,
  giverName: null,
  wordsHidden: false,
  reportedAt: null,
  thankYou: null,
  thankedAt: null,
  currency: 'USD',
  termsVersion: 0,
};

/** @param undoMs for how long a giver may take a tip back. */
export function createLedgerModel(undoMs: number) {
  const accounts: Account[] = [];
  const codes: { id: QrCodeId; owner: Account; category: ServiceCategory }[] = [];
  const tips: ModelTip[] = [];
  const suspended = new Set<string>();
  const keys = new Map<string, { request: string; place: number }>();
  const refundKeys = new Map<number, string | undefined>();
  const entries = new Map<string, ModelEntry[]>();
  /** Of tips that were paid, by their places. */
  const money = new Map<ModelTip, Money>();
  const enter = (accountId: string, entry: ModelEntry): void => {
    const chain = entries.get(accountId) ?? [];
    chain.push(entry);
    entries.set(accountId, chain);
  };

  const roundedShare = (amount: number, percent: bigint) =>
    Number((BigInt(amount) * percent * 2n + 100n) / 200n);

  /** What is left of a tip; nothing of one that was reversed. */
  const leftOf = (tip: ModelTip): Left => {
    if (tip.status === 'refunded') return NOTHING;
    return money.get(tip)?.charge.left() ?? tip;
  };

  /** The changes as the receiver's books have them: what did not reach the giver is owed to them, and not earned. */
  function changesToReceiver(tip: ModelTip, changes: readonly BookedChange[]): readonly BookedChange[] {
    let [left, owed] = [tip.amountCents, 0];
    return changes.map((change) => {
      const before = Math.max(0, left - owed);
      left += change.amountCents;
      owed += change.kind === 'refund_failed' ? change.amountCents : 0;
      return { ...change, amountCents: Math.max(0, left - owed) - before };
    });
  }

  /** Of tips as their receiver has them. */
  function sumsOf(tips: readonly ModelTip[]) {
    const grossOf = (tip: ModelTip) =>
      changesToReceiver(tip, money.get(tip)?.changes ?? []).reduce(
        (sum, { amountCents }) => sum + amountCents,
        tip.amountCents,
      );
    const grossCents = tips.reduce((sum, tip) => sum + grossOf(tip), 0);
    const netCents = tips.reduce((sum, tip) => sum + leftOf(tip).netAmountCents, 0);
    return { count: tips.length, grossCents, feeCents: grossCents - netCents, netCents };
  }

  const givenCents = (tips: readonly ModelTip[]) =>
    tips.reduce((sum, tip) => sum + leftOf(tip).amountCents, 0);

  const servicesOf = (tips: readonly ModelTip[]) =>
    SERVICE_CATEGORIES.map((serviceCategory) => ({
      serviceCategory,
      ...sumsOf(tips.filter((tip) => tip.serviceCategory === serviceCategory)),
    })).filter(({ count }) => count > 0);

  const isUndoable = (tip: ModelTip, now: number) => now - Date.parse(tip.createdAt) <= undoMs;

  /** Newest first: as the ledger has them, or by their times where days are named. */
  function listing(account: Account, filter: ModelFilter): ModelTip[] {
    const { direction, serviceCategory, from, to, timeZone } = filter;
    const meant = tips
      .filter(
        (tip) =>
          (tip.giverId === account.id && direction !== 'received') ||
          (tip.receiverId === account.id && direction !== 'sent'),
      )
      .filter((tip) => serviceCategory === undefined || tip.serviceCategory === serviceCategory)
      .reverse();
    if (from === undefined && to === undefined) return meant;
    return meant
      .filter(({ createdAt }) => {
        const { date } = wallOf(createdAt, timeZone);
        return (from === undefined || date >= from) && (to === undefined || date <= to);
      })
      .sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
  }

  /** Each tip on its own date and each refund on its own, as an account book has them. */
  function bookOf(account: Account, { from, to, ...filter }: ModelFilter) {
    const dateOf = (time: string) => wallOf(time, filter.timeZone).date;
    const isMeant = (date: string) =>
      (from === undefined || date >= from) && (to === undefined || date <= to);
    const all = listing(account, filter).flatMap((tip) => {
      const date = dateOf(tip.createdAt);
      const entry = { tip, isOfPeriod: isMeant(date) };
      const { refundedAt } = tip;
      const given: Left = tip;
      const reversal = { ...difference(NOTHING, tip), kind: 'reversal', at: refundedAt ?? '' };
      const changes: readonly BookedChange[] =
        money.get(tip)?.changes ?? (refundedAt === null ? [] : [reversal]);
      return [
        { ...entry, kind: 'tip', isChange: false, sums: given, date },
        ...(filter.direction === 'received' ? changesToReceiver(tip, changes) : changes).map((sums) => ({
          ...entry,
          kind: sums.kind,
          isChange: true,
          sums,
          date: dateOf(sums.at),
        })),
      ];
    });
    return {
      tips: all.filter((entry) => !entry.isChange && isMeant(entry.date)),
      changes: all.filter((entry) => entry.isChange && isMeant(entry.date)),
      since: all.filter((entry) => entry.isChange && entry.isOfPeriod && to !== undefined && entry.date > to),
    };
  }

  type Book = ReturnType<typeof bookOf>;
  const sumOf = (entries: Book['tips'], value: (sums: Left) => number) =>
    entries.reduce((sum, { sums }) => sum + value(sums), 0);
  const ofBook = (entries: Book['tips']) => {
    const grossCents = sumOf(entries, ({ amountCents }) => amountCents);
    const netCents = sumOf(entries, ({ netAmountCents }) => netAmountCents);
    return { count: entries.length, grossCents, feeCents: grossCents - netCents, netCents };
  };
  const shownBook = ({ tips, changes }: Omit<Book, 'since'>) => ({
    tips: ofBook(tips),
    changes: ofBook(changes),
    byService: SERVICE_CATEGORIES.flatMap((serviceCategory) => {
      const isOf = ({ tip }: Book['tips'][number]) => tip.serviceCategory === serviceCategory;
      const own = { tips: ofBook(tips.filter(isOf)), changes: ofBook(changes.filter(isOf)) };
      return own.tips.count + own.changes.count === 0 ? [] : [{ serviceCategory, ...own }];
    }),
  });

  const isCounted = ({ status }: ModelTip) => status !== 'refunded';

  const received = (account: Account, filter: ModelFilter) =>
    listing(account, { ...filter, direction: 'received' }).filter(isCounted);

  function give(
    giver: Account,
    { id, owner, category }: (typeof codes)[number],
    amountCents: number,
    now: number,
    paymentMode: ModelTip['paymentMode'],
  ): number {
    const receiverFeeCents = roundedShare(amountCents, 3n);
    tips.push({
      giverId: giver.id,
      receiverId: owner.id,
      receiverName: owner.fullName,
      receiverUsername: owner.username,
      qrCodeId: id,
      amountCents,
      giverFeeCents: roundedShare(amountCents, 5n),
      netAmountCents: amountCents - receiverFeeCents,
      receiverFeeCents,
      serviceCategory: category,
      createdAt: new Date(now).toISOString(),
      paymentMode,
      paymentUrl: null,
      receiptUrl: null,
      status: 'completed',
      refundedAt: null,
      refundedBy: null,
      capturesAt: null,
      refundAskedAt: null,
    });
    const place = tips.length - 1;
    enter(giver.id, { kind: 'given', place, cents: amountCents });
    enter(owner.id, { kind: 'received', place, cents: amountCents - receiverFeeCents });
    return place;
  }

  return {
    accounts,
    codes,
    tips,
    /** The ids of the accounts that are suspended. */
    suspended,
    listing,

    register(account: Account): string {
      if (accounts.some(({ email }) => email.toLowerCase() === account.email.toLowerCase())) {
        return 'email_taken';
      }
      if (accounts.some(({ username }) => username === account.username)) return 'username_taken';
      accounts.push(account);
      return 'created';
    },

    refuseCode(owner: Account, category: ServiceCategory): string | null {
      if (!owner.serviceCategories.includes(category)) return 'category_not_offered';
      const isTaken = codes.some((code) => code.owner.id === owner.id && code.category === category);
      return isTaken ? 'qr_code_exists' : null;
    },

    /** Either a refusal or the place of the tip in the ledger. */
    tip(giver: Account, tip: TipRequest, now: number): string | number {
      const { amountCents } = tip;
      const isAmount = typeof amountCents === 'number' && Number.isInteger(amountCents);
      if (!isAmount || amountCents < 1_000 || amountCents > 1_000_000) return 'invalid_input';
      const code = codes.find(({ id }) => id === tip.receiverQrId.replace('-', '').toUpperCase());
      const key = tip.idempotencyKey && `${giver.id} ${tip.idempotencyKey}`;
      const request = `${code?.id} ${amountCents} ${tip.serviceCategory}`;
      const earlier = key === undefined ? undefined : keys.get(key);
      if (earlier) return earlier.request === request ? earlier.place : 'idempotency_key_reused';
      if (!code) return 'qr_code_not_found';
      if (suspended.has(giver.id)) return 'account_suspended';
      if (code.owner.id === giver.id) return 'own_qr_code';
      if (suspended.has(code.owner.id)) return 'qr_code_paused';
      if (code.category !== tip.serviceCategory) return 'category_mismatch';
      const place = give(giver, code, amountCents, now, 'simulated');
      if (key !== undefined) keys.set(key, { request, place });
      return place;
    },

    /** Either a refusal or `refunded`; `repeated` when the answer is that of an earlier request. */
    refund(account: Account, place: number, key: string | undefined, now: number): string {
      const tip = tips[place];
      if (!tip || (tip.giverId !== account.id && tip.receiverId !== account.id)) {
        return 'transaction_not_found';
      }
      // Whoever simulates payments gives back nothing that was really paid.
      if (tip.paymentMode !== 'simulated') return tip.status === 'refunded' ? 'not_refundable' : 'other_keys';
      const party = tip.giverId === account.id ? 'giver' : 'receiver';
      if (tip.status === 'refunded') {
        const isSame = tip.refundedBy === party && key !== undefined && refundKeys.get(place) === key;
        return isSame ? 'repeated' : 'not_refundable';
      }
      if (party === 'giver' && !isUndoable(tip, now)) return 'not_refundable';
      Object.assign(tip, { status: 'refunded', refundedAt: new Date(now).toISOString(), refundedBy: party });
      refundKeys.set(place, key);
      enter(tip.giverId, { kind: 'given_reversed', place, cents: -tip.amountCents });
      enter(tip.receiverId, { kind: 'received_reversed', place, cents: -tip.netAmountCents });
      return 'refunded';
    },

    /** A tip whose money is held until `capturesAtMs`. @returns its place. */
    authorise(
      giver: Account,
      code: (typeof codes)[number],
      { id, amountCents, capturesAtMs }: { id: string; amountCents: number; capturesAtMs: number },
      now: number,
    ): number {
      const place = give(giver, code, amountCents, now, 'test');
      const tip = tips[place];
      if (!tip) throw new Error('there is no such tip');
      Object.assign(tip, { status: 'pending', capturesAt: new Date(capturesAtMs).toISOString() });
      money.set(tip, { charge: createModelCharge(id, tip), changes: [] });
      return place;
    },

    /** The charges of paid tips, by their places. */
    charges: () =>
      tips.flatMap((tip, place) => {
        const charge = money.get(tip)?.charge;
        return charge ? [{ place, charge }] : [];
      }),

    /** Takes a step of a paid tip. @returns the kinds and sums of the adjustments that the ledger should get. */
    change(place: number, step: ChargeStep, now: number, below: (bound: number) => number): ModelChange[] {
      const tip = tips[place];
      const paid = tip && money.get(tip);
      if (!paid) throw new Error('the tip was not paid');
      const { charge, changes } = paid;
      const before = charge.left();
      const at = new Date(now).toISOString();
      const kind = charge.take(step, now, below);
      const change: ModelChange = { kind: kind ?? 'reversal', at, ...difference(charge.left(), before) };
      const isLeftAlone = kind === 'debit' && change.netAmountCents === 0;
      const added = step === 'capture' || isLeftAlone ? [] : [change];
      changes.push(...added);
      const entry = step === 'capture' ? 'captured' : kind === null ? 'reversed' : 'adjusted';
      if (!isLeftAlone) {
        enter(tip.giverId, { kind: `given_${entry}`, place, cents: change.amountCents });
        enter(tip.receiverId, { kind: `received_${entry}`, place, cents: change.netAmountCents });
      }
      tip.status = charge.isReversed() ? 'refunded' : charge.isDisputed() ? 'disputed' : 'completed';
      if (step === 'capture') tip.capturesAt = null;
      if (charge.isReversed()) tip.refundedAt = at;
      return added.filter(() => kind !== null);
    },

    /** What is left of what an account received on the UTC day of `now`, and what of that and of all is arriving. */
    today(account: Account, now: number) {
      const date = new Date(now).toISOString().slice(0, 10);
      const own = tips.filter((tip) => isCounted(tip) && tip.receiverId === account.id);
      const ofToday = own.filter(({ createdAt }) => createdAt.startsWith(date));
      const arrivingOf = (of: typeof own) => sumsOf(of.filter(({ status }) => status === 'pending')).netCents;
      const all = sumsOf(ofToday);
      return {
        totalTipsReceivedArrivingCents: arrivingOf(own),
        receivedTodayCount: all.count,
        receivedTodayCents: all.netCents,
        receivedTodayArrivingCents: arrivingOf(ofToday),
      };
    },

    leftOf,

    shown(account: Account, tip: ModelTip, now: number) {
      const isGiver = tip.giverId === account.id;
      const isKept = tip.status === 'completed' || tip.status === 'pending';
      const mayUndo = isGiver && isKept && isUndoable(tip, now);
      const { charge, changes = [] } = money.get(tip) ?? {};
      const told = changes.filter(
        ({ kind, netAmountCents }) =>
          kind !== 'reversal' &&
          (isGiver ? kind !== 'debit' : netAmountCents !== 0 || kind === 'dispute_lost'),
      );
      // No dispute begins before the one before it has ended.
      const endedAfter = (dispute: ModelChange) =>
        changes.slice(changes.indexOf(dispute)).some(({ kind }) => /^dispute_/.test(kind));
      return {
        ...tip,
        undoUntil: mayUndo ? new Date(Date.parse(tip.createdAt) + undoMs).toISOString() : null,
        ...NO_WORDS,
        changes: told.map((change) => ({
          kind: change.kind,
          at: change.at,
          amountCents: isGiver ? change.amountCents + change.giverFeeCents : change.netAmountCents,
          isOver:
            change.kind === 'dispute'
              ? endedAfter(change)
              : change.kind === 'refund_failed' && charge?.isOwedToGiver() === false,
        })),
      };
    },

    /** The entries of an account in their order, each with the balance of its direction after it. */
    chain(account: Account) {
      const balances = { received: 0, given: 0 };
      return (entries.get(account.id) ?? []).map((entry, index) => {
        const direction = entry.kind.startsWith('received') ? 'received' : 'given';
        balances[direction] += entry.cents;
        return { ...entry, position: index + 1, balance: balances[direction] };
      });
    },

    sums(account: Account, filter: ModelFilter) {
      const kept = listing(account, filter).filter(isCounted);
      const own = kept.filter(({ receiverId }) => receiverId === account.id);
      const sent = kept.filter(({ giverId }) => giverId === account.id);
      const sentCents = givenCents(sent);
      const { tips, changes, since } = bookOf(account, filter);
      const inBook = (entries: Book['tips']) => {
        const mine = entries.filter(({ tip }) => tip.receiverId === account.id);
        // What the operator took from the receiver is in no book of the giver.
        const given = entries.filter(({ kind, tip }) => tip.giverId === account.id && kind !== 'debit');
        const { netCents } = ofBook(mine);
        const { grossCents: amountCents } = ofBook(given);
        const paidCents = amountCents + sumOf(given, ({ giverFeeCents }) => giverFeeCents);
        return [
          { count: mine.length, netCents },
          { count: given.length, amountCents, paidCents },
        ];
      };
      const [receivedTips, sentTips] = inBook(tips);
      const [receivedChanges, sentChanges] = inBook(changes);
      const [receivedSince, sentSince] = inBook(since);
      return {
        books: { receivedTips, receivedChanges, receivedSince, sentTips, sentChanges, sentSince },
        receivedCount: own.length,
        receivedCents: sumsOf(own).netCents,
        sentCount: sent.length,
        sentCents,
        paidCents: sentCents + sent.reduce((sum, tip) => sum + leftOf(tip).giverFeeCents, 0),
      };
    },

    /** @param query its period must not be one of whole months, whose period before is another one. */
    insights(account: Account, { granularity, from, to, ...filter }: InsightsQuery & ModelFilter) {
      const walled = received(account, { ...filter, from, to })
        .reverse()
        .map((tip) => ({ tip, ...wallOf(tip.createdAt, filter.timeZone) }));
      const meant = walled.map(({ tip }) => tip);
      const onDate = (date: string) => walled.filter((one) => one.date === date).map(({ tip }) => tip);
      const days = [];
      for (let date = from; date <= to; date = laterBy(date, 1)) days.push(date);
      const endsBar = (date: string) =>
        date === to ||
        granularity === 'day' ||
        (granularity === 'week' && new Date(date).getUTCDay() === 0) ||
        (granularity === 'month' && laterBy(date, 1).endsWith('-01'));
      const bars: { from: string; to: string; tips: ModelTip[] }[] = [];
      let bar: string[] = [];
      for (const date of days) {
        bar.push(date);
        if (!endsBar(date)) continue;
        bars.push({ from: bar[0] ?? date, to: date, tips: bar.flatMap(onDate) });
        bar = [];
      }
      const best = days
        .map((date) => ({ date, ...sumsOf(onDate(date)) }))
        .reduce<({ date: string } & ReturnType<typeof sumsOf>) | null>(
          (most, day) => (day.netCents > (most?.netCents ?? 0) ? day : most),
          null,
        );
      const hours = Array.from({ length: 7 * 24 }, (_, index) => {
        const [weekday, hour] = [Math.floor(index / 24) + 1, index % 24];
        const inHour = walled.filter((one) => one.weekday === weekday && one.hour === hour);
        const { count, netCents } = sumsOf(inHour.map(({ tip }) => tip));
        return { weekday, hour, count, netCents };
      });
      const before = { from: laterBy(from, -days.length), to: laterBy(from, -1) };
      const sums = sumsOf(meant);
      const sumsBefore = sumsOf(received(account, { ...filter, ...before }));
      return {
        from,
        to,
        ...sums,
        averageNetCents:
          sums.count === 0 ? 0 : Math.floor((2 * sums.netCents + sums.count) / (2 * sums.count)),
        largestNetCents: Math.max(0, ...meant.map((tip) => leftOf(tip).netAmountCents)),
        bestDay: best,
        bars: bars.map((one) => ({
          from: one.from,
          to: one.to,
          ...sumsOf(one.tips),
          byService: servicesOf(one.tips),
          books: shownBook(bookOf(account, { ...filter, direction: 'received', from: one.from, to: one.to })),
        })),
        books: shownBook(bookOf(account, { ...filter, direction: 'received', from, to })),
        byService: servicesOf(meant),
        byHour: hours.filter(({ count }) => count > 0),
        before: { ...before, count: sumsBefore.count, netCents: sumsBefore.netCents },
      };
    },

    totals(account: Account) {
      const counted = tips.filter(isCounted);
      return {
        totalTipsReceivedCents: sumsOf(counted.filter(({ receiverId }) => receiverId === account.id))
          .netCents,
        totalTipsGivenCents: givenCents(counted.filter(({ giverId }) => giverId === account.id)),
      };
    },
  };
}
