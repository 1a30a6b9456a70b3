import type { SchemaObjects } from '../care/migrations.ts';
import type { Database } from './connection.ts';

interface SchemaObject {
  readonly type: unknown;
  readonly name: unknown;
  readonly table: unknown;
  readonly sql: unknown;
}

/** A token of SQL: a string, a name in any of SQLite's quotes, white space, a word, or a sign. */
const TOKEN =
  /(?<string>'(?:[^']|'')*')|"(?<double>(?:[^"]|"")*)"|`(?<back>(?:[^`]|``)*)`|\[(?<bracket>[^\]]*)\]|(?<gap>--[^\n]*|\/\*[\s\S]*?\*\/|[ \t\n\f\r]+)|(?<word>[\w$\u0080-\u{10ffff}]+)|[\s\S]/gu;

export function objectsOf(database: Database): SchemaObjects {
  const objects = database.prepare<[], SchemaObject>(
    'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema ORDER BY type, name',
  );
  return objects.all().map(({ type, name, table, sql }) => {
    const kind = /^(?:table|index|trigger|view)$/.test(String(type)) ? type : JSON.stringify(type);
    return [`${kind} ${JSON.stringify(name)}`, JSON.stringify([table, normalized(sql)])];
  });
}

/** White space, case and kinds of quotes mean nothing. A quoted name is no word: `"null"` is not `null`. */
function normalized(sql: unknown): unknown {
  // SQLite reads a text up to its first NUL, which no migration contains.
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
