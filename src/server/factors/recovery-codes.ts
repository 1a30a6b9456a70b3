/**
 * Recovery codes. They have 80 random bits each, which nobody guesses, so that a fast hash keeps them: a slow one
 * protects what people make up.
 */
import { hash } from 'node:crypto';
import { newRecoveryCode, type RandomBytes, readRecoveryCode } from '#shared/ids.ts';

const CODES = 10;

export function newRecoveryCodes(random: RandomBytes) {
  const codes = Array.from({ length: CODES }, () => newRecoveryCode(random));
  return { codes, hashes: codes.map((code) => hashOf(code.replaceAll('-', ''))) };
}

/** Null for a text that can be no recovery code. */
export function hashOfTyped(text: string): Uint8Array | null {
  const code = readRecoveryCode(text);
  return code === null ? null : hashOf(code);
}

const hashOf = (code: string): Uint8Array => hash('sha256', code, 'buffer');
