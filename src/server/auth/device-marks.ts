/**
 * A cookie that says to which accounts a device has logged in, so that it can still log in when others' guesses have
 * used up a limit (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It logs nobody in, but who holds
 * the device can test an email.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DEVICE_COOKIE } from '#shared/brand.ts';
import type { RandomBytes } from '#shared/ids.ts';

/** The id and each signature have 128 bits, which can be neither guessed nor met by chance. */
const PART_BYTES = 16;
const MAX_ACCOUNTS = 8;
const LIFETIME_S = 365 * 86_400;
/** An id, its signature, and a signature for each of 8 accounts; marks of earlier versions have fewer. */
const MARK = /^[\w-]{22}(?:\.[\w-]{22}){1,9}$/;

export interface DeviceMark {
  /** The id of the device, not of its user; null without a valid mark. */
  readonly id: string | null;
  /** @param sinceMs marks from before this time count no more; 0 when all count. */
  isOf(email: string, sinceMs: number): boolean;
  /** Notes a login; the oldest of more than 8 accounts is forgotten. */
  remember(email: string, sinceMs: number): void;
  /** The Set-Cookie header (RFC 6265) of the answer; null when nothing was noted. */
  setCookie(): string | null;
}

export interface DeviceMarks {
  read(cookies: string | undefined): DeviceMark;
}

export function createDeviceMarks(deps: {
  readonly key: Uint8Array;
  readonly random: RandomBytes;
  readonly isSecure: boolean;
}): DeviceMarks {
  const { key, random, isSecure } = deps;
  // RFC 6265bis, section 4.1.3.2: with this prefix no other host, port or path can set it.
  const name = `${isSecure ? '__Host-' : ''}${DEVICE_COOKIE}`;
  const attributes = `Path=/; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const sign = (text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, PART_BYTES).toString('base64url');
  const randomPart = () => Buffer.from(random(PART_BYTES)).toString('base64url');
  // A mark of an account says since when its marks count, so that all others can be ended.
  const signatureOf = (id: string, email: string, sinceMs: number) =>
    sign(`${id} ${email.trim().toLowerCase()}${sinceMs === 0 ? '' : ` ${sinceMs}`}`);

  return {
    read(cookies) {
      const [given = '', ofGiven = '', ...present] = partsOf(cookies, name);
      let id = given !== '' && areEqual(ofGiven, sign(given)) ? given : null;
      let ofAccounts = id === null ? [] : present;
      let isChanged = false;
      return {
        get id() {
          return id;
        },
        isOf(email, sinceMs) {
          if (id === null) return false;
          const wanted = signatureOf(id, email, sinceMs);
          return ofAccounts.some((signature) => areEqual(signature, wanted));
        },
        remember(email, sinceMs) {
          id ??= randomPart();
          const newest = signatureOf(id, email, sinceMs);
          const others = ofAccounts.filter((other) => other !== newest);
          // Random parts look like signatures without the key and hide the number of accounts.
          while (others.length < MAX_ACCOUNTS) others.push(randomPart());
          ofAccounts = [newest, ...others].slice(0, MAX_ACCOUNTS);
          isChanged = true;
        },
        setCookie() {
          if (!isChanged || id === null) return null;
          return `${name}=${[id, sign(id), ...ofAccounts].join('.')}; ${attributes}`;
        },
      };
    },
  };
}

function partsOf(cookies: string | undefined, name: string): string[] {
  const pairs = cookies?.split(';').map((pair) => pair.trim()) ?? [];
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && MARK.test(value) ? value.split('.') : [];
}

function areEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
