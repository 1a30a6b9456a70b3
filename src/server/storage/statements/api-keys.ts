import { and, asc, desc, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { accountColumns } from './accounts.ts';
import { allBut, type Builder, insertOnce, is, matches, value } from './builder.ts';

export function apiKeyStatements({ db }: Builder) {
  return {
    insertApiKey: insertOnce(db, apiKeys),
    apiKeyById: db.select({ id: apiKeys.id }).from(apiKeys).where(is(apiKeys.id, 'id')),
    liveApiKey: db
      .select({
        ...accountColumns,
        keyId: apiKeys.id,
        scopes: apiKeys.scopes,
        addresses: apiKeys.addresses,
        lastUsedAtMs: apiKeys.lastUsedAtMs,
      })
      .from(apiKeys)
      .innerJoin(accounts, eq(accounts.id, apiKeys.userId))
      .where(
        and(
          is(apiKeys.keyHash, 'keyHash'),
          gt(apiKeys.expiresAtMs, value('nowMs')),
          // A version that knows no keys may have closed the account.
          isNull(accounts.closesAtMs),
          isNull(accounts.closedAtMs),
        ),
      ),
    apiKeysOf: db
      .select(allBut(apiKeys, 'keyHash'))
      .from(apiKeys)
      .where(is(apiKeys.userId, 'userId'))
      .orderBy(desc(apiKeys.createdAtMs), asc(apiKeys.id)),
    noteApiKeyUse: db
      .update(apiKeys)
      .set({ lastUsedAtMs: sql`${value('nowMs')}` })
      .where(is(apiKeys.id, 'id')),
    deleteApiKey: db.delete(apiKeys).where(matches(apiKeys, 'id', 'userId')),
    deleteApiKeysOf: db.delete(apiKeys).where(is(apiKeys.userId, 'userId')),
    deleteExpiredApiKeys: db.delete(apiKeys).where(
      inArray(
        apiKeys.id,
        db
          .select({ id: apiKeys.id })
          .from(apiKeys)
          .where(lte(apiKeys.expiresAtMs, value('nowMs')))
          .limit(value('atMost')),
      ),
    ),
  };
}
