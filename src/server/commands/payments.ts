/** `npm run payments -- ...`: compares the payment service with the ledger, or exports what moved. It only reads. */
import { writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { dateAfter, dateAt, firstOfDate, isoDate } from '#shared/calendar.ts';
import { spellAmount } from '#shared/console/fee-csv.ts';
import { counted } from '#shared/counted.ts';
import type { Terms } from '#shared/money.ts';
import { openPaymentService, requireKeys } from '../configured-parts.ts';
import type { Finding } from '../payments/charge-comparison.ts';
import { exportHeading, exportRows } from '../payments/charge-export.ts';
import type { PaymentBooks } from '../payments/payment-books.ts';
import { PaymentServiceUnavailable } from '../payments/payment-service.ts';
import { type Reconciled, reconcile } from '../payments/reconciliation.ts';
import { writeWhole } from '../storage/care/backup-file.ts';
import type { Storage } from '../storage/port/storage.ts';
import { termsAt } from '../tips/terms.ts';
import { type Command, parseWords, UsageError } from './command.ts';

const USAGE =
  'npm run payments -- reconcile [--from DATE] [--to DATE] | export [--from DATE] [--to DATE] [--out FILE]';
const OPTIONS = { from: { type: 'string' }, to: { type: 'string' }, out: { type: 'string' } } as const;
/** Five weeks: a month, and the days until somebody looks. */
const USUAL_DAYS = 35;
const SIMULATED = 'Payments are simulated: no money moves, and there is nothing to compare or to export.';

export const careForPayments: Command = async ({ database, config, words, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 1, options: OPTIONS });
  const [action] = positionals;
  const isExport = action === 'export';
  if ((!isExport && action !== 'reconcile') || (!isExport && values.out !== undefined))
    throw new UsageError(`Usage: ${USAGE}`);
  const nowMs = Date.now();
  const period = readPeriod(values, nowMs);
  if (!config.stripe) {
    const storage = await database.openForCommand();
    // Without its keys a task that runs by itself would report that all is well.
    await requireKeys(config, storage).finally(() => storage.close());
    say(SIMULATED);
    return true;
  }
  const [service, { createStripeBooks }] = await Promise.all([
    openPaymentService(config, pino({ level: 'silent' })),
    import('../payments/stripe/stripe-books.ts'),
  ]);
  if (!service) throw new Error('there is no payment service');
  const books = createStripeBooks(config.stripe, Date.now);
  const storage = await database.openForCommand();
  try {
    const terms = termsAt(await storage.listTerms(), nowMs);
    if (isExport) return await exportAll({ storage, books, terms, say }, period, values.out);
    say(`Comparing ${service.mode} payments of ${period.from} to ${period.to} (UTC), in ${terms.currency}.`);
    const found = await reconcile({ storage, books, service, nowMs }, period, (finding) =>
      say(lineOf(finding, terms)),
    );
    for (const line of linesOf(found, terms)) say(line);
    return found.addsUp;
  } catch (error) {
    if (!(error instanceof PaymentServiceUnavailable)) throw error;
    throw new UsageError(`Stripe does not answer, so that nothing is known: ${reasonOf(error)}`, {
      cause: error,
    });
  } finally {
    await storage.close();
  }
};

interface Period {
  readonly from: string;
  readonly to: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** @throws UsageError */
function readPeriod(
  values: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): Period {
  const to = readDate('to', values.to) ?? dateAt(nowMs, 'UTC');
  const from = readDate('from', values.from) ?? dateAfter(to, 1 - USUAL_DAYS);
  if (from > to) throw new UsageError('The last day must not be before the first.');
  return { from, to, fromMs: firstOfDate(from, 'UTC'), untilMs: firstOfDate(dateAfter(to, 1), 'UTC') };
}

function readDate(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const timeMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (isoDate(timeMs || 0) === text) return text;
  throw new UsageError(`--${option} takes a date such as 2026-05-31. This is ${JSON.stringify(text)}.`);
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Memory holds little of the period. A file is there only when it is complete. */
async function exportAll(
  {
    storage,
    books,
    terms,
    say,
  }: {
    readonly storage: Pick<Storage, 'payments'>;
    readonly books: PaymentBooks;
    readonly terms: Pick<Terms, 'currency' | 'exponent'>;
    say(line: string): void;
  },
  { fromMs, untilMs }: Period,
  path: string | undefined,
): Promise<boolean> {
  let count = 0;
  async function* rows() {
    yield exportHeading();
    for await (const charge of books.listMovements(fromMs, untilMs - 1)) {
      const { chargeId } = charge;
      const payment = await storage.payments.findPayment({ chargeId });
      // The operator's account may take payments for something else as well.
      if (!payment && charge.transactionId === null) continue;
      count += 1;
      yield exportRows(charge, payment, terms.currency, (cents) => spellAmount(cents, terms.exponent));
    }
  }
  if (path === undefined) {
    // The last record's line break is that of the terminal's line.
    for await (const text of rows()) if (text !== '') say(text.replace(/\r\n$/, '\r'));
    return true;
  }
  await writeWhole(path, (unfinished) => writeFile(unfinished, rows()));
  say(`${counted(count, 'charge is', 'charges are')} in ${path}.`);
  return true;
}

type Money = Pick<Terms, 'currency' | 'exponent'>;

const TEXTS: Readonly<Record<Finding['kind'], (elsewhere: string, here: string) => string>> = {
  not_in_ledger: (elsewhere) => `${elsewhere} was charged, and the ledger has no tip of it`,
  still_held: (elsewhere) =>
    `${elsewhere} has been held for more than a week, and the ledger has no tip of it`,
  not_charged: (_, here) => `the ledger has ${here}, and Stripe has not charged it`,
  other_sum: (elsewhere, here) => `Stripe charged ${elsewhere}, and the ledger has ${here}`,
  refund: (elsewhere, here) => `Stripe refunded ${elsewhere}, and the ledger has refunds of ${here}`,
  dispute: (elsewhere, here) => `disputes took ${elsewhere} at Stripe, and the ledger has ${here}`,
  receiver: (elsewhere, here) => `the provider has ${elsewhere} at Stripe, and ${here} in the ledger`,
  on_its_way: (elsewhere, here) => `on its way: ${elsewhere} at Stripe, ${here} in the ledger`,
  owed: (elsewhere, here) => `known debt: the provider has ${elsewhere} at Stripe, and ${here} in the ledger`,
  written_off: (elsewhere, here) =>
    `written off: the provider has ${elsewhere} at Stripe, and ${here} in the ledger`,
  paid_otherwise: (elsewhere, here) =>
    `paid to the provider in another way: they have ${elsewhere} at Stripe, and ${here} in the ledger`,
  rounded: (elsewhere, here) =>
    `rounded fees: the provider has ${elsewhere} at Stripe, and ${here} in the ledger`,
};

function lineOf({ kind, transactionId, chargeId, elsewhereCents, hereCents }: Finding, terms: Money): string {
  const names = [transactionId, chargeId].filter((name) => name !== null).join(', ');
  const spell = (cents: number) => spellAmount(cents, terms.exponent);
  return `${names}: ${TEXTS[kind](spell(elsewhereCents), spell(hereCents))}.`;
}

const TOTALS: Readonly<Record<Finding['kind'], string>> = {
  not_in_ledger: 'Charged, and not in the ledger',
  still_held: 'Held for more than a week, and not in the ledger',
  not_charged: 'In the ledger, and not charged',
  other_sum: 'Another sum',
  refund: 'Other refunds',
  dispute: 'Other disputes',
  receiver: 'Other sums of providers',
  on_its_way: 'On its way',
  owed: 'Known debts',
  written_off: 'Written off',
  paid_otherwise: 'Paid in another way',
  rounded: 'Rounded fees',
};

function linesOf(found: Reconciled, terms: Money): string[] {
  const { sides, totals, chargeCount, paymentCount, foreignChargeCount, otherKeysCount, addsUp } = found;
  const spell = (cents: number) => spellAmount(cents, terms.exponent);
  const rows = [
    ['', 'Stripe', 'Ledger', 'Difference'],
    ...(
      [
        ['Customers paid', sides.paid],
        ['Went back', sides.back],
        ['Providers have', sides.received],
      ] as const
    ).map(([name, { elsewhere, here }]) => [name, spell(elsewhere), spell(here), spell(elsewhere - here)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const kinds = [...totals].map(([kind, { count, cents }]) => `${TOTALS[kind]}: ${count}, ${spell(cents)}`);
  return [
    ...table,
    ...kinds,
    ...(foreignChargeCount > 0
      ? [`Charges at Stripe that are for no tip, left out: ${foreignChargeCount}`]
      : []),
    ...(otherKeysCount > 0 ? [`Payments with other keys, left out: ${otherKeysCount}`] : []),
    addsUp
      ? `It adds up to the cent (charges: ${chargeCount}, payments: ${paymentCount}).`
      : `It does not add up (charges: ${chargeCount}, payments: ${paymentCount}).`,
  ];
}
