/** Codes of authenticator apps by RFC 6238, worked out apart from the package that the product uses. */
import { createHmac } from 'node:crypto';

export const STEP_MS = 30_000;

/** @param step counted from 1970. */
export function codeOfStep(secret: Uint8Array, step: number, digits = 6): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(message).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** @param secret in Base32, as it is shown for typing. */
export function totpAt(secret: string, atMs: number): string {
  return codeOfStep(fromBase32(secret), Math.floor(atMs / STEP_MS));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((sign) => ALPHABET.indexOf(sign).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
