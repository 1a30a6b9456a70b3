/** The locks of steps that write beside an account: the closing of it waits for them, or has been committed before. */
import type { UserId } from '#shared/ids.ts';
import type { Statements } from '../statements/all.ts';

/** Locks an account that is not closed. @returns undefined for any other. */
export function* lockOpen({ lockAccount }: Statements, id: UserId) {
  const account = yield* lockAccount.one({ id });
  return account?.closedAtMs === null ? account : undefined;
}

/** As `lockOpen`, for one that is not being closed either. */
export function* lockStaying(statements: Statements, id: UserId) {
  const account = yield* lockOpen(statements, id);
  return account?.closesAtMs === null ? account : undefined;
}
