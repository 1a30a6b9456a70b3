/** Which server tests run on both engines: read from their imports, so that a new one cannot be forgotten. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Whoever reaches this module by its imports gets its data from the engine of the project. */
const DATA = 'tests/support/test-data.ts';
const IMPORT = /from '((?:#tests|\.{1,2})\/[^']+\.ts)'/g;
/** A test that imports an engine is about that one. */
const SQLITE = "from '#server/storage/sqlite/";

/** The server tests that take their data from the engine of the project. @returns paths below the folder of the project. */
export function findTestsOfBothEngines(root: string): string[] {
  return findTestsWithData(root).filter((file) => !isAboutSqlite(root, file));
}

/** The server tests that could take their data from the engine of the project, and are about SQLite itself. */
export function findTestsOfSqlite(root: string): string[] {
  return findTestsWithData(root).filter((file) => isAboutSqlite(root, file));
}

function isAboutSqlite(root: string, file: string): boolean {
  return readFileSync(join(root, file), 'utf8').includes(SQLITE);
}

function findTestsWithData(root: string): string[] {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string) => {
    const found =
      imports.get(file) ??
      [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, path = '']) =>
        path.startsWith('#') ? path.slice(1) : posix.join(posix.dirname(file), path),
      );
    imports.set(file, found);
    return found;
  };
  const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const imported of importsOf(file)) {
      if (!imported.startsWith('tests/') || seen.has(imported)) continue;
      seen.add(imported);
      reached(imported, seen);
    }
    return seen;
  };
  return globSync('tests/server/*.test.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => reached(file).has(DATA))
    .sort();
}
