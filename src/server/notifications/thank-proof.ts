/**
 * Proofs by which a notification thanks for its tip, because the service worker has no token. A proof is good for one
 * tip and for the thank-yous that the notification offered, until it expires. Nothing is stored for it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { DeviceId, TransactionId, UserId } from '#shared/ids.ts';
import { isDeviceId, isTransactionId, isUserId } from '#shared/ids.ts';

export interface ProvenThanks {
  readonly deviceId: DeviceId;
  readonly userId: UserId;
  readonly transactionId: TransactionId;
}

export interface ThankProofs {
  /** @param texts the ready thank-yous of the receiver. */
  make(thanks: ProvenThanks, texts: readonly string[], expiresAtMs: number): string;
  /** Null for a text that is no proof of this server or has expired. `isFor` compares with the thank-yous of now. */
  read(
    proof: string,
    nowMs: number,
  ): (ProvenThanks & { readonly isFor: (texts: readonly string[]) => boolean }) | null;
}

const SEPARATOR = '.';

/** @param secret of the installation, which has other uses: the key is derived from it. */
export function createThankProofs(secret: Uint8Array): ThankProofs {
  const key = createHmac('sha256', secret).update('thanks from a notification').digest();
  const sealOf = (claims: string) => createHmac('sha256', key).update(claims).digest('base64url');

  return {
    make({ deviceId, userId, transactionId }, texts, expiresAtMs) {
      const expiry = Math.floor(expiresAtMs / 1_000);
      const claims = [deviceId, userId, transactionId, expiry, digestOf(texts)].join(SEPARATOR);
      return claims + SEPARATOR + sealOf(claims);
    },

    read(proof, nowMs) {
      const end = proof.lastIndexOf(SEPARATOR);
      const claims = proof.slice(0, Math.max(0, end));
      // Both are hashed to one length, so that the comparison takes the same time for every text.
      if (!timingSafeEqual(hashOf(proof.slice(end + 1)), hashOf(sealOf(claims)))) return null;
      const [deviceId = '', userId = '', transactionId = '', expiry = '', digest = ''] =
        claims.split(SEPARATOR);
      const isWhole = isDeviceId(deviceId) && isUserId(userId) && isTransactionId(transactionId);
      if (!isWhole || Number(expiry) * 1_000 <= nowMs) return null;
      return { deviceId, userId, transactionId, isFor: (texts) => digestOf(texts) === digest };
    },
  };
}

function hashOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

function digestOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 22);
}
