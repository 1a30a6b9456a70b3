/** Steps of the terms of tips. */
import { cents, SPECIFIED_TERMS } from '#shared/money.ts';
import type { StoredTerms, TermsStorage } from '../port/terms.ts';
import { subjectOfTerms } from '../rules/audit-sentences.ts';
import type { Statements } from '../statements/all.ts';
import { noteAct } from './audit.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import type { Step } from './step.ts';

export const createTermsSteps = (engine: Engine): TermsStorage => ({
  listTerms: reading(engine)(list),
  addTerms: transacting(engine)(add),
  hasTips: reading(engine)(hasTips),
});

/** A trigger refuses a tip under terms of a currency that was replaced, as of a process that has not read of it yet. */
export async function orTermsChanged<Outcome>(
  step: Promise<Outcome>,
): Promise<Outcome | { readonly outcome: 'terms_changed' }> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof Error && error.message === 'the currency has changed')
      return { outcome: 'terms_changed' };
    throw error;
  }
}

function* list({ allTerms }: Statements): Step<StoredTerms[]> {
  const rows = yield* allTerms.all({});
  return rows.map(({ quickAmounts, ...row }) => ({
    ...row,
    quickAmountsCents: quickAmounts.split(',').map((amount) => cents(Number(amount))),
  }));
}

function* hasTips({ anyTip }: Statements): Step<boolean> {
  return (yield* anyTip.one({})) !== undefined;
}

const add: StepOf<TermsStorage['addTerms']> = function* (
  statements,
  isRepeated,
  { quickAmountsCents, ...terms },
  act,
) {
  // Without it another process could commit a version after the list was read, which PostgreSQL's trigger would see.
  yield* statements.lockName.all({ kind: 'terms', name: 'versions' });
  const present = (yield* list(statements)).at(-1) ?? { ...SPECIFIED_TERMS, createdAtMs: 0 };
  const isThis = present.version === terms.version && present.createdAtMs === terms.createdAtMs;
  if (isRepeated && isThis) return 'added';
  if (terms.version !== present.version + 1) return 'taken';
  if (terms.currency !== present.currency && (yield* hasTips(statements))) return 'currency_fixed';
  const row = { ...terms, quickAmounts: quickAmountsCents.join(',') };
  yield* statements.insertTerms.change(row);
  yield* noteAct(statements, isRepeated, act && { ...act, subject: subjectOfTerms(terms) });
  return 'added';
};
