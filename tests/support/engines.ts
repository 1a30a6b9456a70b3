/** Which server tests run on both engines: read from their imports, so that a new one cannot be forgotten. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Whoever reaches this module by its imports gets its data from the engine of the project. */
const DATA = 'tests/support/test-data.ts';
const IMPORT = /from '((?:#tests|\.{1,2})\/[^']+\.ts)'/g;
/** A test that imports an engine is about that one. */
const SQLITE = "from '#server/storage/sqlite/";

/** @returns paths below the folder of the project. */
export function findTestsOfBothEngines(root: string): string[] {
  const texts = new Map<string, string>();
  const textOf = (file: string) => {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    texts.set(file, text);
    return text;
  };
  const importsOf = (file: string) =>
    [...textOf(file).matchAll(IMPORT)].map(([, path = '']) =>
      path.startsWith('#') ? path.slice(1) : posix.join(posix.dirname(file), path),
    );
  const reached = (file: string, seen = new Set([file])): ReadonlySet<string> => {
    for (const imported of importsOf(file)) {
      if (!imported.startsWith('tests/') || seen.has(imported)) continue;
      seen.add(imported);
      reached(imported, seen);
    }
    return seen;
  };
  return globSync('tests/server/*.test.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => reached(file).has(DATA) && !textOf(file).includes(SQLITE))
    .sort();
}
