/**
 * A database with people who are logged in and have codes already, for a server to start on: registering and
 * logging in would hash passwords, which takes its time.
 */
import { parseConfig } from '#server/config.ts';
import { databaseAt } from '#server/storage/open.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createMigratedFile } from './migrated-sqlite.ts';
import { beginSession, createPeople } from './people.ts';

export interface PreparedPerson {
  readonly id: string;
  readonly token: string;
  /** For tips to them as a bartender. */
  readonly code: string;
}

/**
 * @param path of a database file, or the address of an empty PostgreSQL database.
 * @returns the same, for DATABASE_URL, and the people in the order of their names.
 */
export async function prepareLedger(usernames: readonly string[], path = createMigratedFile()) {
  const storage = await databaseOf(path).openForServer(OPENING);
  const people = await letIn(storage, usernames);
  await storage.close();
  return { path, people };
}

/** Lets people in beside a server that has brought the database up to date. */
export async function letInBeside(
  path: string,
  usernames: readonly string[],
): Promise<readonly PreparedPerson[]> {
  const storage = await databaseOf(path).openForCommand();
  const people = await letIn(storage, usernames);
  await storage.close();
  return people;
}

const databaseOf = (path: string) => databaseAt(parseConfig({ DATABASE_URL: path }).database);

function letIn(storage: Storage, usernames: readonly string[]): Promise<PreparedPerson[]> {
  const { addAccount, addCode } = createPeople(storage);
  return Promise.all(
    usernames.map(async (username) => {
      const account = await addAccount(username, ['bartender']);
      const token = await beginSession(storage, account.email, { createdAtMs: Date.now() });
      return { id: account.id, token, code: await addCode(account, 'bartender') };
    }),
  );
}
