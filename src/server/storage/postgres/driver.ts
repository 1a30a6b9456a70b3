/** Prepares the statements of `../statements` on a connection. */
import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Client } from 'pg';
import type { Statements, Values } from '../statements/all.ts';
import { type CompiledStatements, compileAll, prepareAll } from '../statements/compile.ts';
import { asDriverError } from './connection.ts';

let compiled: CompiledStatements | undefined;

/** The server prepares each statement when the connection first runs it. */
export function prepareStatements(client: Client): Statements {
  compiled ??= compileAll({
    dialect: new PgDialect(),
    isIn: (column, name) => sql`${column} = any (${sql.placeholder(name)})`,
    choose: (_, { postgres }) => postgres,
    bound: (value) => value,
    isTrue: (value) => value === true,
  });
  return prepareAll(compiled, (statement) => {
    if (statement === null) throw new Error('a statement has nothing to do');
    const { name, text, bind, read } = statement;
    const run = function* (values: Values) {
      let rows: unknown[][] = [];
      let rowCount: number | null = null;
      yield client.query<unknown[]>({ name, text, values: bind(values), rowMode: 'array' }).then(
        (answer) => {
          ({ rows, rowCount } = answer);
        },
        (error: unknown) => Promise.reject(asDriverError(error)),
      );
      return { rows, rowCount };
    };
    const all = function* (values: Values) {
      return (yield* run(values)).rows.map(read);
    };
    return {
      all,
      *one(values) {
        return (yield* all(values))[0];
      },
      *change(values) {
        return (yield* run(values)).rowCount ?? 0;
      },
    };
  });
}
