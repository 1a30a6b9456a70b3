/**
 * Identifies this server to push services (RFC 8292). Browsers tie a registration to the public key of the
 * installation, so that nobody else can send to it.
 */
import { createECDH, createHash, createPrivateKey, sign } from 'node:crypto';
import type { Clock } from '#shared/calendar.ts';

const CURVE = 'prime256v1';
/** RFC 8292 allows a day; half of it leaves room for wrong clocks. */
const TOKEN_LIFETIME_S = 43_200;
/** Apple asks senders to reuse a token for some time rather than make one for each notification. */
const TOKEN_USE_MS = 21_600_000;
/** Microsoft has hundreds of hosts, and each needs a token of its own. */
const MAX_KEPT_TOKENS = 500;

export interface Vapid {
  /** An uncompressed point of P-256: 65 bytes. */
  readonly publicKey: Uint8Array;
  authorizationFor(origin: string): string;
}

/** @param secret 32 bytes, the private key. @param subject an https address at which the sender can be reached. */
export function createVapid(secret: Uint8Array, subject: string, clock: Clock): Vapid {
  const { privateKey, publicKey } = keyPairFrom(secret);
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: privateKey.toString('base64url'),
      x: publicKey.subarray(1, 33).toString('base64url'),
      y: publicKey.subarray(33).toString('base64url'),
    },
  });
  const header = encoded({ typ: 'JWT', alg: 'ES256' });
  const publicText = publicKey.toString('base64url');
  const kept = new Map<string, { readonly token: string; readonly madeAtMs: number }>();

  function tokenFor(origin: string, nowMs: number): string {
    const exp = Math.floor(nowMs / 1_000) + TOKEN_LIFETIME_S;
    const signed = `${header}.${encoded({ aud: origin, exp, sub: subject })}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  return {
    publicKey,
    authorizationFor(origin) {
      const nowMs = clock();
      let entry = kept.get(origin);
      // After the clock was turned back, a kept token would expire too early or too late.
      if (!entry || nowMs < entry.madeAtMs || nowMs > entry.madeAtMs + TOKEN_USE_MS) {
        if (kept.size >= MAX_KEPT_TOKENS) kept.clear();
        entry = { token: tokenFor(origin, nowMs), madeAtMs: nowMs };
        kept.set(origin, entry);
      }
      return `vapid t=${entry.token}, k=${publicText}`;
    },
  };
}

/** The contact address (RFC 8292, section 2.1), always as https, because push services refuse another form. */
export function subjectFrom(publicUrl: string): string {
  return publicUrl.replace(/^http:/, 'https:');
}

/** One of 2³² random secrets is no valid private key; then its hash is tried. */
function keyPairFrom(secret: Uint8Array) {
  const ecdh = createECDH(CURVE);
  for (let candidate = Buffer.from(secret); ; candidate = createHash('sha256').update(candidate).digest()) {
    try {
      ecdh.setPrivateKey(candidate);
      return { privateKey: candidate, publicKey: ecdh.getPublicKey() };
    } catch {
      // The candidate is zero, or not below the order of the curve.
    }
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
