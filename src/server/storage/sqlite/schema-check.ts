/**
 * Compares the tables, indexes, triggers and views of two databases: those of a file with those that the migrations make.
 * What guards the ledger is written there: a file without a trigger, or with one more, is not to be trusted, however well
 * its sums add up.
 */
import { brand } from '#shared/brand.ts';
import type { Database } from './connection.ts';

interface SchemaObject {
  readonly type: unknown;
  readonly name: unknown;
  readonly table: unknown;
  /** Null for an index that SQLite made by itself. */
  readonly sql: unknown;
}

/** A token of SQL: a string, a name in any of SQLite's quotes, a gap of SQLite's blanks, a word, or one sign. */
const TOKEN =
  /(?<string>'(?:[^']|'')*')|"(?<double>(?:[^"]|"")*)"|`(?<back>(?:[^`]|``)*)`|\[(?<bracket>[^\]]*)\]|(?<gap>--[^\n]*|\/\*[\s\S]*?\*\/|[ \t\n\f\r]+)|(?<word>[\w$\u0080-\u{10ffff}]+)|[\s\S]/gu;

/**
 * Finds what is in one schema and not in the other.
 * @returns sentences that name each object; empty when both are alike.
 */
export function compareSchemas(database: Database, expected: Database): string[] {
  const wanted = new Map(objectsOf(expected).map((object) => [nameOf(object), object]));
  const seen = new Set<string>();
  const sentences: string[] = [];
  for (const object of objectsOf(database)) {
    const name = nameOf(object);
    const original = wanted.get(name);
    if (!original || seen.has(name)) sentences.push(`the ${name} is none of ${brand.name}'s`);
    else if (!isSame(object, original)) sentences.push(`the ${name} is not as ${brand.name} makes it`);
    seen.add(name);
  }
  const missing = [...wanted.keys()].filter((name) => !seen.has(name));
  return [...sentences, ...missing.map((name) => `the ${name} is missing`)];
}

/** Quoted, because whoever wrote the file may have put anything into a name. */
function nameOf({ type, name }: SchemaObject): string {
  return `${/^(?:table|index|trigger|view)$/.test(String(type)) ? type : JSON.stringify(type)} ${JSON.stringify(name)}`;
}

function isSame(one: SchemaObject, other: SchemaObject): boolean {
  return one.table === other.table && normalized(one.sql) === normalized(other.sql);
}

function objectsOf(database: Database): SchemaObject[] {
  return database
    .prepare<[], SchemaObject>(
      'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema ORDER BY type, name',
    )
    .all();
}

/**
 * A definition without what makes no difference: gaps, the case of words, the kind of quotes around a name. A name in quotes
 * stays another thing than a word, because `"null"` is not `null`.
 */
function normalized(sql: unknown): unknown {
  // SQLite reads a text as far as its first NUL; what stands behind is in no schema that the migrations make.
  if (typeof sql !== 'string' || sql.includes('\0')) return sql;
  const tokens = [...sql.matchAll(TOKEN)].flatMap(({ 0: token, groups = {} }) => {
    if (groups['gap'] !== undefined) return [];
    if (groups['word'] !== undefined) return [token.toLowerCase()];
    const name =
      groups['double']?.replaceAll('""', '"') ?? groups['back']?.replaceAll('``', '`') ?? groups['bracket'];
    return [name === undefined ? token : JSON.stringify(name)];
  });
  return tokens.join(' ');
}
