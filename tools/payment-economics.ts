/**
 * `node tools/run.js tools/payment-economics.ts` writes into docs/payments.md what an operator keeps of paid tips.
 * Fees of tips are the specified ones. Prices are public ones of Stripe for accounts in the United States; each
 * operator has a contract of their own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Cents,
  cents,
  feesFor,
  formatMoney,
  formatRate,
  SHORT,
  SPECIFIED_TERMS,
} from '#shared/money.ts';

const PAGE = join(import.meta.dirname, '../docs/payments.md');
const MARKED = /(<!-- economics -->)[\s\S]*(<!-- end of economics -->)/;
const AMOUNTS = [1_000, 2_500, 5_000, 10_000].map(cents);

/** Sums in cents, rates in hundredths of a percent. */
const PRICES = {
  card: { rate: 290, each: 30 },
  foreignCard: 150,
  conversion: 100,
  dispute: 1_500,
  /** For an answer to a dispute; it comes back when the dispute is won. */
  disputeAnswer: 1_500,
  accountInMonth: 200,
  payout: { rate: 25, each: 25 },
} as const;

/** The month of the second table has four weeks, with a payout in each or on each working day. */
const PAYOUTS = { weekly: 4, daily: 20 } as const;

const shareOf = (sum: number, rate: number) => Math.round((sum * rate) / 10_000);
const money = (sum: number) => formatMoney(cents(sum));
const row = (name: string, cells: readonly (number | string)[]) =>
  `| ${[name, ...cells.map((cell) => (typeof cell === 'number' ? money(cell) : cell))].join(' | ')} |`;
const heading = (name: string) => [
  row(
    name,
    AMOUNTS.map((amount) => formatMoney(amount, SHORT)),
  ),
  `|${'---|'.repeat(AMOUNTS.length + 1)}`,
];

/** What moves for one tip, in cents. */
function tipOf(amount: Cents) {
  const { giverFeeCents, receiverFeeCents, netAmountCents } = feesFor(amount, SPECIFIED_TERMS);
  const paid = amount + giverFeeCents;
  const fees = giverFeeCents + receiverFeeCents;
  const takenAt = (rate: number) => shareOf(paid, rate) + PRICES.card.each;
  const taken = takenAt(PRICES.card.rate);
  return { paid, net: netAmountCents, fees, taken, takenAt, kept: fees - taken };
}

/** @param count of tips in four weeks. @param payouts at most one for each tip. */
function keptOfMonth(amount: Cents, count: number, payouts: number): number {
  const { kept, net } = tipOf(amount);
  const { rate, each } = PRICES.payout;
  const ofPayouts = Math.min(count, payouts) * each + shareOf(count * net, rate);
  return count * kept - PRICES.accountInMonth - ofPayouts;
}

function tipsUntilPaid(amount: Cents, payouts: number): string {
  let count = 1;
  while (keptOfMonth(amount, count, payouts) < 0) count += 1;
  return String(count);
}

/** The prices and the two tables, in Markdown. */
function paymentEconomics(): string {
  const { card, foreignCard, conversion, dispute, disputeAnswer } = PRICES;
  const ofEach = (name: string, sum: (tip: ReturnType<typeof tipOf>) => number) =>
    row(
      name,
      AMOUNTS.map((amount) => sum(tipOf(amount))),
    );
  const ofMonth = (name: string, count: number, payouts: number) =>
    row(
      name,
      AMOUNTS.map((amount) => keptOfMonth(amount, count, payouts)),
    );
  const untilPaid = (name: string, payouts: number) =>
    row(
      name,
      AMOUNTS.map((amount) => tipsUntilPaid(amount, payouts)),
    );
  const { accountInMonth, payout } = PRICES;
  return [
    `- a payment by card: ${formatRate(card.rate)} and ${money(card.each)}; ${formatRate(foreignCard)} more for a card from`,
    `  abroad, and ${formatRate(conversion)} more where its currency is converted; nothing of it comes back after a refund`,
    '- a tip that is taken back before it is charged: nothing',
    `- a dispute: ${money(dispute)}, and ${money(disputeAnswer)} for answering it, which come back when it is won`,
    `- an account that is paid out: ${money(accountInMonth)} a month; a payout: ${formatRate(payout.rate)} and ${money(payout.each)}`,
    `- four weeks, with ${PAYOUTS.weekly} weekly payouts or ${PAYOUTS.daily} on working days`,
    '',
    ...heading('A tip of'),
    ofEach('the giver pays', ({ paid }) => paid),
    ofEach('the provider gets', ({ net }) => net),
    ofEach('your fees', ({ fees }) => fees),
    ofEach('Stripe takes', ({ taken }) => taken),
    ofEach('**you keep**', ({ kept }) => kept),
    ofEach('a foreign card', ({ fees, takenAt }) => fees - takenAt(card.rate + foreignCard)),
    ofEach(
      'a foreign card, converted',
      ({ fees, takenAt }) => fees - takenAt(card.rate + foreignCard + conversion),
    ),
    ofEach('taken back while it arrives', () => 0),
    ofEach('refunded later', ({ taken }) => -taken),
    ofEach('disputed, answered and won', ({ kept }) => kept - dispute),
    ofEach('disputed and lost', ({ taken }) => -taken - dispute),
    ofEach('disputed, answered and lost', ({ taken }) => -taken - dispute - disputeAnswer),
    ofEach("disputed and lost, and the provider's part is gone", ({ taken, net }) => -taken - dispute - net),
    row(
      'tips that pay for one that was disputed and lost',
      AMOUNTS.map(tipOf).map(({ kept, taken }) => String(Math.ceil((taken + dispute) / kept))),
    ),
    '',
    ...heading('You keep of one provider in four weeks, of tips of'),
    ofMonth('20 tips, paid out weekly', 20, PAYOUTS.weekly),
    ofMonth('20 tips, paid out on each working day', 20, PAYOUTS.daily),
    ofMonth('100 tips, paid out weekly', 100, PAYOUTS.weekly),
    ofMonth('100 tips, paid out on each working day', 100, PAYOUTS.daily),
    untilPaid('tips until the provider costs you nothing, weekly', PAYOUTS.weekly),
    untilPaid('the same, on each working day', PAYOUTS.daily),
  ].join('\n');
}

/** @param page the text of docs/payments.md. @returns it with the tables between its two marks. */
export function withEconomics(page: string): string {
  if (!MARKED.test(page)) throw new Error('the page has no marks');
  return page.replace(
    MARKED,
    (_, start: string, end: string) => `${start}\n\n${paymentEconomics()}\n\n${end}`,
  );
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, withEconomics(readFileSync(PAGE, 'utf8')));
