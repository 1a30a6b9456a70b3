/** What the console shows and changes of the terms of tips. */
import type { StoredTerms } from '#server/storage/port/terms.ts';
import { NOTICE_MS, proposeTerms, setTerms } from '#server/tips/next-terms.ts';
import { isReplaced, termsAt } from '#server/tips/terms.ts';
import { isoTime } from '#shared/calendar.ts';
import {
  type AskedTerms,
  askedTerms,
  type PaidAndKept,
  type TermsPreview,
  type TermsState,
  type TermsVersion,
} from '#shared/console/installation.ts';
import { type Cents, feesFor, SPECIFIED_TERMS, type Terms } from '#shared/money.ts';
import type { ConsoleServices } from './console-context.ts';
import { actProcedure, operatorProcedure } from './console-trpc.ts';

export const termsProcedures = {
  /** All versions, the newest first. */
  terms: operatorProcedure.query(async ({ ctx: { services } }): Promise<TermsVersion[]> => {
    const versions = await services.storage.listTerms();
    const nowMs = services.clock();
    const present = termsAt(versions, nowMs);
    const soon = termsAt(versions, nowMs + NOTICE_MS);
    const told = versions.map(({ fromMs, createdAtMs: _, ...terms }, index) => ({
      ...terms,
      from: isoTime(fromMs),
      state: stateOf(terms.version, { fromMs, present, later: versions.slice(index + 1) }),
    }));
    const first = { fromMs: Number.NEGATIVE_INFINITY, present, later: versions };
    const specified = { ...SPECIFIED_TERMS, from: null, state: stateOf(SPECIFIED_TERMS.version, first) };
    return [specified, ...told]
      .map((each) => ({ ...each, holdsSoon: each.version === soon.version }))
      .toReversed();
  }),

  previewTerms: operatorProcedure
    .input(askedTerms)
    .query(async ({ ctx: { services }, input }): Promise<TermsPreview> => {
      const { before, next, replaced } = await proposeTerms(
        depsOf(services),
        askedOf(input),
        services.clock(),
      );
      const { fromMs, createdAtMs: _, ...terms } = next;
      return {
        next: terms,
        from: isoTime(fromMs),
        examples: examplesOf(terms).map((amount) => ({
          amountCents: amount,
          before: before.currency === terms.currency ? sumsOf(amount, before) : null,
          after: sumsOf(amount, terms),
        })),
        replaced: replaced.map((each) => ({ version: each.version, from: isoTime(each.fromMs) })),
      };
    }),

  setTerms: actProcedure.input(askedTerms).mutation(async ({ ctx: { services, act }, input }) => {
    await setTerms(depsOf(services), askedOf(input), services.clock(), act('terms_set'));
  }),
};

function depsOf({ storage, settings: { isPaidByStripe } }: ConsoleServices) {
  return { storage, isPaidByStripe };
}

/** The input of an act has its reason too. */
function askedOf({ from, giverFee, receiverFee, min, max, quick, currency, ...seen }: AskedTerms) {
  const { basedOn, filledWith } = seen;
  const changed = { giverFee, receiverFee, min, max, quick, currency };
  return { ...changed, basedOn, filledWith, fromMs: from === undefined ? undefined : Date.parse(from) };
}

function stateOf(
  version: number,
  {
    fromMs,
    present,
    later,
  }: { readonly fromMs: number; readonly present: StoredTerms; readonly later: readonly StoredTerms[] },
): TermsState {
  if (version === present.version) return 'now';
  if (isReplaced(fromMs, later)) return 'replaced';
  return version > present.version ? 'to_come' : 'past';
}

function examplesOf({ minTipCents, maxTipCents, quickAmountsCents }: Terms): Cents[] {
  const usual = quickAmountsCents[Math.floor(quickAmountsCents.length / 2)] ?? minTipCents;
  return [...new Set([minTipCents, usual, maxTipCents])];
}

function sumsOf(amount: Cents, terms: Terms): PaidAndKept {
  const { giverFeeCents, netAmountCents } = feesFor(amount, terms);
  return { paidCents: amount + giverFeeCents, keptCents: netAmountCents };
}
