/** API keys: how many an account has, when one is found, and what ends them. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NewApiKey } from '#server/storage/port/api-keys.ts';
import { newApiKeyId, newMailId, type UserId } from '#shared/ids.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

function newKey(userId: UserId, text: string, changes: Partial<NewApiKey> = {}): NewApiKey {
  return {
    id: newApiKeyId(randomBytes),
    userId,
    keyHash: bytes(text),
    name: `Name of ${text}`,
    scopes: ['tips:read', 'codes:write'],
    addresses: [],
    ending: 'abcd',
    createdAtMs: NOW,
    expiresAtMs: NOW + MINUTE_MS,
    ...changes,
  };
}

export function describeApiKeys(): void {
  describe('API keys', () => {
    test('are found with their account by the hash of their text, until the millisecond in which they expire', async () => {
      const { storage, addAccount } = await openStorage();
      const account = await addAccount('pat', ['dj']);
      await addAccount('sam');
      const key = newKey(account.id, 'one', { addresses: ['192.0.2.1/32', '2001:db8::/32'] });
      expect(await storage.apiKeys.add(key, 9)).toBe('added');
      const { id, scopes, addresses, expiresAtMs } = key;
      const live = { id, scopes, addresses, lastUsedAtMs: null, account };
      expect(await storage.findApiKey(bytes('one'), expiresAtMs - 1)).toEqual(live);
      expect(await storage.findApiKey(bytes('one'), expiresAtMs)).toBeNull();
      expect(await storage.findApiKey(bytes('two'), NOW)).toBeNull();
      await storage.apiKeys.noteUse(id, NOW + 5);
      expect(await storage.findApiKey(bytes('one'), NOW)).toEqual({ ...live, lastUsedAtMs: NOW + 5 });
    });

    test('are listed to their account alone, the newest first, and never with the hash', async () => {
      const { storage, addAccount } = await openStorage();
      const [pat, sam] = [await addAccount('pat'), await addAccount('sam')];
      const keys = ['old', 'new'].map((text, index) => newKey(pat.id, text, { createdAtMs: NOW + index }));
      for (const key of keys) expect(await storage.apiKeys.add(key, 9)).toBe('added');
      const told = keys.toReversed().map(({ keyHash: _, ...key }) => ({ ...key, lastUsedAtMs: null }));
      expect(await storage.apiKeys.list(pat.id)).toEqual(told);
      expect(await storage.apiKeys.list(sam.id)).toEqual([]);
    });

    test('are ended by their account alone, one or all of them, and then found no more', async () => {
      const { storage, addAccount } = await openStorage();
      const [pat, sam] = [await addAccount('pat'), await addAccount('sam')];
      const keys = ['one', 'two', 'three'].map((text) => newKey(pat.id, text));
      for (const key of [...keys, newKey(sam.id, 'of sam')]) await storage.apiKeys.add(key, 9);
      const [{ id } = { id: newApiKeyId(randomBytes) }] = keys;
      expect(await storage.apiKeys.end(sam.id, id)).toBe(false);
      expect(await storage.findApiKey(bytes('one'), NOW)).not.toBeNull();
      expect(await storage.apiKeys.end(pat.id, id)).toBe(true);
      expect(await storage.apiKeys.end(pat.id, id)).toBe(false);
      expect(await storage.findApiKey(bytes('one'), NOW)).toBeNull();
      await storage.apiKeys.noteUse(id, NOW);
      expect(await storage.apiKeys.endAll(pat.id)).toBe(2);
      expect(await storage.apiKeys.list(pat.id)).toEqual([]);
      expect(await storage.findApiKey(bytes('of sam'), NOW)).not.toBeNull();
    });

    test('of twenty added at once, an account gets as many as it may have', async () => {
      const { storage, addAccount } = await openStorage();
      const { id } = await addAccount('pat');
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => storage.apiKeys.add(newKey(id, String(index)), 7)),
      );
      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(7);
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(13);
      expect(await storage.apiKeys.list(id)).toHaveLength(7);
    });

    test('tell the confirmed address of their owner, and nobody when they were not added', async () => {
      const { storage, addAccount } = await openStorage();
      const { id, email } = await addAccount('pat');
      const mail = () =>
        ({ id: newMailId(randomBytes), kind: 'key_made', content: '{}', createdAtMs: NOW }) as const;
      const due = { nowMs: NOW, leaseMs: 1, maxWaitMs: 1, atMost: 9 };
      await storage.apiKeys.add(newKey(id, 'before'), 9, mail());
      expect(await storage.mails.claimDue(due)).toEqual([]);
      const link = { tokenHash: bytes('link'), purpose: 'confirmation', expiresAtMs: NOW + 1 } as const;
      await storage.mails.addLink(id, email, link, 9);
      expect(await storage.mails.confirmAddress(id, link.tokenHash, NOW)).toBe(true);
      expect(await storage.apiKeys.add(newKey(id, 'one too many'), 1, mail())).toBe('full');
      expect(await storage.apiKeys.add(newKey(id, 'after'), 2, mail())).toBe('added');
      expect(await storage.mails.claimDue(due)).toMatchObject([{ kind: 'key_made', recipient: email }]);
    });

    test('end with the closing of their account, which gets no other', async () => {
      const { storage, addAccount } = await openStorage();
      const [closing, closed] = [await addAccount('pat'), await addAccount('sam')];
      await storage.apiKeys.add(newKey(closing.id, 'one'), 9);
      await storage.apiKeys.add(newKey(closed.id, 'two'), 9);
      await storage.beginClosing(closing.id, 'none', NOW + MINUTE_MS);
      await storage.closeAccount(closed.id, NOW, false);
      for (const { id } of [closing, closed]) {
        expect(await storage.apiKeys.list(id)).toEqual([]);
        expect(await storage.apiKeys.add(newKey(id, 'late'), 9)).toBe('gone');
      }
      for (const text of ['one', 'two', 'late'])
        expect(await storage.findApiKey(bytes(text), NOW)).toBeNull();
    });

    test('that have expired are deleted in steps', async () => {
      const { storage, addAccount } = await openStorage();
      const { id } = await addAccount('pat');
      for (const text of ['one', 'two', 'three']) await storage.apiKeys.add(newKey(id, text), 9);
      await storage.apiKeys.add(newKey(id, 'later', { expiresAtMs: NOW + 2 * MINUTE_MS }), 9);
      expect(await storage.apiKeys.forgetExpired(NOW, 9)).toBe(0);
      expect(await storage.apiKeys.forgetExpired(NOW + MINUTE_MS, 2)).toBe(2);
      expect(await storage.apiKeys.forgetExpired(NOW + MINUTE_MS, 9)).toBe(1);
      expect(await storage.apiKeys.list(id)).toMatchObject([{ name: 'Name of later' }]);
    });
  });
}
