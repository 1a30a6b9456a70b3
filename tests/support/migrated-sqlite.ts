/** A migrated and empty SQLite database in a file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migratedContents } from './migrated-contents.ts';
import { temporaryFolder } from './running-server.ts';

/**
 * Makes a file with such a database, for whoever opens one without being about its migrations.
 * @returns its path.
 */
export function createMigratedFile(): string {
  const path = join(temporaryFolder(), 'tipwell.db');
  writeFileSync(path, migratedContents(), { mode: 0o600 });
  return path;
}
