/**
 * The text of an API key: a prefix by which scanners of secrets know it, 26 random characters and six of their CRC-32,
 * in base 62. The checksum tells a mistyped key without a look into the data.
 */
import { crc32 } from 'node:zlib';
import { API_KEY_PREFIX } from '#shared/api-scopes.ts';
import type { RandomBytes } from '#shared/ids.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 154 bits. */
const RANDOM_LENGTH = 26;
/** 62 to the sixth power is more than 2 to the 32nd. */
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^${API_KEY_PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
/** The largest multiple of 62 in a byte: bytes from there on would make some characters likelier. */
const EVEN_BYTES = 248;

export function newApiKeyText(random: RandomBytes): string {
  let body = '';
  while (body.length < RANDOM_LENGTH)
    for (const byte of random(RANDOM_LENGTH))
      if (byte < EVEN_BYTES && body.length < RANDOM_LENGTH) body += ALPHABET.charAt(byte % ALPHABET.length);
  return API_KEY_PREFIX + body + checksumOf(body);
}

export function isApiKeyText(text: string): boolean {
  const [, body = '', checksum] = KEY.exec(text) ?? [];
  return checksum !== undefined && checksumOf(body) === checksum;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
