/** Compares the schema of a database with the one that the migrations make. */
import type { ClientBase } from 'pg';
import { compareObjects, type Migration, requireKnown, type SchemaObjects } from '../care/migrations.ts';
import { appliedTo, HOME } from './migrations.ts';

/**
 * Rules of views are part of the views, and not-null constraints of the columns, because only PostgreSQL 18 lists them
 * as constraints. Temporary tables, as those of the comparison are, count as permanent.
 */
const OBJECTS = `
  WITH home AS (SELECT $1::oid AS id),
    relations AS (SELECT c.* FROM pg_class c, home WHERE c.relnamespace = home.id)
  SELECT CASE c.relkind WHEN 'r' THEN 'table' WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' ELSE 'relation' END AS kind,
    c.relname AS name,
    concat_ws(' ', c.relkind, c.relpersistence = 'u', c.relrowsecurity, c.relforcerowsecurity, c.relispartition,
      CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END) AS text
  FROM relations c WHERE c.relkind NOT IN ('i', 'I')
  UNION ALL SELECT 'column', quote_ident(c.relname) || '.' || quote_ident(a.attname),
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
      (SELECT l.collname FROM pg_collation l WHERE l.oid = a.attcollation), pg_get_expr(d.adbin, d.adrelid))
  FROM relations c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'index', i.relname,
    concat_ws(' ', x.indisvalid, x.indisready, x.indislive, pg_get_indexdef(x.indexrelid))
  FROM relations c JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid
  UNION ALL SELECT 'constraint', quote_ident(c.relname) || '.' || quote_ident(o.conname),
    concat_ws(' ', o.convalidated, pg_get_constraintdef(o.oid),
      (SELECT bool_and(g.tgenabled = 'O') FROM pg_trigger g WHERE g.tgconstraint = o.oid))
  FROM relations c JOIN pg_constraint o ON o.conrelid = c.oid WHERE o.contype <> 'n'
  UNION ALL SELECT 'trigger', quote_ident(c.relname) || '.' || quote_ident(g.tgname), concat_ws(' ', g.tgenabled, pg_get_triggerdef(g.oid))
  FROM relations c JOIN pg_trigger g ON g.tgrelid = c.oid WHERE NOT g.tgisinternal
  UNION ALL SELECT 'rule', quote_ident(c.relname) || '.' || quote_ident(r.rulename), concat_ws(' ', r.ev_enabled, pg_get_ruledef(r.oid))
  FROM relations c JOIN pg_rewrite r ON r.ev_class = c.oid WHERE r.rulename <> '_RETURN'
  UNION ALL SELECT 'policy', quote_ident(c.relname) || '.' || quote_ident(p.polname), p.polcmd::text
  FROM relations c JOIN pg_policy p ON p.polrelid = c.oid
  UNION ALL SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    CASE WHEN p.prokind IN ('f', 'p') THEN pg_get_functiondef(p.oid) ELSE p.prokind::text END
  FROM pg_proc p, home WHERE p.pronamespace = home.id
  ORDER BY 1, 2`;

/**
 * Compares the schema in sentences with one that its migrations make in the schema of temporary tables, where they need
 * no right but to create these, and which is rolled back. @throws DatabaseRefused for an unknown migration.
 * @param client has an open transaction, which stays as it was.
 */
export async function checkSchema(client: ClientBase, migrations: readonly Migration[]): Promise<string[]> {
  const applied = await appliedTo(client);
  requireKnown(applied, migrations);
  const present = await objectsOf(client, `to_regnamespace('tipwell')`);
  await client.query('SAVEPOINT before_expected');
  try {
    const statements = [
      HOME,
      ...migrations.slice(0, applied.length).flatMap((migration) => migration.statements),
    ];
    // In one message, because each of the hundreds would wait for the answer to the one before.
    await client.query(statements.map((text) => text.replaceAll('"tipwell".', 'pg_temp.')).join(';\n'));
    return compareObjects(present, await objectsOf(client, 'pg_my_temp_schema()'));
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT before_expected');
    await client.query('RELEASE SAVEPOINT before_expected');
  }
}

async function objectsOf(client: ClientBase, schema: string): Promise<SchemaObjects> {
  const { rows } = await client.query<{ kind: string; name: string; text: string }>(
    OBJECTS.replace('$1', schema),
  );
  return rows.map(({ kind, name, text }) => [
    `${kind} ${JSON.stringify(name)}`,
    text.replaceAll(/"tipwell"\.|\btipwell\.|\bpg_temp(?:_\d+)?\./g, ''),
  ]);
}
