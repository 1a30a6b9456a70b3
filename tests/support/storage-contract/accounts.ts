import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPhotoName, newQrCodeId } from '#shared/ids.ts';
import { bytes, hexOf, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

export function describeAccounts(): void {
  describe('accounts', () => {
    test('an account is found by its email in any case, exactly as it was created', async () => {
      const { storage, newAccount } = await openStorage();
      const { passwordHash, ...person } = {
        ...newAccount('pat'),
        createdAtMs: NOW,
        phone: '+1 555 0100',
        isServiceProvider: true,
        serviceCategories: ['dj', 'bartender'] as const,
        acceptedTerms: { version: 'a'.repeat(64), atMs: 1_800_000_000_000 },
      };
      expect(await storage.createAccount({ ...person, passwordHash })).toBe('created');
      const found = await storage.findCredentials('PAT@eXAMPLE.COM');
      expect(found).toEqual({
        account: {
          ...person,
          // In the order of the product, whichever they were given in.
          serviceCategories: ['bartender', 'dj'],
          totalTipsReceivedCents: 0,
          totalTipsGivenCents: 0,
          dayStartHour: null,
          mustChangePassword: false,
          suspension: null,
        },
        passwordHash,
        passwordExpiresAtMs: null,
        closesAtMs: null,
      });
      expect(await storage.findCredentials('sam@example.com')).toBeNull();
    });

    test('an email that differs in case alone is taken, so is a username, and nothing is left of the refused', async () => {
      const { storage, newAccount } = await openStorage();
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
      const { storage, newAccount } = await openStorage();
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          storage.createAccount({ ...newAccount(`pat${index}`), email: 'pat@example.com' }),
        ),
      );
      expect(outcomes.sort()).toEqual(['created', ...Array(4).fill('email_taken')]);
    });

    test('a password hash is replaced only while it is the one that was read', async () => {
      const { storage, addAccount } = await openStorage();
      const { id, email } = await addAccount('pat');
      await storage.replacePasswordHash(id, 'another', 'wrong');
      expect((await storage.findCredentials(email))?.passwordHash).toBe('none');
      await storage.replacePasswordHash(id, 'none', 'next');
      expect((await storage.findCredentials(email))?.passwordHash).toBe('next');
    });

    test('changing a password ends all other sessions of the account, and the kept one goes on under its new token', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const { id, email } = await addAccount('pat');
      const other = await addAccount('sam');
      for (const token of ['kept', 'second', 'third']) await beginSession(id, token);
      await beginSession(other.id, 'of sam');
      const kept = {
        tokenHash: bytes('kept'),
        nextTokenHash: bytes('renewed'),
        expiresAtMs: NOW + 5 * MINUTE_MS,
        confirmedAtMs: NOW + 2,
      };
      const next = { passwordHash: 'next', expiresAtMs: null, changedAtMs: NOW };
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

    test('changing a password ends the device marks of the account, also those of the same millisecond', async () => {
      const { storage, addAccount } = await openStorage();
      const { id, email } = await addAccount('pat');
      await addAccount('sam');
      const change = (present: string, passwordHash: string, changedAtMs: number) =>
        storage.changePassword(id, present, { passwordHash, expiresAtMs: null, changedAtMs }, null);
      const marksFrom = () => storage.mails.marksFrom(email);
      const marks = [await marksFrom()];
      const ofOthers = await storage.mails.marksFrom('sam@example.com');
      expect(await change('none', 'next', NOW + 5)).toBe('changed');
      expect(await change('none', 'stale', NOW + 9)).toBe('stale');
      marks.push(await marksFrom());
      expect(await change('next', 'same', NOW + 5)).toBe('changed');
      marks.push(await marksFrom());
      // The clock was turned back.
      expect(await change('same', 'back', NOW - 9)).toBe('changed');
      marks.push(await marksFrom());
      expect(marks.toSorted((one, other) => one - other)).toEqual(marks);
      expect(new Set(marks).size).toBe(4);
      expect(marks[1]).toBe(NOW + 5);
      expect(await storage.mails.marksFrom('sam@example.com')).toBe(ofOthers);
    });

    test('a password that expires must be changed, and all sessions end when none is kept', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const { id, email } = await addAccount('pat');
      await beginSession(id, 'token');
      const next = { passwordHash: 'next', expiresAtMs: NOW + MINUTE_MS, changedAtMs: NOW };
      expect(await storage.changePassword(id, 'none', next, null)).toBe('changed');
      expect(await storage.findCredentials(email)).toMatchObject({
        account: { mustChangePassword: true },
        passwordExpiresAtMs: NOW + MINUTE_MS,
      });
      expect(await tokensOf(id)).toEqual([]);
    });

    test('nothing changes when the password was changed meanwhile, or the session to be kept is gone or another account’s', async () => {
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
      const { id, email } = await addAccount('pat');
      const other = await addAccount('sam');
      await beginSession(id, 'token');
      await beginSession(other.id, 'of sam');
      const next = { passwordHash: 'next', expiresAtMs: NOW, changedAtMs: NOW };
      const keep = (token: string) => ({
        tokenHash: bytes(token),
        nextTokenHash: bytes('renewed'),
        expiresAtMs: NOW + MINUTE_MS,
        confirmedAtMs: NOW,
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

    test('what a change names is changed, and the rest stays', async () => {
      const { storage, newAccount } = await openStorage();
      const account = { ...newAccount('pat'), phone: '+1 555 0100' };
      await storage.createAccount(account);
      const { passwordHash, ...person } = account;
      const present = {
        ...person,
        totalTipsReceivedCents: 0,
        totalTipsGivenCents: 0,
        dayStartHour: null,
        acceptedTerms: null,
        mustChangePassword: false,
        suspension: null,
      };
      const changes = [
        [{}, {}],
        [{ fullName: 'Pat New' }, { fullName: 'Pat New' }],
        [{ phone: null }, { phone: null }],
        [{ username: 'pat-new' }, { username: 'pat-new' }],
        [{ email: { email: 'New@Example.com', passwordHash } }, { email: 'New@Example.com' }],
        [
          { serviceCategories: ['dj', 'bartender'] },
          { serviceCategories: ['bartender', 'dj'], isServiceProvider: true },
        ],
        [{ serviceCategories: ['dj'] }, { serviceCategories: ['dj'] }],
        [{ dayStartHour: 5 }, { dayStartHour: 5 }],
        [{ dayStartHour: 0 }, { dayStartHour: 0 }],
        [{ dayStartHour: 23 }, { dayStartHour: 23 }],
        [{ dayStartHour: null }, { dayStartHour: null }],
        [{ dayStartHour: 4 }, { dayStartHour: 4 }],
      ] as const;
      let expected: object = present;
      for (const [change, outcome] of changes) {
        expected = { ...expected, ...outcome };
        expect(await storage.updateAccount(account.id, change)).toEqual({
          outcome: 'updated',
          account: expected,
        });
      }
      expect((await storage.findCredentials('new@example.com'))?.account).toEqual(expected);
      expect(await storage.findCredentials('pat@example.com')).toBeNull();
    });

    test('an email changes only while the password is the one that was verified, and nothing else of the change is done', async () => {
      const { storage, addAccount } = await openStorage();
      const { id, email } = await addAccount('pat');
      const change = { email: { email: 'new@example.com', passwordHash: 'another' }, fullName: 'Pat New' };
      expect(await storage.updateAccount(id, change)).toEqual({ outcome: 'stale' });
      expect((await storage.findCredentials(email))?.account.fullName).toBe('Name of pat');
    });

    test('an email or a username of somebody else is refused in any case, and nothing of the change is done', async () => {
      const { storage, addAccount } = await openStorage();
      const pat = await addAccount('pat');
      const sam = await addAccount('sam');
      const takingEmail = { email: 'PAT@example.com', passwordHash: 'none' };
      expect(await storage.updateAccount(sam.id, { email: takingEmail, fullName: 'Sam New' })).toEqual({
        outcome: 'email_taken',
      });
      expect(await storage.updateAccount(sam.id, { username: 'pat', fullName: 'Sam New' })).toEqual({
        outcome: 'username_taken',
      });
      expect((await storage.findCredentials(sam.email))?.account).toEqual(sam);
      // One's own is nobody else's, in whichever case.
      const own = { email: 'PAT@example.com', passwordHash: 'none' };
      expect(await storage.updateAccount(pat.id, { email: own, username: 'pat' })).toMatchObject({
        outcome: 'updated',
        account: { email: 'PAT@example.com', username: 'pat' },
      });
    });

    test('a username that was given up is its owner’s for good, who can take it back; an email is anybody’s', async () => {
      const { storage, addAccount, newAccount } = await openStorage();
      const pat = await addAccount('pat');
      const sam = await addAccount('sam');
      const next = { username: 'pat-2', email: { email: 'pat-2@example.com', passwordHash: 'none' } };
      await storage.updateAccount(pat.id, next);
      expect(await storage.createAccount({ ...newAccount('pat'), email: 'other@example.com' })).toBe(
        'username_taken',
      );
      expect(await storage.updateAccount(sam.id, { username: 'pat' })).toEqual({ outcome: 'username_taken' });
      expect(await storage.updateAccount(pat.id, { username: 'pat-3' })).toMatchObject({
        outcome: 'updated',
      });
      expect(await storage.updateAccount(sam.id, { username: 'pat-2' })).toEqual({
        outcome: 'username_taken',
      });
      for (const username of ['pat', 'pat-2', 'pat'])
        expect(await storage.updateAccount(pat.id, { username })).toMatchObject({ outcome: 'updated' });
      expect(
        await storage.createAccount({ ...newAccount('kim'), username: 'kim', email: 'pat@example.com' }),
      ).toBe('created');
    });

    test('of many accounts that take one username at once, or one email, one gets it', async () => {
      const { storage, addAccount, newAccount } = await openStorage();
      const people = [];
      for (const name of ['ann', 'ben', 'cat', 'dan', 'eve']) people.push(await addAccount(name));
      const names = await Promise.all([
        ...people.map(async ({ id }) => (await storage.updateAccount(id, { username: 'wanted' })).outcome),
        storage.createAccount({ ...newAccount('wanted'), email: 'new@example.com' }),
      ]);
      expect(names.filter((outcome) => outcome !== 'username_taken')).toHaveLength(1);
      const email = { email: 'wanted@example.com', passwordHash: 'none' };
      const emails = await Promise.all([
        ...people.map(async ({ id }) => (await storage.updateAccount(id, { email })).outcome),
        storage.createAccount({ ...newAccount('fay'), email: 'Wanted@example.com' }),
      ]);
      expect(emails.filter((outcome) => outcome !== 'email_taken')).toHaveLength(1);
    });

    test('two accounts that exchange their usernames at once are both refused', async () => {
      const { storage, addAccount } = await openStorage();
      const pat = await addAccount('pat');
      const sam = await addAccount('sam');
      const outcomes = await Promise.all([
        storage.updateAccount(pat.id, { username: 'sam' }),
        storage.updateAccount(sam.id, { username: 'pat' }),
      ]);
      expect(outcomes).toEqual([{ outcome: 'username_taken' }, { outcome: 'username_taken' }]);
    });

    test('a service that is no longer offered is retired with its code and photo, and has another code when it is offered again', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['bartender', 'dj']);
      const [bar, dj] = [await addCode(pat, 'bartender'), await addCode(pat, 'dj')];
      const name = newPhotoName(randomBytes);
      await storage.setPhoto(pat.id, dj, { name, jpeg: bytes('photo') });
      await storage.updateAccount(pat.id, { serviceCategories: ['bartender'] });
      expect(await storage.findQrCode(dj)).toMatchObject({ status: 'retired', photoName: null });
      expect(await storage.findQrCode(bar)).toMatchObject({ status: 'active' });
      expect(await storage.findPhoto(name)).toBeNull();
      expect(await storage.hasQrCode(pat.id, 'dj')).toBe(false);
      const picture = { address: 'x', png: Buffer.from('x') };
      const next = {
        id: newQrCodeId(randomBytes),
        userId: pat.id,
        serviceCategory: 'dj' as const,
        createdAtMs: NOW,
      };
      expect(await storage.createQrCode(next, picture)).toBe('category_not_offered');
      await storage.updateAccount(pat.id, { serviceCategories: ['bartender', 'dj'] });
      expect(await storage.findQrCode(dj)).toMatchObject({ status: 'retired' });
      expect(await storage.createQrCode({ ...next, id: dj }, picture)).toBe('id_taken');
      expect(await storage.createQrCode(next, picture)).toBe('created');
      expect((await storage.listQrCodes(pat.id, '')).map(({ id, status }) => [id, status])).toEqual([
        [bar, 'active'],
        [next.id, 'active'],
      ]);
      expect(await storage.listEndedQrCodes(pat.id, null, 9)).toMatchObject([{ id: dj, status: 'retired' }]);
    });
  });
}
