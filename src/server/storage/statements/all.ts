/** All statements of the running server but the set-wise ones of PostgreSQL, and what an engine makes of them. */
import type { Step } from '../steps/step.ts';
import { accountStatements } from './accounts.ts';
import type { Builder, Preparable, Typed } from './builder.ts';
import { checkStatements } from './checks.ts';
import { codeStatements } from './codes.ts';
import { deviceStatements } from './devices.ts';
import { messageStatements } from './messages.ts';
import { paymentStatements } from './payments.ts';
import { tipStatements } from './tips.ts';

export function buildStatements(builder: Builder) {
  return {
    ...accountStatements(builder),
    ...codeStatements(builder),
    ...tipStatements(builder),
    ...paymentStatements(builder),
    ...messageStatements(builder),
    ...deviceStatements(builder),
    ...checkStatements(builder),
  };
}

type Built = ReturnType<typeof buildStatements>;

export type Values = Readonly<Record<string, unknown>>;

/** A statement that is prepared on a connection. Values for all of its placeholders are handed in by their names. */
export interface Prepared<In extends object, Row> {
  all(values: In): Step<Row[]>;
  /** The first row. */
  one(values: In): Step<Row | undefined>;
  /** @returns how many rows it has inserted, changed or deleted. */
  change(values: In): Step<number>;
}

type RowOf<Query> =
  Query extends Preparable<infer Result> ? (Result extends readonly (infer Row)[] ? Row : never) : never;

export type Statements = {
  readonly [Name in keyof Built]: NonNullable<Built[Name]> extends Typed<
    infer Query,
    infer Row extends object
  >
    ? Prepared<Row, RowOf<Query>>
    : Prepared<Values, RowOf<NonNullable<Built[Name]>>>;
};
