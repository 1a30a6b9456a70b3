/** Lends connections to the operator's commands, and turns failures into one-line refusals. */
import type { Client } from 'pg';
import { DatabaseRefused } from '../port/database.ts';
import { StorageUnavailable } from '../port/storage.ts';
import { asPortError, connectOrRefuse, hasCode, nameOf, reasonOf } from './connection.ts';
import { UNHURRIED } from './ledger-check.ts';

const NO_PRIVILEGE = '42501';
const LOST = 'Connection terminated';

/** Runs a command on its own connection. @throws DatabaseRefused when the server is away or refuses. */
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

/** Whether a failure comes from the server or the network, and not from a defect. */
function isServersRefusal(error: unknown): boolean {
  return (
    hasCode(error, NO_PRIVILEGE) ||
    asPortError(error) instanceof StorageUnavailable ||
    (error instanceof Error && error.message.startsWith(LOST))
  );
}

/** The operator's message about a failure. @param cause the failure in a form that may be logged. */
export function unusable(url: string, failure: unknown, cause: unknown): DatabaseRefused {
  return new DatabaseRefused(`Cannot use the database ${nameOf(url)}: ${reasonOf(failure)}.`, { cause });
}
