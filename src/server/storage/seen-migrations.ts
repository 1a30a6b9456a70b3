/** Whether this build and a database fit each other, by the migrations that the database has seen: the same for every engine. */
import { brand } from '#shared/brand.ts';
import { DatabaseRefused } from './database.ts';

interface Known {
  readonly hash: string;
}

/**
 * @param seen hashes, in the order in which they were applied.
 * @throws DatabaseRefused when one of them is not known here.
 */
export function requireKnown(seen: readonly string[], known: readonly Known[]): void {
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
export function requireCurrent(name: string, seen: readonly string[], known: readonly Known[]): void {
  if (!areKnown(seen, known)) {
    throw new DatabaseRefused(
      `This build is older than the tables of ${name}, which were made by a newer or different version of ${brand.name}. Run the command in the folder of that version.`,
    );
  }
  if (seen.length === known.length) return;
  throw new DatabaseRefused(
    `${name} has not the tables of this version. Start ${brand.name} once, then try again.`,
  );
}

function areKnown(seen: readonly string[], known: readonly Known[]): boolean {
  return seen.every((hash, index) => hash === known[index]?.hash);
}
