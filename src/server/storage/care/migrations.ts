/**
 * Whether this build and a database fit each other, by the migrations that the database has seen and by what these make: the same for
 * every engine.
 */
import { extname, join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { brand } from '#shared/brand.ts';
import { type DatabaseAddress, DatabaseRefused } from '../port/database.ts';

export interface Migration {
  readonly hash: string;
  readonly statements: readonly string[];
}

/** A build carries its own migrations, so that newer sources beside it, as after a pull, change nothing of what it does. */
const FOLDER = join(
  import.meta.dirname,
  extname(import.meta.filename) === '.ts' ? '../../../../drizzle' : 'drizzle',
);

/** Reads the migrations of an engine that belong to this code, made by `npm run db:generate` or `db:generate:postgres`, in their order. */
export function readMigrations(engine: DatabaseAddress['engine']): Migration[] {
  const files = readMigrationFiles({ migrationsFolder: join(FOLDER, engine) });
  return files.map(({ hash, sql }) => ({ hash, statements: sql }));
}

/**
 * @param seen hashes, in the order in which they were applied.
 * @throws DatabaseRefused when one of them is not known here.
 */
export function requireKnown(seen: readonly string[], known: readonly Migration[]): void {
  if (areKnown(seen, known)) return;
  throw new DatabaseRefused(
    `The database was made by a newer or different version of ${brand.name}. Start that version, or restore a backup.`,
  );
}

/**
 * For a command, which migrates nothing.
 * @param name how the operator knows the database.
 * @throws DatabaseRefused unless the database has seen exactly these; it says which of the two is older.
 */
export function requireCurrent(name: string, seen: readonly string[], known: readonly Migration[]): void {
  if (isCurrent(seen, known)) return;
  throw new DatabaseRefused(
    areKnown(seen, known)
      ? `${name} has not the tables of this version. Start ${brand.name} once, then try again.`
      : `This build is older than the tables of ${name}, which were made by a newer or different version of ${brand.name}. Run the command in the folder of that version.`,
  );
}

/** Whether a database has seen exactly these migrations. */
export function isCurrent(seen: readonly string[], known: readonly Migration[]): boolean {
  return areKnown(seen, known) && seen.length === known.length;
}

function areKnown(seen: readonly string[], known: readonly Migration[]): boolean {
  return seen.every((hash, index) => hash === known[index]?.hash);
}

/** The objects of a schema: a name, in quotes because whoever wrote it may have put anything into one, and a text that differs when the object does. */
export type SchemaObjects = Iterable<readonly [name: string, text: unknown]>;

/**
 * Finds what is in one schema and not in the other. What guards the ledger is written there: a database without a trigger, or with one
 * more, is not to be trusted, however well its sums add up.
 * @returns sentences that name each object; empty when both are alike.
 */
export function compareObjects(present: SchemaObjects, expected: SchemaObjects): string[] {
  const wanted = new Map(expected);
  const seen = new Set<string>();
  const sentences: string[] = [];
  for (const [name, text] of present) {
    if (!wanted.has(name) || seen.has(name)) sentences.push(`the ${name} is none of ${brand.name}'s`);
    else if (wanted.get(name) !== text) sentences.push(`the ${name} is not as ${brand.name} makes it`);
    seen.add(name);
  }
  const missing = [...wanted.keys()].filter((name) => !seen.has(name));
  return [...sentences, ...missing.map((name) => `the ${name} is missing`)];
}

/** @throws DatabaseRefused when there are differences from what the migrations make, with the first of them. */
export function requireUnchanged([difference]: readonly string[]): void {
  if (difference === undefined) return;
  throw new DatabaseRefused(
    `The tables of the database have been changed: ${difference}. Nothing was done to it; restore a backup.`,
  );
}
