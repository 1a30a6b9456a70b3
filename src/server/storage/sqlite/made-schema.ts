/** What migrations make of an empty database. Running them takes 60 ms, so the build notes a digest of the result. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER, type Migration, readMigrations, type SchemaObjects } from '../care/migrations.ts';
import { IN_MEMORY, openDatabase } from './connection.ts';
import { objectsOf } from './schema-check.ts';

export const MIGRATIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_migrations (position INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT';

/** In the build's copy of the migrations; there is none beside the sources. */
export const DIGEST_FILE = 'sqlite.sha256';

/** By the hashes of the migrations: those of the process's own version, and the first of them that a file has. */
const made = new Map<string, SchemaObjects>();

export function objectsMadeBy(migrations: readonly Migration[]): SchemaObjects {
  const key = migrations.map((migration) => migration.hash).join();
  const objects = made.get(key) ?? runInMemory(migrations);
  made.set(key, objects);
  return objects;
}

/** No row can be lost and no reference broken in an empty database. */
function runInMemory(migrations: readonly Migration[]): SchemaObjects {
  const database = openDatabase(IN_MEMORY);
  try {
    database.pragma('foreign_keys = OFF');
    const statements = migrations.flatMap((migration) => migration.statements);
    database.transaction(() => {
      for (const statement of [MIGRATIONS_TABLE, ...statements]) database.exec(statement);
    })();
    return objectsOf(database);
  } finally {
    database.close();
  }
}

/** Whether a schema is what the build has seen these migrations make; false without the build's note. */
export function isAsBuilt(applied: readonly string[], objects: SchemaObjects): boolean {
  const file = join(MIGRATIONS_FOLDER, DIGEST_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === digestOf(applied, objects);
}

export function digestForBuild(): string {
  const migrations = readMigrations('sqlite');
  const hashes = migrations.map((migration) => migration.hash);
  return digestOf(hashes, objectsMadeBy(migrations));
}

export function digestOf(applied: readonly string[], objects: SchemaObjects): string {
  return hash('sha256', JSON.stringify([applied, [...objects]]));
}
