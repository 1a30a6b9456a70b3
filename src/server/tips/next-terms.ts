/** The next version of the terms of tips, as an operator asks for it. */
import type { Act } from '#server/storage/port/audit.ts';
import { MAX_AMOUNT_CENTS, type StoredTerms, type TermsStorage } from '#server/storage/port/terms.ts';
import { isoTime } from '#shared/calendar.ts';
import { parseDecimal, plainDecimal } from '#shared/decimals.ts';
import type { AppError } from '#shared/errors.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { type Cents, cents, feesFor, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';
import { isReplaced, termsAt } from './terms.ts';

/** Changes as they were typed; other terms stay as they are when these begin to hold. */
export interface AskedTerms {
  /** In percent. */
  readonly giverFee?: string | undefined;
  readonly receiverFee?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** Amounts with commas between them. */
  readonly quick?: string | undefined;
  readonly currency?: string | undefined;
  /** When they begin to hold; undefined for as soon as possible. */
  readonly fromMs?: number | undefined;
  /** The version that the operator has seen; it must still be the newest one. */
  readonly basedOn?: number | undefined;
  /** The version with which a form was filled; it must still be the one that holds when next ones can begin. */
  readonly filledWith?: number | undefined;
}

interface Deps {
  readonly storage: TermsStorage;
  readonly isPaidByStripe: boolean;
}

export interface ProposedTerms {
  /** What holds until the next terms begin. */
  readonly before: Terms;
  readonly next: StoredTerms;
  /** Versions to come that never hold any more, because the next one begins before them; oldest first. */
  readonly replaced: readonly StoredTerms[];
}

/** Running servers read the versions every second; a minute lets all of them change at the same moment. */
export const NOTICE_MS = 60_000;
const MAX_QUICK_AMOUNTS = 10;
const AT_ONCE =
  'Another currency holds at once, because until then nobody could tip in the present one. Name no time.';
const OUTDATED =
  'Other terms have begun since these were loaded, or begin within a minute. Cancel, and change those.';
const OVERTAKEN = 'Somebody else has set terms meanwhile. Look, and try again.';

/** Saves the next version. @throws AppError `invalid_input` as `proposeTerms` does. */
export async function setTerms(
  deps: Deps,
  asked: AskedTerms,
  nowMs: number,
  act: Act,
): Promise<ProposedTerms> {
  const proposed = await proposeTerms(deps, asked, nowMs);
  const outcome = await deps.storage.addTerms(proposed.next, act);
  if (outcome === 'taken') throw refusal('basedOn', OVERTAKEN);
  if (outcome === 'currency_fixed') throw currencyFixed(proposed.before);
  return proposed;
}

/** Saves nothing. @throws AppError `invalid_input` with the wrong field of `AskedTerms`; `from` for `fromMs`. */
export async function proposeTerms(
  { storage, isPaidByStripe }: Deps,
  asked: AskedTerms,
  nowMs: number,
): Promise<ProposedTerms> {
  const { fromMs, basedOn, filledWith, ...changed } = asked;
  if (Object.values(changed).every((text) => text === undefined))
    throw refusal('basedOn', 'Change at least one value.');
  const [versions, hasTips] = await Promise.all([storage.listTerms(), storage.hasTips()]);
  const newest = versions.at(-1)?.version ?? SPECIFIED_TERMS.version;
  if (basedOn !== undefined && basedOn !== newest) throw refusal('basedOn', OVERTAKEN);
  if (filledWith !== undefined && filledWith !== termsAt(versions, nowMs + NOTICE_MS).version)
    throw refusal('filledWith', OUTDATED);
  const startMs = startOf(fromMs, nowMs + (hasTips ? NOTICE_MS : 0));
  // The newest version may be one to come, with fees that nobody was to pay yet.
  const before = termsAt(versions, startMs);
  const { currency, exponent } = unitOf(before, changed, hasTips);
  // The storage takes no tip in a currency that a later version replaces.
  if (currency !== before.currency && fromMs !== undefined) throw refusal('from', AT_ONCE);
  const amount = (field: 'min' | 'max' | 'quick', text: string) =>
    readAmount(field, text, { currency, exponent });
  const terms = {
    version: newest + 1,
    currency,
    exponent,
    giverFeeRate: readRate('giverFee', changed, before.giverFeeRate),
    receiverFeeRate: readRate('receiverFee', changed, before.receiverFeeRate),
    minTipCents: changed.min === undefined ? before.minTipCents : amount('min', changed.min),
    maxTipCents: changed.max === undefined ? before.maxTipCents : amount('max', changed.max),
    quickAmountsCents:
      changed.quick === undefined
        ? before.quickAmountsCents
        : changed.quick.split(',').map((text) => amount('quick', text)),
  };
  requireSense(terms);
  const unpayable = isPaidByStripe ? unpayableAtStripe(terms) : null;
  if (unpayable) throw refusal(unpayable.field, unpayable.message);
  const replaced = versions.filter(
    (version, index) =>
      version.fromMs > nowMs &&
      version.fromMs >= startMs &&
      !isReplaced(version.fromMs, versions.slice(index + 1)),
  );
  return { before, next: { ...terms, fromMs: startMs, createdAtMs: nowMs }, replaced };
}

/**
 * The field because of which Stripe would not take every tip under these terms; null when it takes all that are within
 * its bounds for the currency. Those are not known here: they differ by currency, and Stripe changes them.
 */
export function unpayableAtStripe(
  terms: Terms,
): { readonly field: 'currency' | 'receiverFee'; readonly message: string } | null {
  const { currency, exponent, minTipCents, receiverFeeRate } = terms;
  if (exponent === 3)
    return { field: 'currency', message: `Stripe takes ${currency} in tens of its smallest unit only.` };
  // Larger tips leave no less.
  if (feesFor(minTipCents, terms).netAmountCents > 0) return null;
  return {
    field: 'receiverFee',
    message:
      `A receiver fee of ${receiverFeeRate / 100} % leaves nothing of the smallest tip, ` +
      `${plainDecimal(minTipCents, terms)} ${currency}, which Stripe cannot transfer.`,
  };
}

function unitOf(
  before: Terms,
  { currency: typed, min, max, quick }: AskedTerms,
  hasTips: boolean,
): Pick<Terms, 'currency' | 'exponent'> {
  const currency = typed === undefined ? before.currency : typed.trim().toUpperCase();
  const isOther = currency !== before.currency;
  if (isOther && hasTips) throw currencyFixed(before);
  const exponent = exponentOf(currency);
  if (isOther && [min, max, quick].includes(undefined))
    throw refusal(
      'currency',
      'Another currency needs its own smallest tip, largest tip and quick amounts as well.',
    );
  return { currency, exponent };
}

function refusal(field: Exclude<keyof AskedTerms, 'fromMs'> | 'from', message: string): AppError {
  return invalidField(field, message);
}

const currencyFixed = ({ currency }: Terms) =>
  refusal(
    'currency',
    `The first tip has fixed the currency: it stays ${currency}. Another one takes another installation.`,
  );

/** @throws AppError for a currency that is unknown, or has another number of decimals than 0, 2 or 3. */
function exponentOf(currency: string): number {
  if (!Intl.supportedValuesOf('currency').includes(currency))
    throw refusal('currency', `${JSON.stringify(currency)} is no code of a currency, such as EUR.`);
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
  if (exponent !== 0 && exponent !== 2 && exponent !== 3)
    throw refusal(
      'currency',
      `${currency} has ${exponent} decimals; only currencies with 0, 2 or 3 are supported.`,
    );
  return exponent;
}

function readAmount(
  field: 'min' | 'max' | 'quick',
  text: string,
  unit: Pick<Terms, 'currency' | 'exponent'>,
): Cents {
  const amount = parseDecimal(text.trim(), unit);
  if (amount !== null && amount <= MAX_AMOUNT_CENTS) return amount;
  const example = plainDecimal(cents(12 * 10 ** unit.exponent), unit);
  throw refusal(
    field,
    `Name amounts of ${unit.currency} such as ${example}. This is ${JSON.stringify(text)}.`,
  );
}

/** Reads a percentage with two decimals at most as basis points. */
function readRate(field: 'giverFee' | 'receiverFee', asked: AskedTerms, before: number): number {
  const text = asked[field];
  if (text === undefined) return before;
  const rate = /^\d{1,3}(?:\.\d{1,2})?$/.test(text.trim())
    ? parseDecimal(text.trim(), { exponent: 2 })
    : null;
  if (rate !== null && rate <= 10_000) return rate;
  throw refusal(
    field,
    'Name a percentage from 0 to 100 with at most two decimals, such as 2.5. ' +
      `This is ${JSON.stringify(text)}.`,
  );
}

function startOf(fromMs: number | undefined, earliestMs: number): number {
  if (fromMs === undefined) return earliestMs;
  if (fromMs >= earliestMs) return fromMs;
  throw refusal(
    'from',
    'Terms cannot hold in the past, and running servers need a minute to hear of them: ' +
      `name a time after ${isoTime(earliestMs)}, or none.`,
  );
}

function requireSense({ minTipCents, maxTipCents, quickAmountsCents }: Terms): void {
  if (minTipCents < 1) throw refusal('min', 'The smallest tip must be more than nothing.');
  if (maxTipCents < minTipCents) throw refusal('max', 'The largest tip is less than the smallest.');
  const isOutside = (amount: Cents) => amount < minTipCents || amount > maxTipCents;
  const isAscending = quickAmountsCents.every(
    (amount, index) => amount > (quickAmountsCents[index - 1] ?? 0),
  );
  if (quickAmountsCents.length > MAX_QUICK_AMOUNTS || quickAmountsCents.some(isOutside) || !isAscending)
    throw refusal(
      'quick',
      `The quick amounts must be 1 to ${MAX_QUICK_AMOUNTS}, ascending, and from the smallest to the largest tip.`,
    );
}
