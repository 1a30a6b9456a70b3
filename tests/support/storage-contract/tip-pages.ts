/** What changes of a code: its tip page, its photo, and whether it is current. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { QrCodeId } from '#shared/ids.ts';
import { newPhotoName, newQrCodeId } from '#shared/ids.ts';
import { bytes, hexOf, NOW, openStorage, PREFIX } from './opened-storage.ts';

export function describeTipPages(): void {
  describe('tip pages', () => {
    const picture = { address: 'x', png: Buffer.from('x') };
    const newCode = () => ({ id: newQrCodeId(randomBytes), createdAtMs: NOW });
    const newPhoto = (text: string) => ({ name: newPhotoName(randomBytes), jpeg: bytes(text) });

    async function openScene() {
      const opened = await openStorage();
      const pat = await opened.addAccount('pat', ['bartender', 'dj']);
      const sam = await opened.addAccount('sam', ['bartender']);
      const code = await opened.addCode(pat, 'bartender');
      const isThere = async (name: ReturnType<typeof newPhotoName>) =>
        (await opened.storage.findPhoto(name)) !== null;
      return { ...opened, pat, sam, code, isThere };
    }

    test('what a change of a code names is changed, and the rest stays', async () => {
      const { storage, pat, code } = await openScene();
      let expected: object = {
        id: code,
        userId: pat.id,
        serviceCategory: 'bartender',
        status: 'active',
        displayName: null,
        greeting: null,
        thankYou: null,
        photoName: null,
        takesWords: true,
        isListed: false,
      };
      for (const change of [
        {},
        { displayName: 'DJ Night', greeting: 'Hello' },
        { status: 'paused' },
        { greeting: null },
        { thankYou: 'Thank you!' },
        { takesWords: false },
        { isListed: true },
        { displayName: null },
        { status: 'active' },
      ] as const) {
        expected = { ...expected, ...change };
        expect(await storage.updateQrCode(pat.id, code, change)).toEqual({
          outcome: 'updated',
          code: expected,
        });
        const names = { username: 'pat', fullName: 'Name of pat' };
        expect(await storage.findQrCode(code)).toEqual({ ...expected, ...names });
        expect(await storage.listQrCodes(pat.id, '')).toEqual([{ ...expected, picture: null }]);
      }
    });

    test('the public page of a username has its listed codes that are current, and those of nobody else', async () => {
      const { storage, pat, sam, code, addCode } = await openScene();
      const dj = await addCode(pat, 'dj');
      await addCode(sam, 'bartender');
      const listed = async (username = 'pat') =>
        (await storage.listPublicCodes(username)).map(({ id }) => id);
      expect(await listed()).toEqual([]);
      await storage.updateQrCode(pat.id, dj, { isListed: true, displayName: 'DJ Night' });
      await storage.updateQrCode(pat.id, code, { isListed: true, status: 'paused' });
      expect(await storage.listPublicCodes('pat')).toMatchObject([
        { id: code, status: 'paused', username: 'pat', fullName: 'Name of pat' },
        { id: dj, status: 'active', displayName: 'DJ Night' },
      ]);
      expect(await listed('sam')).toEqual([]);
      expect(await listed('')).toEqual([]);
      expect(await listed('pat\0')).toEqual([]);
      const next = newCode();
      await storage.replaceQrCode(pat.id, code, next, picture);
      expect(await listed()).toEqual([dj, next.id]);
      await storage.updateAccount(pat.id, { username: 'patricia', serviceCategories: ['bartender'] });
      expect(await listed()).toEqual([]);
      expect(await listed('patricia')).toEqual([next.id]);
    });

    test('a replaced code leaves its page, its photo and its state to the new one, and its place in the list', async () => {
      const { storage, pat, code, addCode } = await openScene();
      const dj = await addCode(pat, 'dj');
      const photo = newPhoto('photo');
      await storage.updateQrCode(pat.id, code, {
        displayName: 'The Bar',
        greeting: 'Hello',
        thankYou: 'Ta!',
        takesWords: false,
        isListed: false,
        status: 'paused',
      });
      await storage.setPhoto(pat.id, code, photo);
      const next = newCode();
      const taken = await storage.replaceQrCode(pat.id, code, { ...next, id: dj }, picture);
      expect(taken).toEqual({ outcome: 'id_taken' });
      const replaced = await storage.replaceQrCode(pat.id, code, next, {
        address: `${PREFIX}${next.id}`,
        png: Buffer.from('picture'),
      });
      const page = {
        displayName: 'The Bar',
        greeting: 'Hello',
        thankYou: 'Ta!',
        takesWords: false,
        isListed: false,
        status: 'paused',
        photoName: photo.name,
      };
      expect(replaced).toEqual({
        outcome: 'replaced',
        code: { id: next.id, userId: pat.id, serviceCategory: 'bartender', ...page },
      });
      expect(await storage.findQrCode(next.id)).toMatchObject(page);
      expect(await storage.findQrCode(code)).toMatchObject({ status: 'replaced', photoName: null });
      expect(hexOf([(await storage.findPhoto(photo.name)) ?? bytes('none')])).toEqual(hexOf([photo.jpeg]));
      expect((await storage.listQrCodes(pat.id, PREFIX)).map(({ id }) => id)).toEqual([dj, next.id]);
      expect(await storage.listEndedQrCodes(pat.id, null, 9)).toEqual([
        {
          id: code,
          userId: pat.id,
          serviceCategory: 'bartender',
          status: 'replaced',
          photoName: null,
          displayName: 'The Bar',
          greeting: 'Hello',
          thankYou: 'Ta!',
          takesWords: false,
          isListed: false,
        },
      ]);
      const drawn = await storage.findPicture(next.id, `${PREFIX}${next.id}`);
      expect(drawn && Buffer.from(drawn).toString()).toBe('picture');
    });

    test('a code that is unknown, somebody else’s, replaced or retired cannot be changed in any way', async () => {
      const { storage, pat, sam, code, addCode, isThere } = await openScene();
      const dj = await addCode(pat, 'dj');
      await storage.replaceQrCode(pat.id, code, newCode(), picture);
      await storage.updateAccount(pat.id, { serviceCategories: ['bartender'] });
      const photo = newPhoto('photo');
      const expectRefused = async (outcome: string, id: QrCodeId, owner = pat) => {
        const all = async () => [
          await storage.listQrCodes(pat.id, ''),
          await storage.listEndedQrCodes(pat.id, null, 9),
        ];
        const before = await all();
        for (const refused of [
          await storage.updateQrCode(owner.id, id, { status: 'active', greeting: 'Hello' }),
          await storage.replaceQrCode(owner.id, id, newCode(), picture),
          await storage.setPhoto(owner.id, id, photo),
          await storage.setPhoto(owner.id, id, null),
        ])
          expect(refused).toEqual({ outcome });
        expect(await all()).toEqual(before);
        expect(await isThere(photo.name)).toBe(false);
      };
      await expectRefused('code_replaced', code);
      await expectRefused('code_retired', dj);
      await expectRefused('unknown_code', newQrCodeId(randomBytes));
      const [current] = await storage.listQrCodes(pat.id, '');
      for (const id of [code, dj, current?.id ?? code]) await expectRefused('unknown_code', id, sam);
    });

    test('ended codes are listed a page at a time, those made last first, and nobody else’s', async () => {
      const { storage, pat, sam, code, addCode } = await openScene();
      const dj = await addCode(pat, 'dj');
      const ended = [code];
      for (let time = 0; time < 4; time += 1) {
        const next = newCode();
        const last = ended.at(-1) ?? code;
        expect(await storage.replaceQrCode(pat.id, last, next, picture)).toMatchObject({
          outcome: 'replaced',
        });
        ended.push(next.id);
      }
      const current = ended.pop();
      await storage.updateAccount(pat.id, { serviceCategories: ['bartender'] });
      const newestFirst = [...ended.slice(1).reverse(), dj, code];
      const list = async (owner: typeof pat, before: QrCodeId | null, atMost: number) =>
        (await storage.listEndedQrCodes(owner.id, before, atMost)).map(({ id }) => id);
      expect(await list(pat, null, 9)).toEqual(newestFirst);
      expect(await list(pat, null, 2)).toEqual(newestFirst.slice(0, 2));
      expect(await list(pat, newestFirst[1] ?? code, 2)).toEqual(newestFirst.slice(2, 4));
      expect(await list(pat, code, 2)).toEqual([]);
      // Whatever is no code of the owner's is no place in their list.
      expect(await list(pat, newQrCodeId(randomBytes), 9)).toEqual([]);
      expect(await list(sam, newestFirst[0] ?? code, 9)).toEqual([]);
      expect((await storage.listQrCodes(pat.id, '')).map(({ id }) => id)).toEqual([current]);
    });

    test('of many replacements of one code at once, and codes made for its service, one takes its place', async () => {
      const { storage, pat, code } = await openScene();
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          if (index % 2 === 0) {
            const made = { ...newCode(), userId: pat.id, serviceCategory: 'bartender' as const };
            return storage.createQrCode(made, picture);
          }
          return (await storage.replaceQrCode(pat.id, code, newCode(), picture)).outcome;
        }),
      );
      expect(outcomes.sort()).toEqual([
        ...Array(3).fill('category_taken'),
        ...Array(2).fill('code_replaced'),
        'replaced',
      ]);
      const current = await storage.listQrCodes(pat.id, '');
      const ended = await storage.listEndedQrCodes(pat.id, null, 9);
      expect([current, ended].map((codes) => codes.map(({ status }) => status))).toEqual([
        ['active'],
        ['replaced'],
      ]);
    });

    test('a code that is replaced while its service is retired leaves no current one', async () => {
      const { storage, pat, code } = await openScene();
      await Promise.all([
        storage.replaceQrCode(pat.id, code, newCode(), picture),
        storage.updateAccount(pat.id, { serviceCategories: ['dj'] }),
        storage.replaceQrCode(pat.id, code, newCode(), picture),
      ]);
      expect(await storage.listQrCodes(pat.id, '')).toEqual([]);
      expect((await storage.listEndedQrCodes(pat.id, null, 9)).length).toBeGreaterThan(0);
      expect(await storage.hasQrCode(pat.id, 'bartender')).toBe(false);
    });

    test('a photo is there until it is replaced or taken off, or its code is retired', async () => {
      const { storage, pat, code, isThere } = await openScene();
      const [one, two] = [newPhoto('one'), newPhoto('two')];
      expect(await storage.findPhoto(one.name)).toBeNull();
      const set = await storage.setPhoto(pat.id, code, one);
      expect(set).toMatchObject({ outcome: 'updated', code: { id: code, photoName: one.name } });
      expect(hexOf([(await storage.findPhoto(one.name)) ?? bytes('none')])).toEqual(hexOf([one.jpeg]));
      await storage.setPhoto(pat.id, code, two);
      expect([await isThere(one.name), await isThere(two.name)]).toEqual([false, true]);
      expect(await storage.findQrCode(code)).toMatchObject({ photoName: two.name });
      for (let time = 0; time < 2; time += 1)
        expect(await storage.setPhoto(pat.id, code, null)).toMatchObject({ code: { photoName: null } });
      expect(await isThere(two.name)).toBe(false);
    });

    test('of many photos that are put on one page at once, one stays', async () => {
      const { storage, pat, code, isThere } = await openScene();
      const photos = Array.from({ length: 5 }, (_, index) => newPhoto(`${index}`));
      await Promise.all(photos.map((photo) => storage.setPhoto(pat.id, code, photo)));
      const there = [];
      for (const { name } of photos) if (await isThere(name)) there.push(name);
      expect(there).toEqual([(await storage.findQrCode(code))?.photoName]);
    });

    test('a photo that is empty or larger than 256 KiB is kept by no table', async () => {
      const { storage, pat, code } = await openScene();
      for (const length of [0, 256 * 1024 + 1]) {
        const photo = { name: newPhotoName(randomBytes), jpeg: new Uint8Array(length) };
        await expect(storage.setPhoto(pat.id, code, photo)).rejects.toThrow();
        expect(await storage.findQrCode(code)).toMatchObject({ photoName: null });
      }
    });

    test('whoever listens is told of the owner once a code or its owner has changed', async () => {
      const { storage, pat, code } = await openScene();
      const told: unknown[] = [];
      const end = storage.subscribe({ onEntries() {}, onCodes: (owners) => void told.push(owners) });
      for (const step of [
        () => storage.updateQrCode(pat.id, code, { greeting: 'Hello' }),
        () => storage.setPhoto(pat.id, code, newPhoto('photo')),
        () => storage.setPhoto(pat.id, code, null),
        () => storage.updateAccount(pat.id, { fullName: 'Pat New' }),
        () => storage.updateAccount(pat.id, { username: 'pat-new' }),
        () => storage.replaceQrCode(pat.id, code, newCode(), picture),
        () => storage.updateAccount(pat.id, { serviceCategories: ['dj'] }),
      ]) {
        told.length = 0;
        await step();
        expect(told).toContainEqual([pat.id]);
      }
      end();
    });
  });
}
