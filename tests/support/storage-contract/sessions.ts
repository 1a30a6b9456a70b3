import { describe, expect, test } from 'vitest';
import { bytes, hexOf, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

export function describeSessions(): void {
  describe('sessions', () => {
    test('a session is found with its account until the millisecond in which it expires', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const account = await addAccount('pat', ['dj']);
      const { createdAtMs, expiresAtMs, tokenHash } = await beginSession(account.id, 'token');
      expect(await storage.findSession(tokenHash, expiresAtMs - 1)).toEqual({
        account,
        createdAtMs,
        expiresAtMs,
        confirmedAtMs: createdAtMs,
      });
      expect(await storage.findSession(tokenHash, expiresAtMs)).toBeNull();
      expect(await storage.findSession(bytes('another'), NOW)).toBeNull();
    });

    test('sessions that are asked for at once are each found with their own account, at the time of each question', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const pat = await addAccount('pat', ['dj']);
      const sam = await addAccount('sam');
      const ofPat = await beginSession(pat.id, 'of pat');
      const ofSam = await beginSession(sam.id, 'of sam');
      const answers = await Promise.all([
        storage.findSession(ofSam.tokenHash, NOW),
        storage.findSession(bytes('another'), NOW),
        storage.findSession(ofPat.tokenHash, ofPat.expiresAtMs),
        storage.findSession(ofPat.tokenHash, NOW),
        storage.findSession(ofSam.tokenHash, NOW),
      ]);
      expect(answers.map((found) => found?.account ?? null)).toEqual([sam, null, null, pat, sam]);
    });

    test('a session does not begin when the password was changed since it was verified', async () => {
      const { storage, addAccount, tokensOf } = await openStorage();
      const { id } = await addAccount('pat');
      const session = {
        tokenHash: bytes('token'),
        userId: id,
        createdAtMs: NOW,
        expiresAtMs: NOW + 1,
        device: '',
      };
      expect(await storage.createSession(session, 'another', 50)).toBe('stale');
      expect(await tokensOf(id)).toEqual([]);
    });

    test('of more sessions than an account may have, the oldest ends, and nobody else’s', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const { id } = await addAccount('pat');
      const other = await addAccount('sam');
      await beginSession(other.id, 'of sam', { createdAtMs: NOW - 9 });
      for (const age of [2, 3, 1]) await beginSession(id, `${age} old`, { createdAtMs: NOW - age }, 3);
      await beginSession(id, 'new', {}, 3);
      expect(await tokensOf(id)).toEqual(
        ['new', '1 old', '2 old'].map((token) => bytes(token).toString('hex')),
      );
      expect(await storage.findSession(bytes('of sam'), NOW)).not.toBeNull();
    });

    test('the sessions of an account are listed as they were begun, the newest first, without those that have expired', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const { id } = await addAccount('pat');
      const first = await beginSession(id, 'first', { device: 'Chrome on Android', createdAtMs: NOW - 2 });
      const second = await beginSession(id, 'second', { createdAtMs: NOW - 1 });
      await beginSession(id, 'expired', { expiresAtMs: NOW });
      const listed = await storage.listSessions(id, NOW);
      expect(listed.map((session) => ({ ...session, tokenHash: Buffer.from(session.tokenHash) }))).toEqual([
        { ...second, confirmedAtMs: NOW - 1 },
        { ...first, confirmedAtMs: NOW - 2 },
      ]);
    });

    test('a session is extended to any time, and ends for good', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const { id } = await addAccount('pat');
      const { tokenHash } = await beginSession(id, 'token');
      await storage.extendSession(tokenHash, NOW + 9);
      expect(await storage.findSession(tokenHash, NOW)).toMatchObject({ expiresAtMs: NOW + 9 });
      await storage.endSession(tokenHash);
      await storage.endSession(tokenHash);
      await storage.extendSession(tokenHash, NOW + MINUTE_MS);
      expect(await storage.findSession(tokenHash, NOW)).toBeNull();
    });

    test('a session is confirmed for as long as it lives, and no other one with it', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const { id } = await addAccount('pat');
      const { tokenHash, expiresAtMs } = await beginSession(id, 'token');
      const other = await beginSession(id, 'other');
      expect(await storage.confirmSession(tokenHash, NOW + 5)).toBe(true);
      expect(await storage.findSession(tokenHash, NOW)).toMatchObject({ confirmedAtMs: NOW + 5 });
      expect(await storage.findSession(other.tokenHash, NOW)).toMatchObject({ confirmedAtMs: NOW });
      expect(await storage.confirmSession(tokenHash, expiresAtMs)).toBe(false);
      expect(await storage.confirmSession(bytes('never'), NOW)).toBe(false);
    });

    test('of many sessions, those are told that have ended, have expired or never were', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const { id } = await addAccount('pat');
      for (const token of ['alive', 'also alive', 'ended']) await beginSession(id, token);
      await beginSession(id, 'expired', { expiresAtMs: NOW });
      await storage.endSession(bytes('ended'));
      const asked = ['alive', 'ended', 'also alive', 'expired', 'never'].map(bytes);
      const ended = await storage.findEndedSessions(asked, NOW);
      expect(hexOf(ended.map(({ tokenHash }) => tokenHash))).toEqual(
        hexOf(['ended', 'expired', 'never'].map(bytes)),
      );
      expect(ended.some(({ isSuspended }) => isSuspended)).toBe(false);
      expect(await storage.findEndedSessions([], NOW)).toEqual([]);
    });

    test('all sessions of an account but one end at once, and are counted', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const { id } = await addAccount('pat');
      const other = await addAccount('sam');
      await beginSession(other.id, 'of sam');
      for (const token of ['kept', 'second', 'third']) await beginSession(id, token);
      expect(await storage.endOtherSessions(id, bytes('kept'))).toBe(2);
      expect(await tokensOf(id)).toEqual(hexOf([bytes('kept')]));
      expect(await storage.endOtherSessions(id, null)).toBe(1);
      expect(await tokensOf(id)).toEqual([]);
      expect(await tokensOf(other.id)).toHaveLength(1);
    });

    test('expired sessions are forgotten, a bounded number at a time', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const { id } = await addAccount('pat');
      for (const token of ['first', 'second', 'third']) await beginSession(id, token, { expiresAtMs: NOW });
      await beginSession(id, 'alive');
      expect(await storage.forgetExpiredSessions(NOW, 2)).toBe(2);
      expect(await storage.forgetExpiredSessions(NOW, 2)).toBe(1);
      expect(await storage.forgetExpiredSessions(NOW, 2)).toBe(0);
      expect(await tokensOf(id, 0)).toEqual(hexOf([bytes('alive')]));
    });

    test('by the end of time all sessions of everybody have expired', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const people = [await addAccount('pat'), await addAccount('sam')];
      for (const { id, username } of people) await beginSession(id, `of ${username}`);
      expect(await storage.forgetExpiredSessions(Number.MAX_SAFE_INTEGER, 9)).toBe(2);
      for (const { id } of people) expect(await tokensOf(id, 0)).toEqual([]);
    });
  });
}
