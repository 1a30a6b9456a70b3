/** Which tests run on which engine. */
import { expect, test } from 'vitest';
import { findTestsWithData, ON_BOTH_ENGINES, ON_SQLITE_ALONE } from '#tests/support/engines.ts';

test('each server test that takes its data from the project stands in one list: of both engines, or of SQLite alone', () => {
  const listed = [...ON_BOTH_ENGINES, ...ON_SQLITE_ALONE];
  expect(new Set(listed).size).toBe(listed.length);
  const onPostgresOnly = /^(?:postgres-|processes)/;
  expect(listed.sort()).toEqual(findTestsWithData('.').filter((name) => !onPostgresOnly.test(name)));
});
