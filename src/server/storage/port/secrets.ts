/** The random keys of an installation, which live and move with its data. */
import type { RandomBytes } from '#shared/ids.ts';

/** What a key of an installation is for. */
export type SecretName = 'giver_pseudonym' | 'device_mark' | 'vapid' | 'log_names';

/** The keys of an installation, 32 random bytes each. */
export type Secrets = Readonly<Record<SecretName, Uint8Array>>;

/** `Storage.secret`. */
interface KeyStore {
  secret(name: SecretName, made: Uint8Array): Promise<Uint8Array>;
}

const SECRET_BYTES = 32;

/**
 * Reads the keys of an installation, and makes those that are missing.
 * @throws StorageUnavailable when one is missing and cannot be saved.
 */
export async function readSecrets(storage: KeyStore, random: RandomBytes): Promise<Secrets> {
  const secret = (name: SecretName) => storage.secret(name, random(SECRET_BYTES));
  return {
    giver_pseudonym: await secret('giver_pseudonym'),
    device_mark: await secret('device_mark'),
    vapid: await secret('vapid'),
    log_names: await secret('log_names'),
  };
}
