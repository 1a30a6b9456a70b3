/** Whom a row of the audit log about an operator means, and what commands say of whom they do not find. */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '#tests/support/commands.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';

const ANNA = 'anna@example.com';
const BEN = 'ben@example.com';

function openScene() {
  const path = createMigratedFile();
  const env = { DATABASE_URL: path, HOME: dirname(path) };
  const run = async (name: 'account' | 'audit' | 'operator', ...words: readonly string[]) => {
    const { stdout, stderr } = await runHere(name, env, words);
    return stdout + stderr;
  };
  return { run };
}

test('operators are listed with the ids by which the audit log names them', async () => {
  const { run } = openScene();
  for (const email of [ANNA, BEN]) await run('operator', 'add', email);
  const log = await run('audit');
  const ids = [...log.matchAll(/operator_added {2}(opr_\w+)/g)].map(([, id]) => id);
  expect(ids).toHaveLength(2);
  const list = (await run('operator', 'list')).trimEnd().split('\n');
  expect(list).toEqual([
    expect.stringMatching(`^${ANNA} .* ${ids[0]}$`),
    expect.stringMatching(`^${BEN} .* ${ids[1]}$`),
  ]);
});

test('the rows about an operator are found by their email', async () => {
  const { run } = openScene();
  for (const email of [ANNA, BEN]) await run('operator', 'add', email);
  await run('operator', 'link', 'ANNA@example.com');
  const about = await run('audit', '--about', 'Anna@example.com');
  expect([...about.matchAll(/operator_\w+/g)].map(String)).toEqual(['operator_added', 'operator_link_made']);
});

test('a command that finds nobody names whom it looked for', async () => {
  const { run } = openScene();
  await run('operator', 'add', ANNA);
  const nobody = await run('account', 'show', 'Nobody At All');
  expect(nobody).toBe('Nobody was found by "Nobody At All".\n');
  expect(await run('audit', '--about', BEN)).toBe(
    `There is no account and no operator with the email ${BEN}. Name a closed or removed one by its id.\n`,
  );
});
