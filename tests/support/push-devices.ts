/** Devices as browsers register them, for tests that send nothing to them. */
import { createECDH, randomBytes } from 'node:crypto';

/** On this machine, where nobody listens: a port that is reserved (RFC 863). */
const NOBODY_LISTENS = 'http://127.0.0.1:9/push/';

export function newDevice(endpoint = NOBODY_LISTENS + randomBytes(12).toString('base64url')) {
  const keys = createECDH('prime256v1');
  return {
    endpoint,
    p256dh: keys.generateKeys().toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
}

export function inWords(device: {
  readonly endpoint: string;
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}) {
  const { endpoint, p256dh, auth } = device;
  return { endpoint, p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
}
