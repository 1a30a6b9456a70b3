/** What belongs to the installation: its keys, and its end. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MOST_TRIES_AWAY } from '#server/storage/port/outboxes.ts';
import { readSecrets } from '#server/storage/port/secrets.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { newMailId } from '#shared/ids.ts';
import { bytes, hexOf, MINUTE_MS, NOW, openStorage, PREFIX } from './opened-storage.ts';

export function describeInstallation(): void {
  describe('the installation', () => {
    test('each key is made once, whoever asks at the same time, and made anew when they were forgotten', async () => {
      const { storage } = await openStorage();
      const asked = await Promise.all(
        ['one', 'two'].map((text) => storage.secret('device_mark', bytes(text))),
      );
      const [key] = hexOf(asked);
      expect(hexOf(asked)).toEqual([key, key]);
      expect(hexOf([bytes('one'), bytes('two')])).toContain(key);
      const secrets = await readSecrets(storage, () => bytes('other'));
      expect(hexOf([secrets.device_mark])).toEqual([key]);
      expect(hexOf([secrets.giver_pseudonym])).toEqual(hexOf([bytes('other')]));
      await storage.forgetSecrets();
      expect(hexOf([await storage.secret('device_mark', bytes('two'))])).toEqual(hexOf([bytes('two')]));
    });

    test('one announcement takes the place of the one before, until it is ended', async () => {
      const { storage, reopen } = await openStorage({ isLasting: true });
      expect(await storage.findAnnouncement()).toBeNull();
      const first = { text: '😀'.repeat(280), fromMs: NOW, untilMs: NOW + 1 };
      const second = { text: 'O\'Hara; said "Hi"', fromMs: 0, untilMs: null };
      for (const one of [first, second, first, second]) {
        expect(await storage.announce(one)).toBe(true);
        expect(await storage.findAnnouncement()).toEqual(one);
      }
      for (const seen of [null, first, { ...second, fromMs: 1 }])
        expect(await storage.announce(first, undefined, seen)).toBe(false);
      const next = [1, 2, 3].map((fromMs) => storage.announce({ ...second, fromMs }, undefined, second));
      expect((await Promise.all(next)).toSorted()).toEqual([false, false, true]);
      const taken = await storage.findAnnouncement();
      expect(await storage.announce(second, undefined, taken)).toBe(true);
      const reopened = await reopen();
      expect(await reopened.findAnnouncement()).toEqual(second);
      expect(await reopened.endAnnouncement(undefined, first)).toBe(false);
      expect(await reopened.endAnnouncement(undefined, { ...second, fromMs: 1 })).toBe(false);
      expect(await reopened.endAnnouncement(undefined, { ...second, text: 'safe\0hidden' })).toBe(false);
      expect(await reopened.endAnnouncement(undefined, second)).toBe(true);
      await reopened.announce(second);
      expect([await reopened.endAnnouncement(), await reopened.endAnnouncement()]).toEqual([true, false]);
      expect(await reopened.findAnnouncement()).toBeNull();
    });

    test('what waits to be sent is counted, and since when the oldest waits', async () => {
      const { storage } = await openStorage();
      const nothing = { waiting: 0, failing: 0, oldestAtMs: null };
      expect(await storage.readOutboxes(NOW)).toEqual({
        mails: nothing,
        notifications: nothing,
        payments: nothing,
        webhooks: nothing,
      });
      const mail = { userId: null, kind: 'receipt', recipient: 'guest@example.com', content: '{}' } as const;
      for (const createdAtMs of [NOW, NOW - 5, NOW + 5])
        await storage.mails.add({ ...mail, id: newMailId(randomBytes), createdAtMs }, 9);
      const due = { nowMs: NOW + 9, leaseMs: MINUTE_MS, maxWaitMs: MINUTE_MS, atMost: 1 };
      for (const claimed of await storage.mails.claimDue(due))
        await storage.mails.postpone(claimed, { nextTryMs: NOW + 99, tries: 1 });
      expect((await storage.readOutboxes(NOW)).mails).toEqual({
        waiting: 3,
        failing: 1,
        oldestAtMs: NOW - 5,
      });
    });

    test('mails to one recipient that were refused again and again do not count as failing; those to two do', async () => {
      const { storage } = await openStorage();
      const mailTo = async (recipient: string, createdAtMs: number, tries: number) => {
        const id = newMailId(randomBytes);
        await storage.mails.add(
          { id, userId: null, kind: 'receipt', recipient, content: '{}', createdAtMs },
          9,
        );
        if (tries === 0) return;
        const due = { nowMs: NOW, leaseMs: MINUTE_MS, maxWaitMs: MINUTE_MS, atMost: 9 };
        for (const claimed of await storage.mails.claimDue(due))
          await storage.mails.postpone(claimed, { nextTryMs: NOW + MINUTE_MS, tries });
      };
      const mails = async () => (await storage.readOutboxes(NOW)).mails;
      await mailTo('full@example.com', NOW - 9, MOST_TRIES_AWAY + 1);
      await mailTo('full@example.com', NOW - 8, MOST_TRIES_AWAY + 5);
      expect(await mails()).toEqual({ waiting: 2, failing: 0, oldestAtMs: null });
      // The mail server may be away: it has not answered for this one.
      await mailTo('sam@example.com', NOW - 7, MOST_TRIES_AWAY);
      expect(await mails()).toEqual({ waiting: 3, failing: 1, oldestAtMs: NOW - 7 });
      await mailTo('oda@example.com', NOW - 6, MOST_TRIES_AWAY + 1);
      expect(await mails()).toEqual({ waiting: 4, failing: 4, oldestAtMs: NOW - 9 });
      await mailTo('new@example.com', NOW - 5, 0);
      expect(await mails()).toEqual({ waiting: 5, failing: 4, oldestAtMs: NOW - 9 });
    });

    test('proving that tips could be recorded leaves nothing behind', async () => {
      const { storage } = await openStorage();
      for (let time = 0; time < 3; time += 1) await storage.proveWritable();
      expect(await storage.forgetEndedAttempts(Number.MAX_SAFE_INTEGER, 9)).toBe(0);
    });

    test('nothing is to be said of data that is where it was opened, by a clock that is right', async () => {
      const { storage } = await openStorage();
      expect(await storage.checkGround(Date.now)).toBeNull();
      await storage.proveWritable();
    });

    test('what was accepted before closing is done, and nothing afterwards', async () => {
      const { storage, setTheScene, reopen } = await openStorage({ isLasting: true });
      const { tip, customer } = await setTheScene();
      const accepted = [storage.recordTip(tip()), storage.recordTip(tip())];
      const closed = storage.close();
      await expect(storage.recordTip(tip())).rejects.toMatchObject({ name: 'StorageUnavailable' });
      await closed;
      expect(await Promise.all(accepted)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }]);
      const reopened = await reopen();
      expect(await reopened.findNewestEntry(customer.id)).toMatchObject({ position: 2 });
    });

    test('all of it is there after closing and opening again', async () => {
      const { storage, setTheScene, beginSession, reopen } = await openStorage({ isLasting: true });
      const { tip, provider, customer, code } = await setTheScene();
      const { tokenHash } = await beginSession(customer.id, 'token');
      await storage.secret('device_mark', bytes('key'));
      const attempt = { limit: 'login', account: 'pat', address: '', maxCount: 1, windowMs: MINUTE_MS };
      await storage.takeAttempt([attempt], NOW);
      const first = await storage.recordTip(tip({ idempotencyKey: 'key' }));
      const readAll = async (opened: Storage) => ({
        accounts: await Promise.all([provider, customer].map(({ email }) => opened.findCredentials(email))),
        session: await opened.findSession(tokenHash, NOW),
        code: await opened.findQrCode(code),
        codes: await opened.listQrCodes(provider.id, PREFIX),
        tips: await opened.listEntriesSince(customer.id, 0, 9),
        secrets: await readSecrets(opened, () => bytes('another')),
      });
      const before = await readAll(storage);
      const reopened = await reopen();
      expect(await readAll(reopened)).toEqual(before);
      expect(await reopened.takeAttempt([attempt], NOW)).toMatchObject({ outcome: 'used_up' });
      expect(await reopened.recordTip(tip({ idempotencyKey: 'key' }))).toEqual({
        ...first,
        outcome: 'repeated',
      });
      await reopened.recordTip(tip());
      expect(await reopened.findNewestEntry(customer.id)).toMatchObject({ position: 2 });
    });
  });
}
