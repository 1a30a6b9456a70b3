/** The storage port for API keys, beside `Storage.findApiKey`. Only the hash of a key is stored. */
import type { ApiScope } from '#shared/api-scopes.ts';
import type { ApiKeyId, UserId } from '#shared/ids.ts';
import type { Act } from './audit.ts';
import type { NewMail } from './mails.ts';

export interface ApiKeyRecord {
  readonly id: ApiKeyId;
  readonly userId: UserId;
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  /** Addresses and networks in CIDR notation; empty for anywhere. */
  readonly addresses: readonly string[];
  /** The last characters of its text, by which its owner knows it again. */
  readonly ending: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
}

export interface NewApiKey extends Omit<ApiKeyRecord, 'lastUsedAtMs'> {
  /** SHA-256 of its text. */
  readonly keyHash: Uint8Array;
}

export interface ApiKeyStorage {
  /**
   * `full` for an account that has `maxCount` keys; `gone` for one that is closed or being closed, and for a session
   * that has ended. @param session the token hash of the one in which the key is made.
   */
  add(
    key: NewApiKey,
    maxCount: number,
    mail?: NewMail,
    session?: Uint8Array,
  ): Promise<'added' | 'full' | 'gone'>;
  /** Newest first, expired ones included. */
  list(userId: UserId): Promise<ApiKeyRecord[]>;
  /** @returns false when the account has no such key. */
  end(userId: UserId, id: ApiKeyId): Promise<boolean>;
  endAll(userId: UserId, act?: Act): Promise<number>;
  noteUse(id: ApiKeyId, nowMs: number): Promise<void>;
  forgetExpired(nowMs: number, atMost: number): Promise<number>;
}
