/**
 * Authenticator apps (RFC 6238): SHA-1, six digits, 30 seconds, which is what all of them know. A secret is stored
 * sealed by a key of the installation with its holder's name, so that a row works for nobody else.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { encodeAddress, pathOf, QUIET_ZONE_MODULES } from '#server/qr-modules.ts';
import type { FactorStorage, FirstFactor, Holder } from '#server/storage/port/factors.ts';
import type { NewMail } from '#server/storage/port/mails.ts';
import { brand } from '#shared/brand.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { RandomBytes } from '#shared/ids.ts';

/** As long as the hash (RFC 4226, section 4). */
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Codes of one step before and after the present one count, for clocks that differ (RFC 6238, section 5.2). */
const WINDOW_STEPS = 1;
const CODE = /^\d{6}$/;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface TotpSetup {
  /** In Base32, for typing. */
  readonly secret: string;
  readonly uri: string;
  /** `uri` as a QR code: the data of an SVG path in modules, and the width with its quiet zone. */
  readonly qr: { readonly path: string; readonly size: number };
}

export function createTotp(deps: {
  readonly storage: FactorStorage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly key: Uint8Array;
}) {
  const { storage, clock, random, key } = deps;

  function seal(secret: Uint8Array, holder: Holder): Uint8Array {
    const nonce = random(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(holder));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Null for a secret that another key sealed, such as the one of other data. */
  function open(stored: Uint8Array, holder: Holder): Secret | null {
    const [nonce, tag, sealed] = [
      stored.subarray(0, NONCE_BYTES),
      stored.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
      stored.subarray(NONCE_BYTES + TAG_BYTES),
    ];
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(boundTo(holder))
      .setAuthTag(tag);
    const opened = decipher.update(sealed);
    try {
      return secretOf(Buffer.concat([opened, decipher.final()]));
    } catch {
      return null;
    }
  }

  /** The step of which this is the code; null for a wrong one. */
  function stepOf(secret: Secret | null, typed: string): number | null {
    const token = typed.replace(/\s/g, '');
    if (!secret || !CODE.test(token)) return null;
    const timestamp = clock();
    const delta = TOTP.validate({ token, secret, timestamp, period: PERIOD_SECONDS, window: WINDOW_STEPS });
    return delta === null ? null : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
  }

  return {
    async begin(holder: Holder, label: string): Promise<TotpSetup> {
      const bytes = random(SECRET_BYTES);
      await storage.beginTotp(holder, seal(bytes, holder), clock());
      const secret = secretOf(bytes);
      const uri = new TOTP({ issuer: brand.name, label, secret, period: PERIOD_SECONDS }).toString();
      const { runs, size } = encodeAddress(uri, 'L');
      const qr = { path: pathOf(runs, QUIET_ZONE_MODULES), size: size + 2 * QUIET_ZONE_MODULES };
      return { secret: secret.base32, uri, qr };
    },

    /** @throws AppError `wrong_code`; `session_ended` also for an account that is closed. */
    async confirm(holder: Holder, code: string, first: FirstFactor, mail?: NewMail) {
      const found = await storage.findTotp(holder);
      const waiting = found?.waiting;
      const step = waiting ? stepOf(open(waiting, holder), code) : null;
      if (!waiting || step === null) throw new AppError('wrong_code');
      const outcome = await storage.confirmTotp(holder, waiting, step, first, mail);
      if (outcome === 'stale') throw new AppError('wrong_code');
      if (outcome === 'gone') throw new AppError('session_ended');
      return outcome;
    },

    /** Spends a right code, and every earlier one with it. */
    async use(holder: Holder, code: string): Promise<boolean> {
      const found = await storage.findTotp(holder);
      if (!found?.secret) return false;
      const step = stepOf(open(found.secret, holder), code);
      return step !== null && storage.spendTotpStep(holder, step);
    },
  };
}

const boundTo = ({ kind, id }: Holder): Buffer => Buffer.from(`${kind} ${id}`);

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer });
}
