/**
 * A database file with people who are logged in and have codes already, for a server to start on: registering and
 * logging in would hash passwords, which takes its time.
 */
import { join } from 'node:path';
import { databaseAt } from '#server/storage/open.ts';
import { beginSession, createPeople } from './people.ts';
import { temporaryFolder } from './running-server.ts';

export interface PreparedPerson {
  readonly id: string;
  readonly token: string;
  /** For tips to them as a bartender. */
  readonly code: string;
}

/** @returns the path of the file, and the people in the order of their names. */
export async function prepareLedger(usernames: readonly string[]) {
  const path = join(temporaryFolder(), 'tipwell.db');
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(() => {});
  const { addAccount, addCode } = createPeople(storage);
  const people = await Promise.all(
    usernames.map(async (username): Promise<PreparedPerson> => {
      const account = await addAccount(username, ['bartender']);
      const token = await beginSession(storage, account.email, { createdAtMs: 0 });
      return { id: account.id, token, code: await addCode(account, 'bartender') };
    }),
  );
  await storage.close();
  return { path, people };
}
