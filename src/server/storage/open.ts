/** Chooses the engine of a database. Only this module and the engines know which one it is. */
import type { DatabaseAddress, ManagedDatabase } from './port/database.ts';
import { spellPostgresUrl } from './postgres-url.ts';

export function databaseAt(address: DatabaseAddress): ManagedDatabase {
  switch (address.engine) {
    case 'sqlite':
      return loadedWhenUsed(address.path, async () =>
        (await import('./sqlite/database.ts')).manageSqlite(address.path),
      );
    case 'postgres':
      return loadedWhenUsed(spellPostgresUrl(address.url), async () =>
        (await import('./postgres/database.ts')).managePostgres(address.url),
      );
  }
}

/** Whoever runs on one engine loads neither the driver nor the statements of the other. */
function loadedWhenUsed(name: string, load: () => Promise<ManagedDatabase>): ManagedDatabase {
  return {
    name,
    openForServer: async (opening) => (await load()).openForServer(opening),
    openForCommand: async () => (await load()).openForCommand(),
    check: async (noted) => (await load()).check(noted),
    backUp: async (file, noted) => (await load()).backUp(file, noted),
    restore: async (backup, options) => (await load()).restore(backup, options),
    readAll: async (use) => (await load()).readAll(use),
    fill: async (tables, past, act) => (await load()).fill(tables, past, act),
  };
}

/** The extension of backup files: a SQLite file, or a dump of pg_dump. */
export function extensionOfBackups({ engine }: DatabaseAddress): '.db' | '.dump' {
  return engine === 'sqlite' ? '.db' : '.dump';
}
