/** `npm run terms`: shows the terms of tips, and sets the next version of them. */
import type { StoredTerms } from '#server/storage/port/terms.ts';
import { setTerms } from '#server/tips/next-terms.ts';
import { isReplaced, termsAt } from '#server/tips/terms.ts';
import { plainDecimal } from '#shared/decimals.ts';
import { type Cents, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';
import { inUtc } from '../setting-forms.ts';
import { actsOf, type Command, inOptions, parseWords, REASON, readTime, UsageError } from './command.ts';

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
/** The options that name what is to change, by the names that refusals use. */
const FIELDS = {
  giverFee: '--giver-fee',
  receiverFee: '--receiver-fee',
  min: '--min',
  max: '--max',
  quick: '--quick',
  currency: '--currency',
  from: '--from',
};

export const changeTerms: Command = async ({ config, database, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: 1, options: OPTIONS });
  const [action] = positionals;
  const isShown = action === 'show' && Object.keys(values).length === 0;
  if (!isShown && action !== 'set') throw new UsageError(`Usage: ${USAGE}`);
  const { 'giver-fee': giverFee, 'receiver-fee': receiverFee, from, reason, ...amounts } = values;
  const fromMs = from === undefined ? undefined : readTime('from', from);
  const acts = actsOf(actor, reason, Date.now);
  const storage = await database.openForCommand();
  try {
    const deps = { storage, isPaidByStripe: config.stripe !== null };
    const asked = { giverFee, receiverFee, ...amounts, fromMs };
    const set = isShown
      ? null
      : await inOptions(FIELDS, setTerms(deps, asked, Date.now(), acts('terms_set')));
    for (const line of told(await storage.listTerms(), Date.now())) say(line);
    for (const { version, fromMs } of set?.replaced ?? [])
      say(`Never holds now: version ${version}, from ${inUtc(fromMs)}.`);
    return true;
  } finally {
    await storage.close();
  }
};

/** @param versions oldest first. */
function told(versions: readonly StoredTerms[], nowMs: number): string[] {
  const present = termsAt(versions, nowMs);
  const first = { ...SPECIFIED_TERMS, fromMs: null };
  return [first, ...versions].flatMap((terms, index) => [
    `Version ${terms.version}, ${sinceOf(terms, { present, nowMs, later: versions.slice(index) })}`,
    ...linesOf(terms).map((line) => `  ${line}`),
  ]);
}

function sinceOf(
  { version, fromMs }: Pick<Terms, 'version'> & { readonly fromMs: number | null },
  {
    present,
    nowMs,
    later,
  }: { readonly present: Terms; readonly nowMs: number; readonly later: readonly StoredTerms[] },
): string {
  if (fromMs === null) return version === present.version ? 'as specified (holds now)' : 'as specified';
  const since = `from ${inUtc(fromMs)}`;
  if (version === present.version) return `${since} (holds now)`;
  if (isReplaced(fromMs, later)) return `${since} (replaced)`;
  return fromMs > nowMs ? `${since} (to come)` : since;
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
