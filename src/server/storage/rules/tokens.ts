/** Tokens that somebody holds in secret: of sessions, links and invitations. The storage knows their hashes alone. */
import { hash } from 'node:crypto';
import { type RandomBytes, type SessionId, sessionIdFrom } from '#shared/ids.ts';

const TOKEN_BYTES = 32;

/** 256 random bits in base64url. */
export function newToken(random: RandomBytes): string {
  return Buffer.from(random(TOKEN_BYTES)).toString('base64url');
}

/** The SHA-256 of a random secret, which needs no salt because nobody can guess it. */
export function hashOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The public name of a session, derived from the hash of its token, so that the storage needs no column for it. */
export function sessionIdOf(tokenHash: Uint8Array): SessionId {
  return sessionIdFrom(hash('sha256', tokenHash, 'buffer'));
}
