/** Steps of API keys, which are added under the account's lock and deleted when the account closes. */
import { API_SCOPES } from '#shared/api-scopes.ts';
import type { ApiKeyStorage } from '../port/api-keys.ts';
import type { Storage } from '../port/storage.ts';
import { accountOf } from '../rules/accounts.ts';
import { lockStaying } from './account-locks.ts';
import { changing } from './audit.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { mailToOwner } from './mails.ts';
import { hasSession } from './sessions.ts';

export function createApiKeySteps(engine: Engine): ApiKeyStorage {
  const { read, change } = engine;
  return {
    add: transacting(engine)(add),

    list: async (userId) =>
      (await read(({ apiKeysOf }) => apiKeysOf.all({ userId }))).map((row) => ({ ...row, ...listsOf(row) })),

    end: transacting(engine)(end),

    // A repetition after a lost connection counts only the keys that were left.
    endAll: (userId, act) =>
      changing(engine, act, ({ deleteApiKeysOf }) => deleteApiKeysOf.change({ userId })),

    noteUse: async (id, nowMs) => {
      await change(({ noteApiKeyUse }) => noteApiKeyUse.change({ id, nowMs }));
    },

    forgetExpired: (nowMs, atMost) =>
      change(({ deleteExpiredApiKeys }) => deleteExpiredApiKeys.change({ nowMs, atMost })),
  };
}

export const createApiKeyLookup = ({ read }: Engine) =>
  ({
    async findApiKey(key, nowMs) {
      const keyHash = Buffer.from(key);
      const row = await read(({ liveApiKey }) => liveApiKey.one({ keyHash, nowMs }));
      if (!row) return null;
      return { id: row.keyId, lastUsedAtMs: row.lastUsedAtMs, ...listsOf(row), account: accountOf(row) };
    },
  }) satisfies Partial<Storage>;

const add: StepOf<ApiKeyStorage['add']> = function* (statements, isRepeated, key, maxCount, mail, session) {
  const { id, userId, scopes, addresses, keyHash } = key;
  if (!(yield* lockStaying(statements, userId))) return 'gone';
  if (isRepeated && (yield* statements.apiKeyById.one({ id }))) return 'added';
  if (session && !(yield* hasSession(statements, userId, session))) return 'gone';
  if ((yield* statements.apiKeysOf.all({ userId })).length >= maxCount) return 'full';
  yield* statements.insertApiKey.change({
    ...key,
    keyHash: Buffer.from(keyHash),
    scopes: scopes.join(' '),
    addresses: addresses.join(' '),
    lastUsedAtMs: null,
  });
  yield* mailToOwner(statements, userId, mail);
  return 'added';
};

const end: StepOf<ApiKeyStorage['end']> = function* ({ deleteApiKey }, isRepeated, userId, id) {
  return (yield* deleteApiKey.change({ userId, id })) > 0 || isRepeated;
};

/** A scope that this version does not know allows nothing. */
function listsOf({ scopes, addresses }: { readonly scopes: string; readonly addresses: string }) {
  const stored = scopes.split(' ');
  return {
    scopes: API_SCOPES.filter((scope) => stored.includes(scope)),
    addresses: addresses === '' ? [] : addresses.split(' '),
  };
}
