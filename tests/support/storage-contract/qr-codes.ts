import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newQrCodeId, type QrCodeId } from '#shared/ids.ts';
import { NOW, openStorage, PREFIX } from './opened-storage.ts';

export function describeQrCodes(): void {
  describe('QR codes', () => {
    const picture = (text: string) => ({ address: text, png: Buffer.from(text) });

    test('a code is found with the names of its owner, and a service that has one is known', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['bartender', 'dj']);
      const id = await addCode(pat, 'dj');
      expect(await storage.findQrCode(id)).toEqual({
        id,
        userId: pat.id,
        serviceCategory: 'dj',
        status: 'active',
        displayName: null,
        greeting: null,
        photoName: null,
        thankYou: null,
        takesWords: true,
        isListed: false,
        username: 'pat',
        fullName: 'Name of pat',
      });
      expect(await storage.findQrCode(newQrCodeId(randomBytes))).toBeNull();
      expect(await storage.hasQrCode(pat.id, 'dj')).toBe(true);
      expect(await storage.hasQrCode(pat.id, 'bartender')).toBe(false);
    });

    test('a second code for a service, one for a service that is not offered, and one with an id that is taken are refused', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['bartender', 'dj']);
      const taken = await addCode(pat, 'dj');
      const create = (serviceCategory: 'bartender' | 'barber' | 'dj', id = newQrCodeId(randomBytes)) =>
        storage.createQrCode({ id, userId: pat.id, serviceCategory, createdAtMs: NOW }, picture('x'));
      expect(await create('dj')).toBe('category_taken');
      expect(await create('barber')).toBe('category_not_offered');
      expect(await create('bartender', taken)).toBe('id_taken');
      expect(await storage.listQrCodes(pat.id, '')).toMatchObject([{ id: taken, serviceCategory: 'dj' }]);
      expect(await create('bartender')).toBe('created');
    });

    test('of many codes for one service at once, one is created', async () => {
      const { storage, addAccount } = await openStorage();
      const { id: userId } = await addAccount('pat', ['dj']);
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () =>
          storage.createQrCode(
            { id: newQrCodeId(randomBytes), userId, serviceCategory: 'dj', createdAtMs: NOW },
            picture('x'),
          ),
        ),
      );
      expect(outcomes.sort()).toEqual([...Array(4).fill('category_taken'), 'created']);
    });

    test('codes are listed oldest first, whatever their ids and times, each with its picture for the address asked for', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['bartender', 'barber', 'dj']);
      const sam = await addAccount('sam', ['dj']);
      // Neither the ids nor the times are in the order in which the codes are made.
      const ids = Array.from({ length: 3 }, () => newQrCodeId(randomBytes))
        .sort()
        .reverse();
      for (const [index, serviceCategory] of (['dj', 'bartender', 'barber'] as const).entries()) {
        const id = ids[index] ?? newQrCodeId(randomBytes);
        const code = { id, userId: pat.id, serviceCategory, createdAtMs: NOW - index };
        expect(await storage.createQrCode(code, picture(`${PREFIX}${id}`))).toBe('created');
      }
      await addCode(sam, 'dj');
      const moved = 'https://moved.example.org/tip/';
      const [, second] = ids;
      if (second === undefined) throw new Error('there is no second code');
      await storage.savePicture(second, `${moved}${second}`, Buffer.from('moved'));
      const listed = async (prefix: string) =>
        (await storage.listQrCodes(pat.id, prefix)).map(({ id, picture: png }) => [
          id,
          png && Buffer.from(png).toString(),
        ]);
      expect(await listed(PREFIX)).toEqual(ids.map((id) => [id, `${PREFIX}${id}`]));
      expect(await listed(moved)).toEqual(ids.map((id) => [id, id === second ? 'moved' : null]));
      expect(await listed('')).toEqual(ids.map((id) => [id, null]));
    });

    test('a picture that is there already stays', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['dj']);
      const id = await addCode(pat, 'dj');
      await storage.savePicture(id, `${PREFIX}${id}`, Buffer.from('another'));
      const found = await storage.findPicture(id, `${PREFIX}${id}`);
      expect(found && Buffer.from(found).toString()).toBe('no picture');
      expect(await storage.findPicture(id, id)).toBeNull();
      const [code] = await storage.listQrCodes(pat.id, PREFIX);
      expect(code?.picture && Buffer.from(code.picture).toString()).toBe('no picture');
    });

    test('the pictures of a code go when it is replaced, its service is given up, or its account is closed', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['bartender', 'barber', 'dj']);
      const [replaced, retired, closed] = [
        await addCode(pat, 'bartender'),
        await addCode(pat, 'barber'),
        await addCode(pat, 'dj'),
      ];
      const next = newQrCodeId(randomBytes);
      const moved = 'https://moved.example.org/tip/';
      for (const id of [replaced, retired, closed])
        await storage.savePicture(id, `${moved}${id}`, Buffer.from('moved'));
      const isKept = async (id: QrCodeId) => {
        const found = [PREFIX, moved].map((prefix) => storage.findPicture(id, `${prefix}${id}`));
        return (await Promise.all(found)).map((png) => png !== null);
      };
      await storage.replaceQrCode(
        pat.id,
        replaced,
        { id: next, createdAtMs: NOW },
        picture(`${PREFIX}${next}`),
      );
      expect(await isKept(replaced)).toEqual([false, false]);
      expect(await isKept(next)).toEqual([true, false]);
      await storage.updateAccount(pat.id, { serviceCategories: ['bartender', 'dj'] });
      expect(await isKept(retired)).toEqual([false, false]);
      expect(await isKept(closed)).toEqual([true, true]);
      await storage.closeAccount(pat.id, NOW, false);
      for (const id of [closed, next]) expect(await isKept(id)).toEqual([false, false]);
    });
  });
}
