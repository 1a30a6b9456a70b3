/** Chooses the engine of a database. Nothing but this module and the engines themselves knows which one it is. */
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

/** How the names of backups of a database end: a file of SQLite's, or a dump of pg_dump's. */
export function extensionOfBackups({ engine }: DatabaseAddress): '.db' | '.dump' {
  return engine === 'sqlite' ? '.db' : '.dump';
}
