/** Compares the migrations that a database has run with those of this build, on every engine. */
import { extname, join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { SOFTWARE } from '#shared/software.ts';
import { type DatabaseAddress, DatabaseRefused } from '../port/database.ts';

export interface Migration {
  readonly hash: string;
  readonly statements: readonly string[];
}

/** The build carries its own copy, so that sources that were pulled later do not change what it does. */
export const MIGRATIONS_FOLDER = join(
  import.meta.dirname,
  extname(import.meta.filename) === '.ts' ? '../../../../drizzle' : 'drizzle',
);

export function readMigrations(engine: DatabaseAddress['engine']): Migration[] {
  const files = readMigrationFiles({ migrationsFolder: join(MIGRATIONS_FOLDER, engine) });
  return files.map(({ hash, sql }) => ({ hash, statements: sql }));
}

export class UnknownVersion extends DatabaseRefused {}

/** @param seen hashes in the order they were applied. @throws DatabaseRefused when this build does not know one. */
export function requireKnown(seen: readonly string[], known: readonly Migration[]): void {
  if (areKnown(seen, known)) return;
  throw new UnknownVersion(
    `The database was made by a newer or different version of ${SOFTWARE}. Start that version, or restore a backup.`,
  );
}

/** For commands, which never migrate. @throws DatabaseRefused unless exactly these migrations were run. */
export function requireCurrent(name: string, seen: readonly string[], known: readonly Migration[]): void {
  if (isCurrent(seen, known)) return;
  throw new DatabaseRefused(
    areKnown(seen, known)
      ? `${name} has not the tables of this version. Start ${SOFTWARE} once, then try again.`
      : `This build is older than the tables of ${name}, which were made by a newer or different version of ${SOFTWARE}. Run the command in the folder of that version.`,
  );
}

export function isCurrent(seen: readonly string[], known: readonly Migration[]): boolean {
  return areKnown(seen, known) && seen.length === known.length;
}

function areKnown(seen: readonly string[], known: readonly Migration[]): boolean {
  return seen.every((hash, index) => hash === known[index]?.hash);
}

/** The objects of a schema by name. Names are quoted in messages, because anybody may have written them. */
export type SchemaObjects = Iterable<readonly [name: string, text: unknown]>;

/** @returns differences in sentences. Triggers guard the ledger: one missing or one too many is a difference. */
export function compareObjects(present: SchemaObjects, expected: SchemaObjects): string[] {
  const wanted = new Map(expected);
  const seen = new Set<string>();
  const sentences: string[] = [];
  for (const [name, text] of present) {
    if (!wanted.has(name) || seen.has(name)) sentences.push(`the ${name} is none of ${SOFTWARE}'s`);
    else if (wanted.get(name) !== text) sentences.push(`the ${name} is not as ${SOFTWARE} makes it`);
    seen.add(name);
  }
  const missing = [...wanted.keys()].filter((name) => !seen.has(name));
  return [...sentences, ...missing.map((name) => `the ${name} is missing`)];
}

/** @throws DatabaseRefused with the first difference between a database and its migrations. */
export function requireUnchanged([difference]: readonly string[]): void {
  if (difference === undefined) return;
  throw new DatabaseRefused(
    `The tables of the database have been changed: ${difference}. Nothing was done to it; restore a backup.`,
  );
}
