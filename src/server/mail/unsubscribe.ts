/** Tokens in links that end monthly statements with one click (RFC 8058): the account's id and a keyed digest. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUserId, type UserId } from '#shared/ids.ts';

const TOKEN = /^(usr_[0-9a-z]{26})\.[\w-]{43}$/;

export interface UnsubscribeTokens {
  tokenOf(userId: UserId): string;
  read(text: string): UserId | null;
}

export function createUnsubscribeTokens(key: Uint8Array): UnsubscribeTokens {
  const tokenOf = (userId: UserId) =>
    `${userId}.${createHmac('sha256', key).update(`unsubscribe ${userId}`).digest('base64url')}`;
  return {
    tokenOf,
    read(text) {
      const [, id = ''] = TOKEN.exec(text) ?? [];
      if (!isUserId(id)) return null;
      return timingSafeEqual(Buffer.from(text), Buffer.from(tokenOf(id))) ? id : null;
    },
  };
}
