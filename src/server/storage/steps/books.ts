/** Steps that read an account's books: every entry by its own time, and the changes among them. */
import { ALL_TIPS, type BookChange, type BookEntry, type Ledger } from '../port/ledger.ts';
import { bookKindsOf, directionOf, movedBy } from '../rules/books.ts';
import { placeAfter, startOfStep, transactionOf } from '../rules/tips.ts';
import { withWhatFollowed } from './adjustments.ts';
import { type Engine, reading, type StepOf } from './engine.ts';
import { stepFrom } from './records.ts';

/** PostgreSQL refuses to compare the place of an entry, an integer of 32 bits, with a larger one. */
const LAST_POSITION = 2 ** 31 - 1;

export const createBookSteps = (engine: Engine) =>
  ({
    listBookEntries: reading(engine)(listBookEntries),

    async findBookPlace(userId, { transactionId, position }) {
      if (position > LAST_POSITION) return null;
      const asked = { userId, id: transactionId, position };
      return (await engine.read(({ placeOfPosition }) => placeOfPosition.one(asked))) ?? null;
    },

    async listChanges(userId, before, limit) {
      const from = startOfStep(ALL_TIPS.untilMs, before);
      const asked = { userId, beforeMs: from.createdAtMs, before: from.position, limit };
      const rows = await engine.read(({ changesBefore }) => changesBefore.all(asked));
      return rows.map((row): BookChange => {
        const { position, createdAtMs, entryKind, tipCreatedAtMs, serviceCategory } = row;
        const { source: _, ...moved } = movedBy(entryKind, row);
        const direction = directionOf(entryKind);
        return { direction, createdAtMs, position, tipCreatedAtMs, serviceCategory, ...moved };
      });
    },
  }) satisfies Partial<Ledger>;

const listBookEntries: StepOf<Ledger['listBookEntries']> = function* (
  statements,
  _,
  userId,
  { filter, before, limit },
) {
  const { serviceCategory, tipFromMs, tipUntilMs, isOfChanges } = filter;
  const endOf = isOfChanges ? statements.endOfChanges : statements.endOfStep;
  const { bounds, next } = yield* stepFrom(endOf, userId, filter, before);
  const kinds = bookKindsOf(filter);
  const asked = { userId, serviceCategory, tipFromMs, tipUntilMs, kinds, limit, ...bounds };
  const rows = yield* (isOfChanges ? statements.changesOfTips : statements.bookEntries).all(asked);
  const tips = yield* withWhatFollowed(statements, rows);
  const entries = tips.map((tip): BookEntry => {
    const { entryKind, entryAtMs, position, chargeId, ...others } = tip;
    const { adjustment: _, earlier: __, receiverPositionOfReversal: ___, ...transaction } = others;
    return {
      direction: directionOf(entryKind),
      createdAtMs: entryAtMs,
      position,
      ...movedBy(entryKind, tip),
      chargeId,
      transaction: transactionOf(transaction),
    };
  });
  return { entries, next: placeAfter(entries, limit, next) };
};
