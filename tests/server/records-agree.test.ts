/**
 * For every history, period and filter, in time zones of every kind: the statement, the listing, its sums and
 * the takings say the same, to the cent, and what they say is what happened: by the date of the tip, and as in an
 * account book by the date of each refund. The histories are random, the same in every run, and crowd around the
 * nights in which clocks change.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { ChargeState } from '#server/storage/port/payments.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import type { BookEntry, EntryPage } from '#shared/books.ts';
import { dateAfter } from '#shared/calendar.ts';
import { CATEGORY_LABELS, SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { ENTRY_LABELS } from '#shared/entry-labels.ts';
import { newTransactionId, type QrCodeId, type TransactionId } from '#shared/ids.ts';
import { cents, feesFor } from '#shared/money.ts';
import { GRANULARITIES, TIP_DIRECTIONS, type TipDirection } from '#shared/records.ts';
import type { Transaction } from '#shared/tips.ts';
import { createChance } from '#tests/support/chance.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';

/** One history, another one on each engine, or so many as `npm run soak -- models` asks for. */
const HISTORIES = Array.from(
  { length: Number(process.env['MODEL_RUNS'] ?? 1) },
  (_, run) => 2 * run + (isOnSqlite() ? 1 : 2),
);
/** On PostgreSQL fewer, because a round trip takes its time. */
const [TIPS, QUESTIONS] = isOnSqlite() ? [400, 40] : [200, 20];
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2024, 5, 1);
const YEARS_MS = 2 * 365 * DAY_MS;

/** Without a change of clocks, by an hour, ahead by 45 minutes, by half an hour, and away for Ramadan. */
const TIME_ZONES = [
  'UTC',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
] as const;

/**
 * Clocks change within a day of these: in New York, on Lord Howe Island, and around two Ramadans in
 * Casablanca.
 */
const CHANGES_MS = [
  '2024-11-03T06:00Z',
  '2025-03-09T07:00Z',
  '2025-11-02T06:00Z',
  '2026-03-08T07:00Z',
  '2024-10-05T15:30Z',
  '2025-04-05T15:00Z',
  '2025-10-04T15:30Z',
  '2026-04-04T15:00Z',
  '2025-02-23T02:00Z',
  '2025-04-06T02:00Z',
  '2026-02-15T02:00Z',
  '2026-03-22T02:00Z',
].map((time) => Date.parse(time));

type Chance = ReturnType<typeof createChance>;
type Person = Awaited<ReturnType<typeof enter>>;

/** A tip as it happened, beside the ledger. */
interface Happened {
  readonly id: TransactionId;
  readonly giverId: string;
  readonly receiverId: string;
  readonly serviceCategory: ServiceCategory;
  readonly amountCents: number;
  readonly netCents: number;
  readonly paidCents: number;
  readonly createdAtMs: number;
  /** Null for a simulated one. */
  readonly charge: { refunds: Refund[]; disputes: Dispute[] } | null;
  readonly changes: Change[];
}

type Refund = ChargeState['refunds'][number];
type Dispute = ChargeState['disputes'][number];

/** What went back of a tip, or came again, in signed sums. */
interface Change extends Moved {
  readonly kind: keyof typeof ENTRY_LABELS;
  readonly source: string;
  readonly atMs: number;
}

interface Moved {
  readonly amountCents: number;
  readonly netCents: number;
  readonly paidCents: number;
}

const isReversed = ({ changes }: Happened) => changes.some(({ kind }) => kind === 'reversal');

/** What a tip comes to after all that happened to it. */
const presentOf = (tip: Happened): Moved => ({
  amountCents: tip.amountCents + sumOf(tip.changes, ({ amountCents }) => amountCents),
  netCents: tip.netCents + sumOf(tip.changes, ({ netCents }) => netCents),
  paidCents: tip.paidCents + sumOf(tip.changes, ({ paidCents }) => paidCents),
});

/** The kinds of changes that the histories have, and whether one came after a reversal. */
const met = new Set<string>();

/** Two years of tips between three providers and a customer; the time of the ledger is mostly in order. */
async function createHistory(t: TestApp, chance: Chance) {
  const people = [
    await enter(t, 'pat', ['bartender', 'dj', 'barber']),
    await enter(t, 'sam', ['barber', 'server']),
    await enter(t, 'kim', ['dj']),
    await enter(t, 'cam'),
  ];
  for (const { user, codes } of people)
    if (codes.length > 0) await t.storage.payments.savePayoutAccount(payoutAccountOf(user.id), FIRST_MS);
  const codes = people.flatMap((owner) =>
    owner.codes.map((id, index) => ({ owner, id, category: owner.user.serviceCategories[index] })),
  );
  const randomTime = () =>
    chance.below(2) === 0
      ? FIRST_MS + chance.below(YEARS_MS / 1_000) * 1_000
      : chance.pick(CHANGES_MS) + (chance.below(172_800) - 86_400) * 1_000;
  const times = Array.from({ length: TIPS }, randomTime).sort((one, other) => one - other);
  const happened: Happened[] = [];
  for (const time of times) {
    const code = chance.pick(codes);
    const giver = chance.pick(people.filter((person) => person !== code.owner));
    happened.push(await give(t, chance, giver, code, time - chance.below(5) * chance.below(HOUR_MS)));
    if (chance.below(5) > 0) continue;
    const changed = chance.pick(happened);
    do await change(t, chance, changed, time);
    while (changed.charge && chance.below(3) > 0);
  }
  for (const { isAfterReversal, moved } of entriesOf(happened))
    met.add(isAfterReversal ? `${moved.kind} after a reversal` : moved.kind);
  t.clock.nowMs = FIRST_MS + YEARS_MS + DAY_MS;
  return { people, happened };
}

async function give(
  t: TestApp,
  chance: Chance,
  giver: Person,
  code: { owner: Person; id: QrCodeId; category: ServiceCategory | undefined },
  createdAtMs: number,
): Promise<Happened> {
  const amountCents = cents(1_000 + chance.below(chance.pick([100, 5_000, 999_001])));
  const fees = feesFor(amountCents);
  const serviceCategory = code.category ?? 'barber';
  const id = newTransactionId(chance.bytes);
  const tip = { id, giverId: giver.user.id, qrCodeId: code.id, amountCents, createdAtMs };
  const isPaid = chance.below(3) === 0;
  if (isPaid) await payTip(t.storage, newTip(tip, { serviceCategory }));
  else
    expect(await t.storage.recordTip(newTip(tip, { serviceCategory }))).toMatchObject({
      outcome: 'recorded',
    });
  return {
    id,
    giverId: giver.user.id,
    receiverId: code.owner.user.id,
    serviceCategory,
    amountCents,
    netCents: fees.netAmountCents,
    paidCents: amountCents + fees.giverFeeCents,
    createdAtMs,
    charge: isPaid ? { refunds: [], disputes: [] } : null,
    changes: [],
  };
}

/** Has something happen to the money of a tip: a refund, or for a paid one whatever a charge can go through. */
async function change(t: TestApp, chance: Chance, tip: Happened, atMs: number): Promise<void> {
  if (!tip.charge) await refund(t, tip, atMs);
  else await changeCharge(t, chance, tip, tip.charge, atMs);
}

async function refund(t: TestApp, tip: Happened, createdAtMs: number): Promise<void> {
  const { outcome } = await t.storage.reverseTip({
    transactionId: tip.id,
    userId: tip.receiverId as Person['user']['id'],
    idempotencyKey: null,
    createdAtMs,
    giverFromMs: 0,
  });
  expect(outcome).toBe(isReversed(tip) ? 'reversed_before' : 'reversed');
  if (outcome === 'reversed') noteReversal(tip, createdAtMs);
}

/** It takes back what is left. What fails to reach the giver later is theirs again, and nothing of the receiver's. */
function noteReversal(tip: Happened, atMs: number): void {
  const { amountCents, netCents, paidCents } = presentOf(tip);
  const left = { amountCents: 0 - amountCents, netCents: 0 - netCents, paidCents: 0 - paidCents };
  tip.changes.push({ kind: 'reversal', source: '', atMs, ...left });
}

/** A part or all is refunded, a refund fails, or a dispute is opened, won or lost. */
async function changeCharge(
  t: TestApp,
  chance: Chance,
  { id, paidCents, changes, ...tip }: Happened,
  charge: NonNullable<Happened['charge']>,
  atMs: number,
): Promise<void> {
  const { refunds, disputes } = charge;
  const open = disputes.findIndex(({ state }) => state === 'open');
  const gone = sumOf(refunds, (each) => (each.hasFailed ? 0 : each.cents));
  const disputed = sumOf(disputes, (each) => (each.state === 'won' ? 0 : each.cents));
  const left = paidCents - gone - disputed;
  const [failing] = refunds;
  if (open >= 0) {
    const state = chance.pick(['won', 'lost'] as const);
    disputes.splice(open, 1, { ...at(disputes, open), state });
  } else if (failing && !failing.hasFailed && (left === 0 || chance.below(4) === 0))
    refunds[0] = { ...failing, hasFailed: true };
  else if (left > 0 && chance.below(3) === 0)
    disputes.push({
      id: `dp_${id}_${disputes.length}`,
      cents: cents(left),
      state: 'open',
      openedAtMs: atMs,
      answerByMs: null,
      givenBackCents: 0,
    });
  else if (left > 0) {
    const part = chance.below(2) === 0 ? left : 1 + chance.below(left);
    refunds.push({
      id: `re_${id}_${refunds.length}`,
      cents: cents(part),
      hasFailed: false,
      createdAtMs: atMs,
    });
  }
  const payment = await t.storage.payments.findPayment({ id });
  if (!payment) throw new Error('a payment has gone');
  const whole = cents(paidCents);
  const state = {
    chargeId: `pi_${id}`,
    transactionId: id,
    state: 'captured',
    chargedCents: whole,
    refunds,
    disputes,
    transfer: { cents: whole, reversedCents: cents(gone + disputed) },
  } as const;
  const due = decideAdjustments(payment, state, atMs);
  await t.storage.payments.adjustPayment(id, { ...due, known: payment }, atMs, atMs);
  for (const { kind, source, amountCents, giverFeeCents, netAmountCents } of due.adjustments) {
    const moved = { amountCents, netCents: netAmountCents, paidCents: amountCents + giverFeeCents };
    changes.push({ kind, source, atMs, ...moved });
  }
  if (!due.isRefunded) return;
  const adjustmentCount = payment.adjustments.length + due.adjustments.length;
  await t.storage.payments.movePayment(id, { kind: 'refunded', adjustmentCount }, atMs, atMs);
  noteReversal({ ...tip, id, paidCents, changes, charge }, atMs);
}

function at<Item>(items: readonly Item[], index: number): Item {
  const found = items[index];
  if (found === undefined) throw new Error('there is no such item');
  return found;
}

/** The clocks of the platform as it writes them in Sweden; made once, because each takes a while to make. */
const WALL_CLOCKS = new Map(
  TIME_ZONES.map((timeZone) => [
    String(timeZone),
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
);

/** The wall calendar and clock: `2026-05-31 18:05:00`. */
function wallTime(ms: number, timeZone: string): string {
  const clock = WALL_CLOCKS.get(timeZone);
  if (!clock) throw new Error(`there is no clock of ${timeZone}`);
  return clock.format(ms);
}

/** The date of the day to which a wall time belongs, where days begin at an hour of the clock. */
const dayOf = (wall: string, startHour: number): string =>
  new Date(Date.parse(`${wall.replace(' ', 'T')}Z`) - startHour * HOUR_MS).toISOString().slice(0, 10);

interface Question {
  readonly timeZone: string;
  readonly dayStartHour?: number;
  readonly from?: string;
  readonly to?: string;
  readonly direction?: TipDirection;
  readonly serviceCategory?: ServiceCategory;
}

/** What a tip, or a change of it, moved at its own time: what a row of an account book has. */
function entriesOf(all: readonly Happened[]) {
  return all.flatMap((tip) => {
    const { amountCents, netCents, paidCents, createdAtMs } = tip;
    const given = { kind: 'tip' as const, source: '', atMs: createdAtMs, amountCents, netCents, paidCents };
    const reversedAt = tip.changes.findIndex(({ kind }) => kind === 'reversal');
    const grosses = grossesOf(tip);
    return [given, ...tip.changes].map((moved, index) => ({
      tip,
      isChange: moved.kind !== 'tip',
      isAfterReversal: reversedAt >= 0 && index - 1 > reversedAt,
      moved,
      grossCents: at(grosses, index),
      atMs: moved.atMs,
    }));
  });
}

/** What a tip and each of its changes moved of its receiver's amount. What fails to reach the giver is none of it. */
function grossesOf({ amountCents, changes }: Happened): readonly number[] {
  let taken = 0;
  let isOver = false;
  const left = changes.map(({ kind, amountCents: moved }) => {
    if (kind !== 'refund_failed') taken -= moved;
    isOver ||= kind === 'reversal';
    return isOver ? 0 : Math.max(0, amountCents - taken);
  });
  return [amountCents, ...left].map((cents, index, all) =>
    index === 0 ? cents : cents - at(all, index - 1),
  );
}

/** What concerned a person as the question means it, each at its own time, with its wall time and its day. */
function booksBy(question: Question, { id, startHour }: Asking, all: readonly Happened[]) {
  const { timeZone, direction, serviceCategory, dayStartHour = startHour } = question;
  return entriesOf(all)
    .filter(
      ({ tip }) =>
        (direction !== 'sent' && tip.receiverId === id) || (direction !== 'received' && tip.giverId === id),
    )
    .filter(({ tip }) => !serviceCategory || tip.serviceCategory === serviceCategory)
    .map((entry) => {
      const wall = wallTime(entry.atMs, timeZone);
      const dayOfTip = dayOf(wallTime(entry.tip.createdAtMs, timeZone), dayStartHour);
      const isReceived = entry.tip.receiverId === id;
      return {
        ...entry,
        moved: isReceived ? { ...entry.moved, amountCents: entry.grossCents } : entry.moved,
        wall,
        day: dayOf(wall, dayStartHour),
        dayOfTip,
        isReceived,
      };
    });
}

const isIn = ({ from, to }: Question, day: string) => (!from || day >= from) && (!to || day <= to);

/** The tips of the period that the question means. */
function meantBy(question: Question, asking: Asking, all: readonly Happened[]) {
  return booksBy(question, asking, all)
    .filter(({ isChange, day }) => !isChange && isIn(question, day))
    .map(({ tip, ...entry }) => ({
      ...tip,
      ...entry,
      ...presentOf(tip),
      grossCents: sumOf(grossesOf(tip), (moved) => moved),
      isRefunded: isReversed(tip),
    }));
}

type Books = ReturnType<typeof booksBy>;

/** What the sums tell of these entries of an account book. */
function movesOf(entries: Books) {
  const received = entries.filter(({ isReceived }) => isReceived);
  const sent = entries.filter(({ isReceived }) => !isReceived);
  return {
    received: { count: received.length, netCents: sumOf(received, ({ moved }) => moved.netCents) },
    sent: {
      count: sent.length,
      amountCents: sumOf(sent, ({ moved }) => moved.amountCents),
      paidCents: sumOf(sent, ({ moved }) => moved.paidCents),
    },
  };
}

function bookSumsOf(question: Question, entries: Books) {
  const isSince = (day: string) => question.to !== undefined && day > question.to;
  const tips = movesOf(entries.filter(({ isChange, day }) => !isChange && isIn(question, day)));
  const changes = movesOf(entries.filter(({ isChange, day }) => isChange && isIn(question, day)));
  const since = movesOf(
    entries.filter(({ isChange, day, dayOfTip }) => isChange && isIn(question, dayOfTip) && isSince(day)),
  );
  return {
    receivedTips: tips.received,
    receivedChanges: changes.received,
    receivedSince: since.received,
    sentTips: tips.sent,
    sentChanges: changes.sent,
    sentSince: since.sent,
  };
}

/** Who asks, and when the days begin of questions that do not say so. */
interface Asking {
  readonly id: string;
  readonly startHour: number;
}

type Meant = ReturnType<typeof meantBy>;

const sumOf = <Item>(items: readonly Item[], value: (item: Item) => number) =>
  items.reduce((sum, item) => sum + value(item), 0);

function sumsOf(meant: Meant) {
  const received = meant.filter((tip) => tip.isReceived && !tip.isRefunded);
  // Of a refunded tip the giver has again what did not reach them.
  const sent = meant.filter((tip) => !tip.isReceived);
  return {
    receivedCount: received.length,
    receivedCents: sumOf(received, ({ netCents }) => netCents),
    sentCount: sent.filter((tip) => !tip.isRefunded).length,
    sentCents: sumOf(sent, ({ amountCents }) => amountCents),
    paidCents: sumOf(sent, ({ paidCents }) => paidCents),
  };
}

const NOTHING = { count: 0, grossCents: 0, feeCents: 0, netCents: 0 };
type Takings = typeof NOTHING;

const together = (takings: readonly Takings[]): Takings => ({
  count: sumOf(takings, ({ count }) => count),
  grossCents: sumOf(takings, ({ grossCents }) => grossCents),
  feeCents: sumOf(takings, ({ feeCents }) => feeCents),
  netCents: sumOf(takings, ({ netCents }) => netCents),
});

/** The takings of tips, by whatever they have in common. */
function takingsBy(meant: Meant, keyOf: (tip: Meant[number]) => string): ReadonlyMap<string, Takings> {
  const groups = new Map<string, Takings>();
  for (const tip of meant) {
    if (!tip.isReceived || tip.isRefunded) continue;
    const { grossCents, netCents } = tip;
    const taken = { count: 1, grossCents, feeCents: grossCents - netCents, netCents };
    groups.set(keyOf(tip), together([groups.get(keyOf(tip)) ?? NOTHING, taken]));
  }
  return groups;
}

/** The same four sums of whatever has them among others. */
const takingsIn = ({ count, grossCents, feeCents, netCents }: Takings): Takings => ({
  count,
  grossCents,
  feeCents,
  netCents,
});

const centsIn = (cell = '') => Math.round(Number(cell) * 100) + 0;

async function csvAt(t: TestApp, path: string, { token }: Person): Promise<Record<string, string>[]> {
  const { status, text } = await t.rest('GET', path, { token, headers: { Accept: 'text/csv' } });
  expect(status).toBe(200);
  return parse(text, { bom: true, columns: true });
}

const queryOf = (question: object) =>
  new URLSearchParams(
    Object.entries(question).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

async function allPages({ trpc }: Person, question: Question, limit: number): Promise<Transaction[]> {
  const listed: Transaction[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof trpc.transactions.list.query>> = await trpc.transactions.list.query(
      { ...question, limit, cursor: cursor as TransactionId | null },
    );
    listed.push(...page.transactions);
    cursor = page.nextCursor;
    if (cursor === null) return listed;
  }
}

/** The rows of the statement against the entries of an account book. */
function expectRowsToAgree(rows: Readonly<Record<string, string>>[], entries: Books, label: string) {
  const keyOf = (...parts: readonly (string | undefined)[]) => parts.join(' ');
  const known = new Map(
    entries.map((entry) => [keyOf(entry.tip.id, ENTRY_LABELS[entry.moved.kind], entry.moved.source), entry]),
  );
  expect(rows.length, label).toBe(entries.length);
  for (const row of rows) {
    const entry = known.get(keyOf(row['Transaction'], row['Entry'], row['Refund ID']));
    if (!entry) throw new Error(`${label}: no such row was expected: ${JSON.stringify(row)}`);
    const { tip, moved, isReceived } = entry;
    expect(`${row['Date']} ${row['Time']}`, label).toBe(entry.wall);
    expect([row['Day'], row['Day of tip']], label).toEqual([entry.day, entry.dayOfTip]);
    const offset = (row['UTC offset'] ?? '').slice('UTC'.length);
    const inSeconds = (ms: number) => Math.floor(ms / 1_000) * 1_000;
    expect(Date.parse(`${row['Date']}T${row['Time']}${offset}`), label).toBe(inSeconds(entry.atMs));
    expect(row['Service']).toBe(CATEGORY_LABELS[tip.serviceCategory]);
    expect(isReversed(tip) ? ['Refunded'] : ['Completed', 'Disputed']).toContain(row['Status']);
    const reversal = tip.changes.find(({ kind }) => kind === 'reversal');
    const changedAtMs = entry.isChange ? entry.atMs : reversal?.atMs;
    expect(
      row['Refunded at with offset'] ? Date.parse(row['Refunded at with offset']) : undefined,
      label,
    ).toBe(changedAtMs && inSeconds(changedAtMs));
    expect(row['Payment ID']).toBe(tip.charge ? `pi_${tip.id}` : '');
    const movedCents = isReceived ? moved.netCents : moved.paidCents;
    expect(centsIn(row['Tip']), label).toBe(moved.amountCents);
    expect(centsIn(row[isReceived ? 'Net amount' : 'Total paid']), label).toBe(movedCents);
    expect(row[isReceived ? 'Total paid' : 'Net amount']).toBe('');
    expect(centsIn(row['Service fee']), label).toBe(
      isReceived ? moved.amountCents - movedCents : movedCents - moved.amountCents,
    );
    expect(centsIn(row['Refunded']), label).toBe(entry.isChange ? 0 - movedCents : 0);
  }
  const times = rows.map((row) => row['Date'] + (row['Time'] ?? ''));
  if (new Set(rows.map((row) => row['UTC offset'])).size < 2)
    expect(times).toEqual([...times].sort().reverse());
}

/** Each column of amounts adds up to what the sums tell of the period. */
function expectColumnsToAgree(
  rows: Readonly<Record<string, string>>[],
  { receivedTips, receivedChanges, sentTips, sentChanges }: ReturnType<typeof bookSumsOf>,
  label: string,
) {
  const columnOf = (direction: string, column: string) =>
    sumOf(
      rows.filter(({ Direction }) => Direction === direction),
      (row) => centsIn(row[column]),
    );
  expect(
    sumOf(rows, (row) => centsIn(row['Net amount'])),
    label,
  ).toBe(receivedTips.netCents + receivedChanges.netCents);
  expect(
    sumOf(rows, (row) => centsIn(row['Total paid'])),
    label,
  ).toBe(sentTips.paidCents + sentChanges.paidCents);
  expect(columnOf('Sent', 'Tip'), label).toBe(sentTips.amountCents + sentChanges.amountCents);
  expect(columnOf('Received', 'Tip'), label).toBe(
    columnOf('Received', 'Net amount') + columnOf('Received', 'Service fee'),
  );
  expect(columnOf('Received', 'Refunded'), label).toBe(0 - receivedChanges.netCents);
  expect(columnOf('Sent', 'Refunded'), label).toBe(0 - sentChanges.paidCents);
}

/** Statement, listing, entries and sums against what happened. */
async function expectListingsToAgree(
  t: TestApp,
  person: Person,
  question: Question,
  asking: Asking,
  happened: readonly Happened[],
) {
  const meant = meantBy(question, asking, happened);
  const books = booksBy(question, asking, happened);
  const label = JSON.stringify([person.user.username, question]);
  const listed = await allPages(person, question, 37);
  expect(listed.map(({ id }) => id).sort(), label).toEqual(meant.map(({ id }) => id).sort());
  const sums = sumsOf(meant);
  const bookSums = bookSumsOf(question, books);
  expect(await person.trpc.transactions.sums.query(question), label).toEqual({ ...sums, books: bookSums });
  const kept = listed.filter((tip) => tip.status !== 'refunded' && tip.receiverId === person.user.id);
  expect(
    sumOf(kept, (tip) => tip.netAmountCents + sumOf(tip.changes, ({ amountCents }) => amountCents)),
    label,
  ).toBe(sums.receivedCents);

  const rows = await csvAt(t, `/transactions?${queryOf(question)}`, person);
  expectRowsToAgree(
    rows,
    books.filter(({ day }) => isIn(question, day)),
    label,
  );
  expectColumnsToAgree(rows, bookSums, label);
  const entries = await allEntries(person, question, 37);
  expect(
    entries.map(({ transaction, kind }) => [transaction.id, ENTRY_LABELS[kind]]),
    label,
  ).toEqual(rows.map(({ Transaction, Entry }) => [Transaction, Entry]));
  if (question.from === undefined || question.to === undefined) return;

  // The account book of a closed period, and what explains the difference to how its tips count today.
  const { from: tipsFrom, to: tipsTo, ...filter } = question;
  const since = { ...filter, from: dateAfter(tipsTo, 1), tipsFrom, tipsTo, only: 'changes' } as const;
  const changed = await allEntries(person, since, 37);
  const { receivedTips, receivedChanges, receivedSince, sentSince } = bookSums;
  const ofDirection = (direction: TipDirection) => changed.filter((entry) => entry.direction === direction);
  expect(
    sumOf(ofDirection('received'), ({ netAmountCents }) => netAmountCents),
    label,
  ).toBe(receivedSince.netCents);
  expect(
    sumOf(ofDirection('sent'), ({ amountCents, giverFeeCents }) => amountCents + giverFeeCents),
    label,
  ).toBe(sentSince.paidCents);
  const ofEarlierTips = movesOf(
    books.filter(
      ({ isChange, day, dayOfTip }) => isChange && isIn(question, day) && !isIn(question, dayOfTip),
    ),
  );
  expect(
    receivedTips.netCents +
      receivedChanges.netCents -
      ofEarlierTips.received.netCents +
      receivedSince.netCents,
    label,
  ).toBe(sums.receivedCents);
}

async function allEntries({ trpc }: Person, question: EntriesQuestion, limit: number): Promise<BookEntry[]> {
  const listed: BookEntry[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: EntryPage = await trpc.transactions.entries.query({
      ...question,
      limit,
      cursor: cursor as TransactionId | null,
    });
    listed.push(...page.entries);
    cursor = page.nextCursor;
    if (cursor === null) return listed;
  }
}

interface EntriesQuestion extends Question {
  readonly only?: 'changes';
  readonly tipsFrom?: string;
  readonly tipsTo?: string;
}

/** The takings of a period against what happened. */
async function expectTakingsToAgree(
  t: TestApp,
  person: Person,
  period: Question & { readonly from: string; readonly to: string },
  granularity: (typeof GRANULARITIES)[number],
  meant: Meant,
  books: Books,
) {
  const label = JSON.stringify([person.user.username, period, granularity]);
  const { direction: _, ...asked } = { ...period, granularity };
  const told = await person.trpc.transactions.insights.query(asked);
  const all = together([...takingsBy(meant, () => 'all').values()]);
  for (const sums of [told, together(told.bars), together(told.byService)])
    expect(takingsIn(sums), label).toEqual(all);

  const byDay = takingsBy(meant, ({ day }) => day);
  for (const bar of told.bars) {
    const days = [...byDay].filter(([date]) => date >= bar.from && date <= bar.to);
    expect(takingsIn(bar), `${label} ${bar.from}`).toEqual(together(days.map(([, sums]) => sums)));
    expect(together(bar.byService), `${label} ${bar.from}`).toEqual(takingsIn(bar));
  }
  const dates = told.bars.map(({ from, to }) => [from, to]);
  expect([dates[0]?.[0], dates.at(-1)?.[1]]).toEqual([period.from, period.to]);
  for (const [index, [from]] of dates.slice(1).entries())
    expect(from).toBe(dateAfter(dates[index]?.[1] ?? '', 1));

  const byService = takingsBy(meant, ({ serviceCategory }) => serviceCategory);
  expect(new Map(told.byService.map((each) => [each.serviceCategory, takingsIn(each)])), label).toEqual(
    byService,
  );
  const byHour = takingsBy(meant, ({ wall, day }) => {
    const weekday = new Date(day).getUTCDay() || 7;
    return `${weekday} ${Number(wall.slice(11, 13))}`;
  });
  const countAndNet = ({ count, netCents }: Pick<Takings, 'count' | 'netCents'>) => ({ count, netCents });
  expect(
    new Map(told.byHour.map((each) => [`${each.weekday} ${each.hour}`, countAndNet(each)])),
    label,
  ).toEqual(new Map([...byHour].map(([hour, sums]) => [hour, countAndNet(sums)])));
  expect(
    sumOf(told.byHour, ({ netCents }) => netCents),
    label,
  ).toBe(all.netCents);

  const moved = (entries: Books) => ({
    count: entries.length,
    grossCents: sumOf(entries, ({ moved }) => moved.amountCents),
    feeCents: sumOf(entries, ({ moved }) => moved.amountCents - moved.netCents),
    netCents: sumOf(entries, ({ moved }) => moved.netCents),
  });
  const booksIn = (span: { readonly from: string; readonly to: string }) => {
    const entries = books.filter(({ day }) => isIn({ ...span, timeZone: period.timeZone }, day));
    const movesOfService = (own: Books) => ({
      tips: moved(own.filter(({ isChange }) => !isChange)),
      changes: moved(own.filter(({ isChange }) => isChange)),
    });
    const byServiceOf = SERVICE_CATEGORIES.flatMap((serviceCategory) => {
      const own = entries.filter(({ tip }) => tip.serviceCategory === serviceCategory);
      return own.length === 0 ? [] : [{ serviceCategory, ...movesOfService(own) }];
    });
    return { ...movesOfService(entries), byService: byServiceOf };
  };
  expect(told.books, label).toEqual(booksIn(period));
  for (const bar of told.bars) expect(bar.books, `${label} ${bar.from}`).toEqual(booksIn(bar));

  const record = await csvAt(t, `/transactions/insights?${queryOf(asked)}`, person);
  const bars = told.bars.filter((bar) => bar.count + bar.books.tips.count + bar.books.changes.count > 0);
  expect(
    record.map((row) => ({
      count: Number(row['Tips']),
      grossCents: centsIn(row['Gross']),
      feeCents: centsIn(row['Fees']),
      netCents: centsIn(row['Net']),
    })),
    label,
  ).toEqual(bars.map(takingsIn));
  expect(
    record.map((row) => ({
      tips: Number(row['Tips given']),
      changes: Number(row['Refunds made']),
      grossCents: centsIn(row['Gross after refunds']),
      feeCents: centsIn(row['Fees after refunds']),
      netCents: centsIn(row['Net after refunds']),
    })),
    label,
  ).toEqual(
    bars.map(({ books: { tips, changes } }) => ({
      tips: tips.count,
      changes: changes.count,
      grossCents: tips.grossCents + changes.grossCents,
      feeCents: tips.feeCents + changes.feeCents,
      netCents: tips.netCents + changes.netCents,
    })),
  );
}

test.each(
  HISTORIES,
)('statement, listing, sums, takings and totals agree with what happened in random history %i', async (seed) => {
  const chance = createChance(20_261_122 + seed);
  const t = await createTestApp();
  const { people, happened } = await createHistory(t, chance);
  const startHours = new Map<string, number>();
  for (const [index, { trpc, user }] of people.entries()) {
    const dayStartHour = [null, 5, chance.below(24)][index] ?? null;
    await trpc.auth.updateProfile.mutate({ dayStartHour });
    startHours.set(user.id, dayStartHour ?? 0);
  }
  const maybe = <Value>(value: Value): Value | undefined => (chance.below(2) === 0 ? value : undefined);

  for (let turn = 0; turn < QUESTIONS; turn += 1) {
    const person = chance.pick(people);
    const timeZone = TIME_ZONES[turn % TIME_ZONES.length] ?? 'UTC';
    const near = new Date(chance.pick([chance.pick(CHANGES_MS), FIRST_MS + chance.below(YEARS_MS)]));
    const from = dateAfter(near.toISOString().slice(0, 10), -chance.below(3));
    const to = dateAfter(from, chance.below(chance.pick([1, 3, 32, 400])));
    const filter = {
      ...(maybe(true) && { direction: chance.pick(TIP_DIRECTIONS) }),
      ...(maybe(true) && { serviceCategory: chance.pick(['bartender', 'dj', 'barber', 'server'] as const) }),
    };
    const hour = maybe(true) && { dayStartHour: chance.pick([0, 2, 5, chance.below(24)]) };
    const question = {
      timeZone,
      ...hour,
      ...filter,
      ...(maybe(true) && { from }),
      ...(maybe(true) && { to }),
    };
    const { id } = person.user;
    const asking = { id, startHour: startHours.get(id) ?? 0 };
    await expectListingsToAgree(t, person, question, asking, happened);
    const period = { timeZone, ...hour, ...filter, from, to };
    const { direction: _, ...ofTakings } = period;
    const received = meantBy({ ...ofTakings, direction: 'received' }, asking, happened);
    const books = booksBy({ ...ofTakings, direction: 'received' }, asking, happened);
    await expectTakingsToAgree(t, person, period, chance.pick(GRANULARITIES), received, books);
    expect((await person.trpc.transactions.sums.query(ofTakings)).receivedCents).toBe(
      sumsOf(received).receivedCents,
    );
  }

  for (const person of people) {
    for (const timeZone of TIME_ZONES) {
      const whole = { timeZone };
      const sums = await person.trpc.transactions.sums.query(whole);
      const { totalTipsReceivedCents, totalTipsGivenCents } = await person.trpc.auth.me.query();
      expect([sums.receivedCents, sums.sentCents]).toEqual([totalTipsReceivedCents, totalTipsGivenCents]);
      const years = { timeZone, from: '2024-01-01', to: '2026-12-31' };
      const told = await person.trpc.transactions.insights.query({ ...years, granularity: 'month' });
      expect(told.netCents).toBe(totalTipsReceivedCents);
    }
    const asking = { id: person.user.id, startHour: startHours.get(person.user.id) ?? 0 };
    await expectListingsToAgree(t, person, { timeZone: 'UTC' }, asking, happened);
  }
});

test.runIf(isOnSqlite())('the histories have every kind of change', () => {
  for (const kind of [
    ...'reversal refund refund_failed dispute dispute_won dispute_lost'.split(' '),
    'refund_failed after a reversal',
  ])
    expect(met).toContain(kind);
});
