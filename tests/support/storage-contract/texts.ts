/**
 * Texts in every script and with every sign: a storage keeps each as it is, compares it by its characters,
 * and breaks at none.
 */
import { describe, expect, test } from 'vitest';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import { UGLY_STRINGS } from '../ugly-strings.ts';
import { MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

/**
 * PostgreSQL keeps no NUL in a text and UTF-8 no half of a surrogate pair: the schemas of the chapters let
 * neither in.
 */
const KEPT = UGLY_STRINGS.map(({ text }) => text).filter((text) => !/[\0\p{Surrogate}]/u.test(text));
/** The same texts, several in one, for what costs a step for each. */
const GATHERED = Array.from({ length: 12 }, (_, index) =>
  KEPT.filter((_, place) => place % 12 === index).join('\n'),
);

export function describeTexts(): void {
  describe('texts', () => {
    test('nobody is found by an email that nobody has, whatever stands in it', async () => {
      const { storage, addAccount } = await openStorage();
      await addAccount('pat');
      const emails = UGLY_STRINGS.flatMap(({ text }) => [text, `pat@example.com${text || '.'}`]);
      const found = await Promise.all(emails.map((email) => storage.findCredentials(email)));
      expect(emails.filter((_, index) => found[index] !== null)).toEqual([]);
    });

    test('what is told of an account and of a code is kept to the last character', async () => {
      const { storage, setTheScene } = await openStorage();
      const { provider, code } = await setTheScene();
      for (const text of GATHERED) {
        const changed = await storage.updateAccount(provider.id, { fullName: text, phone: text });
        expect(changed).toMatchObject({ outcome: 'updated', account: { fullName: text, phone: text } });
        const page = { displayName: text, greeting: text, thankYou: text };
        expect(await storage.updateQrCode(provider.id, code, page)).toMatchObject({ code: page });
        expect(await storage.findQrCode(code)).toMatchObject({ ...page, fullName: text });
      }
    });

    test('what is written about a tip is kept to the last character', async () => {
      const { storage, setTheScene } = await openStorage();
      const { provider, tip } = await setTheScene();
      for (const text of GATHERED) {
        const given: GivenTip = {
          ...tip(),
          giverMessage: { message: text, giverName: text, isRefused: false },
        };
        expect((await storage.recordTip(given)).outcome).toBe('recorded');
        expect(await storage.messages.thank(provider.id, given.id, text, NOW)).toBe('thanked');
        expect(await storage.messages.thank(provider.id, given.id, text, NOW)).toBe('repeated');
        const texts = { message: text, giverName: text, thankYou: text };
        expect(await storage.messages.findMessages([given.id])).toMatchObject([texts]);
      }
      await storage.messages.saveThankYous(provider.id, [KEPT.join('\n')]);
      expect(await storage.messages.listThankYous(provider.id)).toEqual([KEPT.join('\n')]);
    });

    test('each text is another idempotency key, and the same one again', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip } = await setTheScene();
      const tips = KEPT.map((idempotencyKey) => tip({ idempotencyKey }));
      const outcomes = async () =>
        new Set((await Promise.all(tips.map((one) => storage.recordTip(one)))).map(({ outcome }) => outcome));
      expect(await outcomes()).toEqual(new Set(['recorded']));
      expect(await outcomes()).toEqual(new Set(['repeated']));
    });

    test('each text names another attempt, and stands for the device of a session', async () => {
      const { storage, setTheScene, beginSession } = await openStorage();
      const { customer } = await setTheScene();
      const counts = KEPT.map((text) => ({
        limit: 'texts',
        account: text,
        address: text,
        maxCount: 1,
        windowMs: MINUTE_MS,
      }));
      const taken = await Promise.all(counts.map((count) => storage.takeAttempt([count], NOW)));
      expect(taken.filter(({ outcome }) => outcome !== 'taken')).toEqual([]);
      const forgotten = await Promise.all(KEPT.map((text) => storage.forgetAttempts(text)));
      expect(new Set(forgotten)).toEqual(new Set([1]));
      for (const [index, device] of GATHERED.entries())
        await beginSession(customer.id, `token ${index}`, { device });
      const devices = (await storage.listSessions(customer.id, NOW)).map(({ device }) => device);
      expect(devices.sort()).toEqual([...GATHERED].sort());
    });
  });
}
