/** Accounts, and their passwords. */
import { describe, expect, test } from 'vitest';
import { bytes, type Engine, hexOf, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

export function describeAccounts(engine: Engine): void {
  describe(`${engine.name}: accounts`, () => {
    test('an account is found by its email in any case, exactly as it was created', async () => {
      const { storage, newAccount } = await openStorage(engine);
      const {
        passwordHash,
        createdAtMs: _,
        ...person
      } = {
        ...newAccount('pat'),
        phone: '+1 555 0100',
        isServiceProvider: true,
        serviceCategories: ['dj', 'bartender'] as const,
      };
      expect(await storage.createAccount({ ...person, passwordHash, createdAtMs: NOW })).toBe('created');
      const found = await storage.findCredentials('PAT@eXAMPLE.COM');
      expect(found).toEqual({
        account: {
          ...person,
          // In the order of the product, whichever they were given in.
          serviceCategories: ['bartender', 'dj'],
          totalTipsReceivedCents: 0,
          totalTipsGivenCents: 0,
          mustChangePassword: false,
        },
        passwordHash,
        passwordExpiresAtMs: null,
      });
      expect(await storage.findCredentials('sam@example.com')).toBeNull();
    });

    test('an email that differs in case alone is taken, so is a username, and nothing is left of the refused', async () => {
      const { storage, newAccount } = await openStorage(engine);
      const pat = newAccount('pat');
      expect(await storage.createAccount(pat)).toBe('created');
      const sam = newAccount('sam');
      expect(await storage.createAccount({ ...sam, email: 'PAT@example.com' })).toBe('email_taken');
      expect(await storage.createAccount({ ...sam, username: 'pat' })).toBe('username_taken');
      expect(await storage.findCredentials(sam.email)).toBeNull();
      expect((await storage.findCredentials(pat.email))?.account.id).toBe(pat.id);
      expect(await storage.createAccount(sam)).toBe('created');
    });

    test('of many accounts with one email at once, one is created', async () => {
      const { storage, newAccount } = await openStorage(engine);
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          storage.createAccount({ ...newAccount(`pat${index}`), email: 'pat@example.com' }),
        ),
      );
      expect(outcomes.sort()).toEqual(['created', ...Array(4).fill('email_taken')]);
    });

    test('a password hash is replaced only while it is the one that was read', async () => {
      const { storage, addAccount } = await openStorage(engine);
      const { id, email } = await addAccount('pat');
      await storage.replacePasswordHash(id, 'another', 'wrong');
      expect((await storage.findCredentials(email))?.passwordHash).toBe('none');
      await storage.replacePasswordHash(id, 'none', 'next');
      expect((await storage.findCredentials(email))?.passwordHash).toBe('next');
    });

    test('changing a password ends all other sessions of the account, and the kept one goes on under its new token', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage(engine);
      const { id, email } = await addAccount('pat');
      const other = await addAccount('sam');
      for (const token of ['kept', 'second', 'third']) await beginSession(id, token);
      await beginSession(other.id, 'of sam');
      const kept = {
        tokenHash: bytes('kept'),
        nextTokenHash: bytes('renewed'),
        expiresAtMs: NOW + 5 * MINUTE_MS,
      };
      const next = { passwordHash: 'next', expiresAtMs: null };
      expect(await storage.changePassword(id, 'none', next, kept)).toBe('changed');
      expect(await storage.findCredentials(email)).toMatchObject({
        passwordHash: 'next',
        passwordExpiresAtMs: null,
      });
      expect(await tokensOf(id)).toEqual(hexOf([bytes('renewed')]));
      expect(await storage.findSession(bytes('renewed'), NOW)).toMatchObject({
        expiresAtMs: kept.expiresAtMs,
      });
      expect(await storage.findSession(bytes('kept'), NOW)).toBeNull();
      expect(await tokensOf(other.id)).toHaveLength(1);
    });

    test('a password that expires must be changed, and all sessions end when none is kept', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage(engine);
      const { id, email } = await addAccount('pat');
      await beginSession(id, 'token');
      const next = { passwordHash: 'next', expiresAtMs: NOW + MINUTE_MS };
      expect(await storage.changePassword(id, 'none', next, null)).toBe('changed');
      expect(await storage.findCredentials(email)).toMatchObject({
        account: { mustChangePassword: true },
        passwordExpiresAtMs: NOW + MINUTE_MS,
      });
      expect(await tokensOf(id)).toEqual([]);
    });

    test('nothing changes when the password was changed meanwhile, or the session to be kept is gone or another account’s', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage(engine);
      const { id, email } = await addAccount('pat');
      const other = await addAccount('sam');
      await beginSession(id, 'token');
      await beginSession(other.id, 'of sam');
      const next = { passwordHash: 'next', expiresAtMs: NOW };
      const keep = (token: string) => ({
        tokenHash: bytes(token),
        nextTokenHash: bytes('renewed'),
        expiresAtMs: NOW + MINUTE_MS,
      });
      expect(await storage.changePassword(id, 'another', next, keep('token'))).toBe('stale');
      expect(await storage.changePassword(id, 'none', next, keep('ended'))).toBe('gone');
      expect(await storage.changePassword(id, 'none', next, keep('of sam'))).toBe('gone');
      expect(await storage.findCredentials(email)).toMatchObject({
        passwordHash: 'none',
        passwordExpiresAtMs: null,
      });
      expect(await tokensOf(id)).toEqual(hexOf([bytes('token')]));
      expect(await tokensOf(other.id)).toEqual(hexOf([bytes('of sam')]));
    });
  });
}
