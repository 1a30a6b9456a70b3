import { describe, expect, test } from 'vitest';
import type { AttemptCount } from '#server/storage/port/attempts.ts';
import { MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

export function describeAttempts(): void {
  describe('attempts', () => {
    const count = (changes: Partial<AttemptCount> = {}): AttemptCount => ({
      limit: 'login',
      account: 'pat',
      address: '',
      maxCount: 2,
      windowMs: MINUTE_MS,
      ...changes,
    });

    test('attempts are taken up to the limit, and again when the window of the first has ended', async () => {
      const { storage } = await openStorage();
      for (const at of [NOW, NOW + 1])
        expect(await storage.takeAttempt([count()], at)).toEqual({ outcome: 'taken' });
      const usedUp = { outcome: 'used_up', freeAtMs: NOW + MINUTE_MS };
      expect(await storage.takeAttempt([count()], NOW + MINUTE_MS - 1)).toEqual(usedUp);
      expect(await storage.takeAttempt([count()], NOW + MINUTE_MS)).toEqual({ outcome: 'taken' });
    });

    test('of several counts none is taken from when one is used up, and the latest end is told', async () => {
      const { storage } = await openStorage();
      const narrow = count({ limit: 'narrow', maxCount: 1, windowMs: 2 * MINUTE_MS });
      const wide = count({ limit: 'wide', maxCount: 1, windowMs: 3 * MINUTE_MS });
      await storage.takeAttempt([narrow, wide], NOW);
      const refused = await storage.takeAttempt([count(), narrow, wide], NOW);
      expect(refused).toEqual({ outcome: 'used_up', freeAtMs: NOW + 3 * MINUTE_MS });
      for (let time = 0; time < 2; time += 1)
        expect(await storage.takeAttempt([count()], NOW)).toEqual({ outcome: 'taken' });
    });

    test('limit, account and address each make another count', async () => {
      const { storage } = await openStorage();
      const counts = [{}, { limit: 'other' }, { account: 'sam' }, { address: '192.0.2.1' }].map((changes) =>
        count({ maxCount: 1, ...changes }),
      );
      for (const one of counts) expect(await storage.takeAttempt([one], NOW)).toEqual({ outcome: 'taken' });
      for (const one of counts)
        expect(await storage.takeAttempt([one], NOW)).toMatchObject({ outcome: 'used_up' });
    });

    test('of many attempts at once no more are taken than the limit allows', async () => {
      const { storage } = await openStorage();
      const taken = await Promise.all(Array.from({ length: 9 }, () => storage.takeAttempt([count()], NOW)));
      expect(taken.filter(({ outcome }) => outcome === 'taken')).toHaveLength(2);
    });

    test('no window ends later than its length from now, also when the clock was turned back', async () => {
      const { storage } = await openStorage();
      for (let time = 0; time < 2; time += 1) await storage.takeAttempt([count()], NOW);
      const earlier = NOW - 9 * MINUTE_MS;
      expect(await storage.takeAttempt([count()], earlier)).toEqual({
        outcome: 'used_up',
        freeAtMs: earlier + MINUTE_MS,
      });
    });

    test('an attempt that is taken back is free again, and taking back what was never taken gives none', async () => {
      const { storage } = await openStorage();
      await storage.returnAttempt([count()]);
      for (let time = 0; time < 2; time += 1) await storage.takeAttempt([count()], NOW);
      await storage.returnAttempt([count()]);
      expect(await storage.takeAttempt([count()], NOW)).toEqual({ outcome: 'taken' });
      expect(await storage.takeAttempt([count()], NOW)).toMatchObject({ outcome: 'used_up' });
    });

    test('a count whose attempts were all taken back is forgotten, so that the next attempt begins a window of its own', async () => {
      const { storage } = await openStorage();
      const once = count({ maxCount: 1 });
      await storage.takeAttempt([once], NOW);
      await storage.returnAttempt([once]);
      expect(await storage.takeAttempt([once], NOW + 9)).toEqual({ outcome: 'taken' });
      expect(await storage.takeAttempt([once], NOW + 9)).toMatchObject({ freeAtMs: NOW + 9 + MINUTE_MS });
    });

    test('the attempts on an account are forgotten and counted; nobody else’s are', async () => {
      const { storage } = await openStorage();
      const once = { maxCount: 1 };
      const sams = count({ ...once, account: 'sam' });
      await storage.takeAttempt([count(once), count({ ...once, limit: 'other' }), sams], NOW);
      expect(await storage.forgetAttempts('pat')).toBe(2);
      expect(await storage.forgetAttempts('pat')).toBe(0);
      expect(await storage.takeAttempt([count(once)], NOW)).toEqual({ outcome: 'taken' });
      expect(await storage.takeAttempt([sams], NOW)).toMatchObject({ outcome: 'used_up' });
    });

    test('counts whose window has ended are forgotten, a bounded number at a time', async () => {
      const { storage } = await openStorage();
      await storage.takeAttempt(
        ['a', 'b', 'c'].map((address) => count({ address })),
        NOW,
      );
      await storage.takeAttempt([count({ windowMs: 2 * MINUTE_MS })], NOW);
      expect(await storage.forgetEndedAttempts(NOW + MINUTE_MS - 1, 9)).toBe(0);
      expect(await storage.forgetEndedAttempts(NOW + MINUTE_MS, 2)).toBe(2);
      expect(await storage.forgetEndedAttempts(NOW + MINUTE_MS, 2)).toBe(1);
      expect(await storage.forgetEndedAttempts(NOW + 2 * MINUTE_MS, 2)).toBe(1);
    });
  });
}
