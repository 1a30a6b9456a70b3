/** Which tests run on which engine. */
import { expect, test } from 'vitest';
import { findTestsOfBothEngines, findTestsOfSqlite } from '#tests/support/engines.ts';

test('of the server tests that take their data from the project, these alone run on SQLite only', () => {
  expect(findTestsOfSqlite('.')).toEqual([
    'tests/server/migrations.test.ts',
    'tests/server/storage-durability.test.ts',
  ]);
});

test('a test that gets its data through others runs on both engines', () => {
  const files = findTestsOfBothEngines('.');
  for (const name of ['access-matrix', 'limits', 'openapi', 'tip-feed']) {
    expect(files).toContain(`tests/server/${name}.test.ts`);
  }
});
