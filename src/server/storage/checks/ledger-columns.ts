/** The words in which invariants speak of the ledger, whose rows join by numbers, or by ids in earlier versions. */
import type { EntryKind } from '../port/ledger.ts';
import { KIND_NUMBERS } from '../schema/numbers.ts';

/** A sentence, and a query whose first column names the offenders. */
export type Invariant = readonly [sentence: string, offenders: string];

export const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Columns that join the ledger's rows: numbers, which need no look-up, or ids in databases of earlier versions. */
export interface Names {
  readonly account: 'account' | 'account_id';
  readonly giver: 'giver' | 'giver_id';
  readonly receiver: 'receiver' | 'receiver_id';
  readonly code: 'code' | 'qr_code_id';
  readonly ofAccount: 'number' | 'id';
  readonly ofCode: 'sequence' | 'id';
  readonly kind: 'kind_number' | 'kind';
  kindOf(kind: EntryKind): string;
  idOf(column: string): string;
}

export const NUMBERS: Names = {
  account: 'account',
  giver: 'giver',
  receiver: 'receiver',
  code: 'code',
  ofAccount: 'number',
  ofCode: 'sequence',
  kind: 'kind_number',
  kindOf: (kind) => String(KIND_NUMBERS[kind]),
  idOf: (column) => `coalesce((SELECT id FROM accounts WHERE number = ${column}), 'number ' || ${column})`,
};

export const TEXTS: Names = {
  account: 'account_id',
  giver: 'giver_id',
  receiver: 'receiver_id',
  code: 'qr_code_id',
  ofAccount: 'id',
  ofCode: 'id',
  kind: 'kind',
  kindOf: (kind) => `'${kind}'`,
  idOf: (column) => column,
};

/** Parts of the schema that databases of earlier versions lack, together with the invariants about them. */
export interface Has {
  readonly names: Names;
  readonly details: boolean;
  readonly payments: boolean;
  readonly terms: boolean;
  readonly adjustments: boolean;
}

/** The entry that a row of `source` names for its giver or its receiver. */
export const entryOf = ({ names }: Has, alias: string, person: 'giver' | 'receiver', source: string) =>
  `LEFT JOIN entries ${alias} ON ${alias}.${names.account} = t.${names[person]} AND ${alias}.position = ${source}.${person}_position`;

export const differs = ({ names }: Has, alias: string, kind: string, cents: string, source: string) =>
  `${alias}.transaction_sequence IS DISTINCT FROM t.sequence OR ${alias}.${names.kind} IS DISTINCT FROM ${kind}
     OR ${alias}.cents IS DISTINCT FROM ${cents} OR ${alias}.created_at_ms IS DISTINCT FROM ${source}.created_at_ms`;
