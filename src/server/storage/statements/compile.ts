/** Compiles statements for an engine. Drizzle's own reading of rows took three times as long. */
import { Column, type DriverValueDecoder, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm';
import {
  PgBoolean,
  PgDatabase,
  type PgDialect,
  PgPreparedQuery,
  PgSession,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
} from 'drizzle-orm/pg-core';
import { buildStatements, type PreparedStatement, type Statements, type Values } from './all.ts';
import type { Builder, ChangeCount, Preparable } from './builder.ts';

export interface Compiled {
  readonly name: string;
  readonly text: string;
  /** The parameters of a run in order. @throws Error when a value is missing. */
  bind(values: Values): unknown[];
  read(row: readonly unknown[]): unknown;
}

interface Differences extends Pick<Builder, 'isIn' | 'choose'> {
  readonly dialect: PgDialect;
  bound(value: unknown): unknown;
  isTrue(value: unknown): boolean;
}

export type CompiledStatements = Readonly<Record<string, Compiled | null>>;

/** Compiles every statement for an engine, which takes 50 ms, once for all connections. */
export function compileAll({ dialect, isIn, choose, bound, isTrue }: Differences): CompiledStatements {
  const session = new CompilingSession(dialect);
  const statements = buildStatements({
    db: new PgDatabase(dialect, session, undefined),
    isIn,
    choose,
    raw: (text) => ({ prepare: () => session.prepareQuery(dialect.sqlToQuery(text), undefined) }),
  });
  const compile = (name: string, query: Preparable<unknown> | null): Compiled | null => {
    const drawn = query?.prepare(name) ?? null;
    if (drawn === null) return null;
    if (!(drawn instanceof DrawnQuery)) throw new Error(`${name} was built for another driver`);
    const { sql: text, params } = drawn.getQuery();
    return { name, text, bind: binderOf(params, bound), read: readerOf(drawn.fields, isTrue) };
  };
  return Object.fromEntries(
    Object.entries(statements).map(([name, built]) => [
      name,
      compile(name, built !== null && 'query' in built ? built.query : built),
    ]),
  );
}

export function prepareAll(
  compiled: CompiledStatements,
  prepare: (statement: Compiled | null) => PreparedStatement<Values, unknown>,
): Statements {
  const prepared = Object.entries(compiled).map(([name, statement]) => [name, prepare(statement)]);
  // Each answers rows as drizzle types the statement of that name.
  return Object.fromEntries(prepared) as Statements;
}

class DrawnQuery<Config extends PreparedQueryConfig> extends PgPreparedQuery<Config> {
  readonly fields: SelectedFieldsOrdered;

  constructor(query: Query, fields: SelectedFieldsOrdered) {
    super(query, undefined, undefined);
    this.fields = fields;
  }

  async execute(): Promise<never> {
    throw new Error('an engine runs its statements by itself');
  }
}

class CompilingSession extends PgSession<ChangeCount> {
  prepareQuery<Config extends PreparedQueryConfig>(
    query: Query,
    fields: SelectedFieldsOrdered | undefined,
  ): DrawnQuery<Config> {
    return new DrawnQuery(query, fields ?? []);
  }

  async transaction(): Promise<never> {
    throw new Error('an engine makes its transactions by itself');
  }
}

function binderOf(params: readonly unknown[], bound: Differences['bound']): Compiled['bind'] {
  const sources = params.map((param) => {
    // These columns encode nothing: an engine takes values as they are (`bound`).
    const source = is(param, Param) ? param.value : param;
    return is(source, Placeholder)
      ? { name: String(source.name), constant: null }
      : { name: null, constant: source };
  });
  return (values) => {
    const bindings: unknown[] = [];
    for (const { name, constant } of sources) {
      const value = name === null ? constant : values[name];
      if (value === undefined) throw new Error(`No value for "${name}" was handed in`);
      bindings.push(bound(value));
    }
    return bindings;
  };
}

/** The columns of a left-joined table without a row become null as a whole. */
function readerOf(fields: SelectedFieldsOrdered, isTrue: Differences['isTrue']): Compiled['read'] {
  const columns = fields.map(({ path: [name = '', member], field }) => ({
    name,
    member,
    decode: decoderOf(field, isTrue),
  }));
  const groups = [...new Set(columns.flatMap(({ name, member }) => (member === undefined ? [] : name)))];
  return (row) => {
    const read: Record<string, unknown> = {};
    let index = 0;
    for (const { name, member, decode } of columns) {
      const stored = row[index];
      const value = stored === null || decode === null ? stored : decode(stored);
      if (member === undefined) read[name] = value;
      else read[name] = Object.assign(read[name] ?? {}, { [member]: value });
      index += 1;
    }
    for (const group of groups)
      if (Object.values(read[group] ?? {}).every((value) => value === null)) read[group] = null;
    return read;
  };
}

function decoderOf(
  field: SelectedFieldsOrdered[number]['field'],
  isTrue: Differences['isTrue'],
): ((value: unknown) => unknown) | null {
  if (is(field, Column)) return is(field, PgBoolean) ? isTrue : null;
  if (!is(field, SQL) && !is(field, SQL.Aliased)) throw new Error('a subquery is no column');
  const source = is(field, SQL) ? field : field.sql;
  // Drizzle's own drivers read rows by this member, which its types leave out.
  const decoder = 'decoder' in source ? source.decoder : null;
  if (!isDecoder(decoder)) throw new Error('a piece of SQL does not say how it is read');
  return is(decoder, PgBoolean) ? isTrue : (value) => decoder.mapFromDriverValue(value);
}

function isDecoder(value: unknown): value is DriverValueDecoder<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'mapFromDriverValue' in value;
}
