/**
 * API keys: what a program sends in the place of a session. Each request looks its key up, so that an ended
 * one works nowhere from then on, in no process.
 */
import type { Logger } from 'pino';
import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import type { ApiKeyRecord } from '#server/storage/port/api-keys.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import {
  type Account,
  type LiveApiKey,
  type Storage,
  StorageUnavailable,
} from '#server/storage/port/storage.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import type { ApiKey, MadeApiKey, NewApiKey } from '#shared/api-keys.ts';
import { MAX_API_KEYS } from '#shared/api-scopes.ts';
import { type Clock, isNear, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { type ApiKeyId, isApiKeyId, newApiKeyId, type RandomBytes, type UserId } from '#shared/ids.ts';
import { isApiKeyText, newApiKeyText } from './api-key-text.ts';
import { addressFrom, isInNetworks, networkFrom, spellNetwork } from './networks.ts';

const DAY_MS = 86_400_000;
/** The last use is stored once in this time, so that reading with a key is no write. */
const USE_STEP_MS = 3_600_000;
/** An expired key stays in its owner's list for this time, which tells why a program has stopped. */
const LISTED_MS = 30 * DAY_MS;
const ENDING_LENGTH = 4;

export interface ApiKeys {
  /**
   * @returns the key with its text, which is stored nowhere.
   * @param token of the session, in which nothing is made any more once it has ended.
   * @throws AppError `too_many_api_keys`; `session_ended` also for an account that is being closed.
   */
  make(account: Account, asked: NewApiKey, token: string): Promise<MadeApiKey>;
  /** Newest first, expired ones included. */
  list(userId: UserId): Promise<ApiKey[]>;
  /** @throws AppError `api_key_not_found` when the account has none of this id. */
  end(userId: UserId, id: string): Promise<void>;
  /**
   * Finds the key with this text, and notes its use.
   * @param address of the caller.
   * @throws AppError `invalid_api_key`, alike for a text that is no key and for one that is unknown, has ended or
   *   expired, or may not be used from there.
   */
  resume(text: string, address: string): Promise<LiveApiKey>;
  sweep(): Promise<void>;
}

export function createApiKeys(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly draft: DraftMail;
  readonly log: Logger;
}): ApiKeys {
  const { storage, clock, random, draft, log } = deps;
  /** Keys whose use is being stored, so that a burst of requests stores it once. */
  const noting = new Set<ApiKeyId>();

  /** Is never waited for: a use that cannot be stored now is stored with a later one. */
  function noteUse({ id, lastUsedAtMs }: LiveApiKey): void {
    const nowMs = clock();
    const isNoted = lastUsedAtMs !== null && isNear(USE_STEP_MS, lastUsedAtMs, nowMs);
    if (isNoted || noting.has(id)) return;
    noting.add(id);
    storage.apiKeys
      .noteUse(id, nowMs)
      .catch((error: unknown) => {
        // Each request of a full disk would say so again; the refused writes do.
        if (!(error instanceof StorageUnavailable))
          log.error({ err: error }, 'the use of an API key was not noted');
      })
      .finally(() => noting.delete(id));
  }

  return {
    async make({ id: userId }, { name, scopes, days, addresses: typed }, token) {
      const text = newApiKeyText(random);
      const addresses = [...new Set(typed.map((each) => spellNetwork(networkFrom(each))))];
      const createdAtMs = clock();
      const expiresAtMs = createdAtMs + days * DAY_MS;
      const ending = text.slice(-ENDING_LENGTH);
      const key = { id: newApiKeyId(random), name, scopes, addresses, ending, createdAtMs, expiresAtMs };
      const told = draft('key_made', { name, scopes, expiresAtMs });
      const stored = { ...key, userId, keyHash: hashOfToken(text) };
      const outcome = await storage.apiKeys.add(stored, MAX_API_KEYS, told, hashOfToken(token));
      if (outcome === 'full') throw new AppError('too_many_api_keys');
      if (outcome === 'gone') throw new AppError('session_ended');
      return { ...shown({ ...key, lastUsedAtMs: null }), text };
    },

    list: async (userId) => (await storage.apiKeys.list(userId)).map(shown),

    async end(userId, id) {
      const isEnded = isApiKeyId(id) && (await storage.apiKeys.end(userId, id));
      if (!isEnded) throw new AppError('api_key_not_found');
    },

    async resume(text, address) {
      const key = isApiKeyText(text) ? await storage.findApiKey(hashOfToken(text), clock()) : null;
      if (!key || !mayComeFrom(key, address)) throw new AppError('invalid_api_key');
      noteUse(key);
      return key;
    },

    async sweep() {
      const longAgoMs = clock() - LISTED_MS;
      await forgetInSteps((atMost) => storage.apiKeys.forgetExpired(longAgoMs, atMost));
    },
  };
}

function mayComeFrom({ addresses }: LiveApiKey, address: string): boolean {
  if (addresses.length === 0) return true;
  const caller = addressFrom(address);
  return caller !== null && isInNetworks(caller, addresses.map(networkFrom));
}

function shown(key: Omit<ApiKeyRecord, 'userId'>): ApiKey {
  const { id, name, scopes, addresses, ending, createdAtMs, expiresAtMs, lastUsedAtMs } = key;
  return {
    id,
    name,
    scopes: [...scopes],
    addresses: [...addresses],
    ending,
    createdAt: isoTime(createdAtMs),
    expiresAt: isoTime(expiresAtMs),
    lastUsedAt: isoTime(lastUsedAtMs),
  };
}
