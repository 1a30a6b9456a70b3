/** The random keys of an installation, stored with its data. */
import type { RandomBytes } from '#shared/ids.ts';

export type SecretName = 'giver_pseudonym' | 'device_mark' | 'vapid' | 'log_names' | 'mail' | 'totp';

/** 32 random bytes each. */
export type Secrets = Readonly<Record<SecretName, Uint8Array>>;

interface KeyStore {
  secret(name: SecretName, made: Uint8Array): Promise<Uint8Array>;
}

const SECRET_BYTES = 32;

/** Reads the keys and creates missing ones. @throws StorageUnavailable when one cannot be saved. */
export async function readSecrets(storage: KeyStore, random: RandomBytes): Promise<Secrets> {
  const secret = (name: SecretName) => storage.secret(name, random(SECRET_BYTES));
  return {
    giver_pseudonym: await secret('giver_pseudonym'),
    device_mark: await secret('device_mark'),
    vapid: await secret('vapid'),
    log_names: await secret('log_names'),
    mail: await secret('mail'),
    totp: await secret('totp'),
  };
}
