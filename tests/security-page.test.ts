/** SECURITY.md names the test that shows a promise: whoever renames one is told so here. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGE = readFileSync('SECURITY.md', 'utf8');

test('SECURITY.md names no test that does not exist', () => {
  const cited = [...PAGE.matchAll(/`(tests\/[\w./-]+\.ts)`((?:,? "[^"]+")*)/g)].flatMap(
    ([, file = '', names = '']) => {
      expect(existsSync(file), file).toBe(true);
      return [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name }));
    },
  );
  expect(cited).not.toEqual([]);
  const missing = cited.filter(({ file, name }) => !titlesIn(file).has(name));
  expect(missing).toEqual([]);
});

/** The names of the tests in a file, and of what they are grouped under. */
function titlesIn(file: string): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8');
  const title = /(?:\b(?:test|it|describe)|\))\s*\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;
  return new Set([...text.matchAll(title)].map(([, single, double]) => single ?? double ?? ''));
}
