/** `npm run terms`: shows the terms of tips, and sets the next version of them. */
import { MAX_AMOUNT_CENTS, type StoredTerms, type TermsStorage } from '#server/storage/port/terms.ts';
import { termsAt } from '#server/tips/terms.ts';
import { parseDecimal, plainDecimal } from '#shared/decimals.ts';
import { type Cents, cents, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';
import { actsOf, type Command, parseWords, REASON, readTime, UsageError } from './command.ts';

const USAGE =
  'npm run terms -- show | set [--giver-fee PERCENT] [--receiver-fee PERCENT] [--min AMOUNT] [--max AMOUNT] ' +
  '[--quick AMOUNT,AMOUNT,...] [--currency CODE] [--from TIME] ' +
  '[--reason TEXT]';
const OPTIONS = {
  'giver-fee': { type: 'string' },
  'receiver-fee': { type: 'string' },
  min: { type: 'string' },
  max: { type: 'string' },
  quick: { type: 'string' },
  currency: { type: 'string' },
  from: { type: 'string' },
  ...REASON,
} as const;
type Options = { readonly [Name in keyof typeof OPTIONS]?: string | undefined };

/** Running servers read the versions every second; a minute lets all of them change at the same moment. */
const NOTICE_MS = 60_000;
const MAX_QUICK_AMOUNTS = 10;

export const changeTerms: Command = async ({ config, database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 1, options: OPTIONS });
  const [action] = positionals;
  if (action !== 'show' && action !== 'set') throw new UsageError(`Usage: ${USAGE}`);
  const acts = actsOf(actor, values.reason, Date.now);
  const storage = await database.openForCommand();
  try {
    const versions = await storage.listTerms();
    if (action === 'set') {
      const next = await nextTerms(versions, values, storage, Date.now());
      if (config.stripe && next.exponent === 3)
        throw new UsageError(`Stripe takes ${next.currency} in tens of its smallest unit only.`);
      const outcome = await storage.addTerms(next, acts('terms_set'));
      if (outcome === 'taken')
        throw new UsageError('Somebody else has set terms meanwhile. Look, and try again.');
      if (outcome === 'currency_fixed')
        throw new UsageError(currencyFixed(versions.at(-1) ?? SPECIFIED_TERMS));
      versions.push(next);
    }
    for (const line of told(versions, Date.now())) say(line);
    return true;
  } finally {
    await storage.close();
  }
};

/** The next version: what is named changes, and all else stays. @throws UsageError */
async function nextTerms(
  versions: readonly StoredTerms[],
  values: Options,
  storage: Pick<TermsStorage, 'hasTips'>,
  nowMs: number,
): Promise<StoredTerms> {
  const { from, reason: _reason, ...changed } = values;
  if (Object.keys(changed).length === 0) throw new UsageError(`Nothing was named to change. Usage: ${USAGE}`);
  const before = versions.at(-1) ?? SPECIFIED_TERMS;
  const hasTips = await storage.hasTips();
  const currency = values.currency === undefined ? before.currency : values.currency.toUpperCase();
  const isOther = currency !== before.currency;
  if (isOther && hasTips) throw new UsageError(currencyFixed(before));
  const exponent = exponentOf(currency);
  const isUnclear = isOther && [values.min, values.max, values.quick].includes(undefined);
  if (isUnclear)
    throw new UsageError('With another currency, --min, --max and --quick have to be named as well.');
  const amount = (name: 'min' | 'max' | 'quick', text: string) =>
    readAmount(name, text, { currency, exponent });
  const terms = {
    version: before.version + 1,
    currency,
    exponent,
    giverFeeRate: readRate('giver-fee', values, before.giverFeeRate),
    receiverFeeRate: readRate('receiver-fee', values, before.receiverFeeRate),
    minTipCents: values.min === undefined ? before.minTipCents : amount('min', values.min),
    maxTipCents: values.max === undefined ? before.maxTipCents : amount('max', values.max),
    quickAmountsCents:
      values.quick === undefined
        ? before.quickAmountsCents
        : values.quick.split(',').map((text) => amount('quick', text)),
  };
  requireSense(terms);
  return { ...terms, fromMs: readFrom(from, nowMs + (hasTips ? NOTICE_MS : 0)), createdAtMs: nowMs };
}

const currencyFixed = ({ currency }: Terms) =>
  `The first tip has fixed the currency: it stays ${currency}. Another one takes another installation.`;

/** @throws UsageError for a currency that is unknown, or has another number of decimals than 0, 2 or 3. */
function exponentOf(currency: string): number {
  if (!Intl.supportedValuesOf('currency').includes(currency))
    throw new UsageError(`${JSON.stringify(currency)} is no code of a currency, such as EUR.`);
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
  if (exponent !== 0 && exponent !== 2 && exponent !== 3)
    throw new UsageError(
      `${currency} has ${exponent} decimals; only currencies with 0, 2 or 3 are supported.`,
    );
  return exponent;
}

function readAmount(name: string, text: string, unit: Pick<Terms, 'currency' | 'exponent'>): Cents {
  const amount = parseDecimal(text.trim(), unit);
  if (amount !== null && amount <= MAX_AMOUNT_CENTS) return amount;
  const example = plainDecimal(cents(12 * 10 ** unit.exponent), unit);
  throw new UsageError(
    `--${name} takes amounts of ${unit.currency} such as ${example}. This is ${JSON.stringify(text)}.`,
  );
}

/** Reads a percentage with two decimals at most as basis points. */
function readRate(name: 'giver-fee' | 'receiver-fee', values: Options, before: number): number {
  const text = values[name];
  if (text === undefined) return before;
  const rate = /^\d{1,3}(?:\.\d{1,2})?$/.test(text) ? parseDecimal(text, { exponent: 2 }) : null;
  if (rate !== null && rate <= 10_000) return rate;
  throw new UsageError(
    `--${name} takes a percentage from 0 to 100 with at most two decimals, such as 2.5. This is ${JSON.stringify(text)}.`,
  );
}

/** Reads the time from which terms hold. @throws UsageError for the past. */
function readFrom(text: string | undefined, earliestMs: number): number {
  if (text === undefined) return earliestMs;
  const fromMs = readTime('from', text);
  if (fromMs >= earliestMs) return fromMs;
  throw new UsageError(
    'Terms cannot hold in the past, and running servers need a minute to hear of them: ' +
      `name a time after ${new Date(earliestMs).toISOString()}, or none.`,
  );
}

function requireSense({ minTipCents, maxTipCents, quickAmountsCents }: Terms): void {
  if (minTipCents < 1) throw new UsageError('The smallest tip must be more than nothing.');
  if (maxTipCents < minTipCents) throw new UsageError('The largest tip is less than the smallest.');
  const isOutside = (amount: Cents) => amount < minTipCents || amount > maxTipCents;
  const isAscending = quickAmountsCents.every(
    (amount, index) => amount > (quickAmountsCents[index - 1] ?? 0),
  );
  if (quickAmountsCents.length > MAX_QUICK_AMOUNTS || quickAmountsCents.some(isOutside) || !isAscending)
    throw new UsageError(
      `The quick amounts must be 1 to ${MAX_QUICK_AMOUNTS}, ascending, and from the smallest to the largest tip: ` +
        'name them with --quick.',
    );
}

/** @param versions oldest first. */
function told(versions: readonly StoredTerms[], nowMs: number): string[] {
  const present = termsAt(versions, nowMs);
  const first = { ...SPECIFIED_TERMS, fromMs: null };
  return [first, ...versions].flatMap((terms) => [
    `Version ${terms.version}, ${sinceOf(terms, present, nowMs)}`,
    ...linesOf(terms).map((line) => `  ${line}`),
  ]);
}

function sinceOf(
  { version, fromMs }: Pick<Terms, 'version'> & { readonly fromMs: number | null },
  present: Terms,
  nowMs: number,
): string {
  const since = fromMs === null ? 'as specified' : `from ${new Date(fromMs).toISOString()}`;
  if (version === present.version) return `${since} (holds now)`;
  return fromMs !== null && fromMs > nowMs ? `${since} (to come)` : since;
}

function linesOf(terms: Terms): string[] {
  const { currency, giverFeeRate, receiverFeeRate, minTipCents, maxTipCents, quickAmountsCents } = terms;
  const plain = (amount: Cents) => plainDecimal(amount, terms);
  return [
    `Tips from ${plain(minTipCents)} to ${plain(maxTipCents)} ${currency}`,
    `Giver fee ${giverFeeRate / 100} %, receiver fee ${receiverFeeRate / 100} %`,
    `Quick amounts ${quickAmountsCents.map(plain).join(', ')}`,
  ];
}
