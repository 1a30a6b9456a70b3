/** Lends connections to the operator's commands, and says in one line why a server does not go along. */
import type { Client } from 'pg';
import { DatabaseRefused } from '../port/database.ts';
import { StorageUnavailable } from '../port/storage.ts';
import { asPortError, connectOrRefuse, hasCode, nameOf, reasonOf } from './connection.ts';
import { UNHURRIED } from './ledger-check.ts';

/** What PostgreSQL answers to a user who may not do something. */
const NO_PRIVILEGE = '42501';
/** What the driver says of a connection that went away. */
const LOST = 'Connection terminated';

/** Runs a command on a connection of its own. @throws DatabaseRefused when the server cannot be reached, or refuses something. */
export async function runForOperator<Result>(
  url: string,
  command: (client: Client, name: string) => Promise<Result>,
): Promise<Result> {
  const client = await connectOrRefuse(url, UNHURRIED);
  try {
    return await command(client, nameOf(url));
  } catch (error) {
    throw isServersRefusal(error) ? unusable(url, error, error) : error;
  } finally {
    await client.end();
  }
}

/** Whether a failure is the server's, or that of the way to it, and no defect. */
function isServersRefusal(error: unknown): boolean {
  return (
    hasCode(error, NO_PRIVILEGE) ||
    asPortError(error) instanceof StorageUnavailable ||
    (error instanceof Error && error.message.startsWith(LOST))
  );
}

/** What the operator is told of a failure. @param cause the same, as it may be logged. */
export function unusable(url: string, failure: unknown, cause: unknown): DatabaseRefused {
  return new DatabaseRefused(`Cannot use the database ${nameOf(url)}: ${reasonOf(failure)}.`, { cause });
}
