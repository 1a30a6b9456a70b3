/**
 * The mark of a device: a cookie that says to which accounts this device has logged in, so that it keeps a way in when
 * others' guesses have used up the account's or the address's (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). It logs nobody in, and only who holds the installation's key can read it; who holds the device can try an email.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { brand } from '#shared/brand.ts';
import type { RandomBytes } from '#shared/ids.ts';

/** The size of the id and of each signature: 128 bits can be neither met by chance nor guessed. */
const PART_BYTES = 16;
const MAX_ACCOUNTS = 8;
const LIFETIME_S = 365 * 86_400;
/** An id, its signature, and a signature for each of 8 accounts; marks of earlier versions have fewer. */
const MARK = /^[\w-]{22}(?:\.[\w-]{22}){1,9}$/;

/** The mark that came with one request. */
export interface DeviceMark {
  /** Names the device, and nobody who uses it; null when it has no mark that was made here. */
  readonly id: string | null;
  /** Whether this device has logged in to the account with this email. */
  isOf(email: string): boolean;
  /** Notes a login; of more than 8 accounts the one is forgotten that logged in first. */
  remember(email: string): void;
  /** The Set-Cookie header (RFC 6265) of the answer; null when nothing was noted. */
  setCookie(): string | null;
}

export interface DeviceMarks {
  /** @param cookies the request's Cookie header. */
  read(cookies: string | undefined): DeviceMark;
}

/**
 * @param key that of the installation.
 * @param isSecure whether the site is reached by https, so that browsers accept a cookie that nobody else can set.
 */
export function createDeviceMarks(deps: {
  readonly key: Uint8Array;
  readonly random: RandomBytes;
  readonly isSecure: boolean;
}): DeviceMarks {
  const { key, random, isSecure } = deps;
  // RFC 6265bis, section 4.1.3.2: with this prefix no other host, port or path sets it.
  const name = `${isSecure ? '__Host-' : ''}${brand.deviceCookie}`;
  const attributes = `Path=/; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const sign = (text: string) =>
    createHmac('sha256', key).update(text).digest().subarray(0, PART_BYTES).toString('base64url');
  const randomPart = () => Buffer.from(random(PART_BYTES)).toString('base64url');
  const signatureOf = (id: string, email: string) => sign(`${id} ${email.trim().toLowerCase()}`);

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
        isOf(email) {
          if (id === null) return false;
          const wanted = signatureOf(id, email);
          return ofAccounts.some((signature) => areEqual(signature, wanted));
        },
        remember(email) {
          id ??= randomPart();
          const newest = signatureOf(id, email);
          const others = ofAccounts.filter((other) => other !== newest);
          // Random parts look like signatures to anybody without the key, so that the number of accounts stays unknown.
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

/** The parts of the mark in a Cookie header; none when there is none or it has another form. */
function partsOf(cookies: string | undefined, name: string): string[] {
  const pairs = cookies?.split(';').map((pair) => pair.trim()) ?? [];
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && MARK.test(value) ? value.split('.') : [];
}

function areEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
