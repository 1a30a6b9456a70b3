/** Chooses the engine of a database. Only this module and the engines know which one it is. */
import type { DatabaseAddress, ManagedDatabase } from './port/database.ts';
import { managePostgres } from './postgres/database.ts';
import { manageSqlite } from './sqlite/database.ts';

export function databaseAt(address: DatabaseAddress): ManagedDatabase {
  switch (address.engine) {
    case 'sqlite':
      return manageSqlite(address.path);
    case 'postgres':
      return managePostgres(address.url);
  }
}

/** The extension of backup files: a SQLite file, or a dump of pg_dump. */
export function extensionOfBackups({ engine }: DatabaseAddress): '.db' | '.dump' {
  return engine === 'sqlite' ? '.db' : '.dump';
}
