/** Prepares the statements of `../statements`, which are built for PostgreSQL, on a SQLite file. */
import { Column, is, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { SCHEMA } from '../schema/columns.ts';
import type { PreparedStatement, Statements, Values } from '../statements/all.ts';
import { type CompiledStatements, compileAll, prepareAll } from '../statements/compile.ts';
import { Ended } from '../steps/step.ts';
import type { Database } from './connection.ts';

/** SQLite reads the text for PostgreSQL but for the name of the schema, parameters, and locks of rows. */
class SqliteDialect extends PgDialect {
  override escapeName(name: string): string {
    return super.escapeName(name === SCHEMA.schemaName ? 'main' : name);
  }

  /**
   * The sign hides a value from the planner: SQLite 3.54 plans some statements anew for each value (measured: 37 µs for
   * a session instead of 5). Without the statistics of ANALYZE no value changes a plan.
   */
  override escapeParam(): string {
    return '+?';
  }

  /** A file has one writer at a time, so that no row needs a lock. */
  override buildSelectQuery({
    lockingClause: _,
    ...config
  }: Parameters<PgDialect['buildSelectQuery']>[0]): SQL {
    return super.buildSelectQuery(config);
  }
}

const NOTHING_TO_DO: PreparedStatement<Values, unknown> = {
  all: () => new Ended([]),
  one: () => new Ended(undefined),
  change: () => new Ended(0),
};

let compiled: CompiledStatements | undefined;

/** The same for every file, so that they are compiled once. */
export function compileStatements(): CompiledStatements {
  compiled ??= compileAll({
    dialect: new SqliteDialect(),
    isIn: (column, name) => {
      const isOfBytes = is(column, Column) && column.getSQLType() === 'bytea';
      const item = sql.raw(isOfBytes ? 'unhex(value)' : 'value');
      return sql`${column} in (select ${item} from json_each(${sql.placeholder(name)}))`;
    },
    choose: (_, { sqlite }) => sqlite,
    bound,
    isTrue: (value) => value === 1,
  });
  return compiled;
}

/**
 * @param prepared `now`: an unknown column throws here. `when run`: it throws then, and a statement that never runs
 * costs nothing (preparing all takes longer than most tests).
 */
export function prepareStatements(database: Database, prepared: 'now' | 'when run' = 'now'): Statements {
  return prepareAll(compileStatements(), (statement) => {
    if (statement === null) return NOTHING_TO_DO;
    const { text, bind, read } = statement;
    const prepare = () => {
      const made = database.prepare<unknown[], unknown[]>(text);
      return made.reader ? made.raw() : made;
    };
    let kept = prepared === 'now' ? prepare() : null;
    const ready = () => {
      kept ??= prepare();
      return kept;
    };
    return {
      all: (values) => new Ended(ready().all(bind(values)).map(read)),
      one(values) {
        const row = ready().get(bind(values));
        return new Ended(row && read(row));
      },
      change: (values) => new Ended(ready().run(bind(values)).changes),
    };
  });
}

/** SQLite knows no booleans, and lists as JSON only, in which bytes are hexadecimal. */
function bound(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (!Array.isArray(value)) return value;
  return JSON.stringify(value.map((item) => (Buffer.isBuffer(item) ? item.toString('hex') : item)));
}
