/**
 * What the storage port promises, in sentences that hold on every engine: they are told through the port alone. What only
 * an engine can show, such as what a failing statement leaves behind, is told in its own tests.
 */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DatabaseAddress, Notice } from '#server/storage/database.ts';
import { databaseAt } from '#server/storage/open.ts';
import { type AttemptCount, readSecrets, type Session, type Storage } from '#server/storage/storage.ts';
import { newQrCodeId, newTransactionId, newUserId, type UserId } from '#shared/ids.ts';
import { createPeople } from '#tests/support/people.ts';

const NOW = Date.UTC(2026, 4, 15, 12);
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
/** A quarter of an hour that nothing here happens after. */
const END_OF_TIME_MS = 10_000 * 365 * 96 * QUARTER_MS;
const PREFIX = 'https://tips.example.com/tip/';

const bytes = (text: string) => createHash('sha256').update(text).digest();
const hexOf = (all: readonly Uint8Array[]) => all.map((one) => Buffer.from(one).toString('hex')).sort();

/** Nothing that these tests do is worth telling an operator. */
const refuseNotices: Notice = (sentence, cause) => {
  throw new Error(sentence, { cause });
};

/**
 * @param createAddress answers where a new and empty database is to be.
 * @param isLasting whether the data can be opened again once it was closed.
 */
export function describeStorage(
  name: string,
  createAddress: () => DatabaseAddress | Promise<DatabaseAddress>,
  isLasting: boolean,
): void {
  /** A storage for the running test, at whose end its ledger must add up. */
  async function openStorage() {
    const database = databaseAt(await createAddress());
    let storage = await database.openForServer(refuseNotices);
    onTestFinished(async () => {
      await storage.close();
      if (isLasting) expect((await database.check(null)).problems).toEqual([]);
    });
    const { addAccount, addCode, setTheScene } = createPeople(storage);

    const newAccount = (username: string) => ({
      id: newUserId(randomBytes),
      email: `${username}@Example.com`,
      username,
      fullName: `Name of ${username}`,
      phone: null,
      isServiceProvider: false,
      serviceCategories: [],
      passwordHash: `hash of ${username}`,
      createdAtMs: NOW,
    });
    async function beginSession(
      userId: UserId,
      token: string,
      changes: Partial<Session> = {},
      maxCount = 50,
    ) {
      const session = {
        tokenHash: bytes(token),
        userId,
        createdAtMs: NOW,
        expiresAtMs: NOW + MINUTE_MS,
        device: '',
        ...changes,
      };
      expect(await storage.createSession(session, 'none', maxCount)).toBe('created');
      return session;
    }
    const tokensOf = async (userId: UserId, nowMs = NOW) =>
      (await storage.listSessions(userId, nowMs)).map(({ tokenHash }) =>
        Buffer.from(tokenHash).toString('hex'),
      );

    return {
      storage,
      addAccount,
      addCode,
      setTheScene,
      newAccount,
      beginSession,
      tokensOf,
      async reopen(): Promise<Storage> {
        await storage.close();
        storage = await database.openForServer(refuseNotices);
        return storage;
      },
    };
  }

  describe(`${name}: accounts`, () => {
    test('an account is found by its email in any case, exactly as it was created', async () => {
      const { storage, newAccount } = await openStorage();
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
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
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
      const { storage, addAccount, beginSession, tokensOf } = await openStorage();
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

  describe(`${name}: sessions`, () => {
    test('a session is found with its account until the millisecond in which it expires', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const account = await addAccount('pat', ['dj']);
      const { expiresAtMs, tokenHash } = await beginSession(account.id, 'token');
      expect(await storage.findSession(tokenHash, expiresAtMs - 1)).toEqual({ account, expiresAtMs });
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
        second,
        first,
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

    test('of many sessions, those are told that have ended, have expired or never were', async () => {
      const { storage, addAccount, beginSession } = await openStorage();
      const { id } = await addAccount('pat');
      for (const token of ['alive', 'also alive', 'ended']) await beginSession(id, token);
      await beginSession(id, 'expired', { expiresAtMs: NOW });
      await storage.endSession(bytes('ended'));
      const asked = ['alive', 'ended', 'also alive', 'expired', 'never'].map(bytes);
      expect(hexOf(await storage.findEndedSessions(asked, NOW))).toEqual(
        hexOf(['ended', 'expired', 'never'].map(bytes)),
      );
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
  });

  describe(`${name}: QR codes`, () => {
    const picture = (text: string) => ({ address: text, png: Buffer.from(text) });

    test('a code is found with the names of its owner, and a service that has one is known', async () => {
      const { storage, addAccount, addCode } = await openStorage();
      const pat = await addAccount('pat', ['bartender', 'dj']);
      const id = await addCode(pat, 'dj');
      expect(await storage.findQrCode(id)).toEqual({
        id,
        userId: pat.id,
        serviceCategory: 'dj',
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
      const [code] = await storage.listQrCodes(pat.id, PREFIX);
      expect(code?.picture && Buffer.from(code.picture).toString()).toBe('no picture');
    });
  });

  describe(`${name}: tips`, () => {
    test('a tip is answered as it is stored, every fact of it, with the names of its receiver', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const given = tip({ idempotencyKey: 'key', createdAtMs: NOW + 1 });
      const receiver = {
        receiverId: provider.id,
        receiverName: 'Name of pat',
        receiverUsername: 'pat',
      };
      const transaction = { ...given, ...receiver, status: 'completed' };
      expect(await storage.recordTip(given)).toEqual({ outcome: 'recorded', transaction });
      expect(await storage.recordTip(given)).toEqual({ outcome: 'repeated', transaction });
      for (const [id, kind] of [
        [provider.id, 'received'],
        [customer.id, 'given'],
      ] as const) {
        expect(await storage.findTransaction(id, given.id)).toEqual(transaction);
        expect(await storage.listTransactions(id, { before: null, limit: 9 })).toEqual([transaction]);
        expect(await storage.listEntriesSince(id, 0, 9)).toEqual([{ position: 1, kind, transaction }]);
      }
    });

    test('tips that are sent at once stand in both accounts in the order in which they were sent, from 1 and without a gap', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const tips = Array.from({ length: 300 }, () => tip());
      const outcomes = await Promise.all(tips.map((one) => storage.recordTip(one)));
      expect(outcomes).toMatchObject(tips.map(({ id }) => ({ outcome: 'recorded', transaction: { id } })));
      for (const { id: userId } of [provider, customer]) {
        const entries = await storage.listEntriesSince(userId, 0, 999);
        expect(entries.map(({ position, transaction }) => [position, transaction.id])).toEqual(
          tips.map(({ id }, index) => [index + 1, id]),
        );
      }
    });

    test('each tip moves the totals: the amount at the giver, the net amount at the receiver', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      await Promise.all([1_000, 2_000, 3_333].map((amountCents) => storage.recordTip(tip({ amountCents }))));
      const totals = [
        { totalTipsReceivedCents: 970 + 1_940 + 3_233, totalTipsGivenCents: 0 },
        { totalTipsReceivedCents: 0, totalTipsGivenCents: 6_333 },
      ];
      for (const [index, { id, email }] of [provider, customer].entries()) {
        expect((await storage.findCredentials(email))?.account).toMatchObject(totals[index] ?? {});
        expect(await storage.readTotals(id, 0, 0)).toMatchObject(totals[index] ?? {});
      }
    });

    test('one key of one giver is one tip, however often and however concurrently it is sent', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, customer } = await setTheScene();
      // Another id and another time each, as when a client tries again.
      const again = () => tip({ idempotencyKey: 'key', createdAtMs: Date.now() });
      const outcomes = await Promise.all(Array.from({ length: 9 }, () => storage.recordTip(again())));
      const [first, ...others] = await storage.listEntriesSince(customer.id, 0, 9);
      expect(others).toEqual([]);
      for (const outcome of [...outcomes, await storage.recordTip(again())])
        expect(outcome).toMatchObject({ transaction: first?.transaction });
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        'recorded',
        ...Array(8).fill('repeated'),
      ]);
    });

    test('a key is refused for a tip of another amount, code or service, also of a code that there is not', async () => {
      const { storage, setTheScene, addCode } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const other = await addCode(provider, 'barber');
      await storage.recordTip(tip({ idempotencyKey: 'key' }));
      for (const change of [
        { amountCents: 2_001 },
        { serviceCategory: 'barber' as const },
        { qrCodeId: other, serviceCategory: 'barber' as const },
        { qrCodeId: newQrCodeId(randomBytes) },
      ])
        expect(await storage.recordTip(tip({ idempotencyKey: 'key', ...change }))).toEqual({
          outcome: 'key_reused',
        });
      expect(await storage.findNewestEntry(customer.id)).toMatchObject({ position: 1 });
    });

    test('a key means nothing for another giver or in another case, and no key is no key', async () => {
      const { storage, setTheScene, addAccount } = await openStorage();
      const { tip, provider } = await setTheScene();
      const sam = await addAccount('sam');
      const tips = [
        tip({ idempotencyKey: 'key' }),
        tip({ idempotencyKey: 'key', giverId: sam.id }),
        tip({ idempotencyKey: 'KEY' }),
        tip(),
        tip(),
      ];
      for (const one of tips) expect(await storage.recordTip(one)).toMatchObject({ outcome: 'recorded' });
      expect(await storage.findNewestEntry(provider.id)).toMatchObject({ position: 5 });
    });

    test('a tip for no code, to oneself or for another service is refused without a trace, and its key stays free', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const refused = async (changes: Parameters<typeof tip>[0]) =>
        (await storage.recordTip(tip({ idempotencyKey: 'key', ...changes }))).outcome;
      expect(await refused({ qrCodeId: newQrCodeId(randomBytes) })).toBe('unknown_code');
      expect(await refused({ giverId: provider.id })).toBe('own_code');
      expect(await refused({ serviceCategory: 'barber' })).toBe('category_mismatch');
      for (const { id } of [provider, customer]) {
        expect(await storage.listEntriesSince(id, 0, 9)).toEqual([]);
        expect(await storage.findNewestEntry(id)).toBeNull();
        expect(await storage.readTotals(id, 0, END_OF_TIME_MS)).toEqual({
          totalTipsReceivedCents: 0,
          totalTipsGivenCents: 0,
          receivedCount: 0,
          receivedCents: 0,
        });
      }
      expect(await refused({})).toBe('recorded');
    });

    test('a tip that breaks a rule of the tables is rejected alone, whatever was sent along with it', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, customer } = await setTheScene();
      const settled = await Promise.allSettled(
        [
          tip(),
          tip({ amountCents: 999 }),
          tip({ amountCents: 1_000_001 }),
          tip({ netAmountCents: tip().amountCents }),
          tip(),
        ].map((one) => storage.recordTip(one)),
      );
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
        'fulfilled',
      ]);
      const entries = await storage.listEntriesSince(customer.id, 0, 9);
      expect(entries.map(({ position }) => position)).toEqual([1, 2]);
      expect(await storage.readTotals(customer.id, 0, 0)).toMatchObject({ totalTipsGivenCents: 4_000 });
    });
  });

  describe(`${name}: reversals`, () => {
    test('a reversal takes back what its tip did to both accounts, and is an entry of each', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const [kept, reversed] = [tip({ amountCents: 1_000 }), tip({ amountCents: 2_000 })];
      for (const one of [kept, reversed]) await storage.recordTip(one);
      const outcome = await storage.reverseTip(reversed.id, NOW + 5);
      expect(outcome).toMatchObject({
        outcome: 'reversed',
        transaction: { id: reversed.id, status: 'refunded' },
      });
      const sums = { totalTipsReceivedCents: 970, receivedCount: 1, receivedCents: 970 };
      expect(await storage.readTotals(provider.id, 0, END_OF_TIME_MS)).toMatchObject(sums);
      expect(await storage.readTotals(customer.id, 0, 0)).toMatchObject({ totalTipsGivenCents: 1_000 });
      for (const [id, did] of [
        [provider.id, 'received'],
        [customer.id, 'given'],
      ] as const) {
        const entries = await storage.listEntriesSince(id, 0, 9);
        expect(
          entries.map(({ position, kind, transaction }) => [
            position,
            kind,
            transaction.id,
            transaction.status,
          ]),
        ).toEqual([
          [1, did, kept.id, 'completed'],
          [2, did, reversed.id, 'refunded'],
          [3, `${did}_reversed`, reversed.id, 'refunded'],
        ]);
      }
    });

    test('a tip is reversed once, however often and however concurrently it is asked for', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider } = await setTheScene();
      const given = tip();
      await storage.recordTip(given);
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => storage.reverseTip(given.id, NOW + 5)),
      );
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        'reversed',
        ...Array(4).fill('reversed_before'),
      ]);
      const transaction = await storage.findTransaction(provider.id, given.id);
      expect(transaction?.status).toBe('refunded');
      for (const outcome of outcomes) expect(outcome).toMatchObject({ transaction });
      expect(await storage.findNewestEntry(provider.id)).toMatchObject({ position: 2 });
      expect(await storage.readTotals(provider.id, 0, 0)).toMatchObject({ totalTipsReceivedCents: 0 });
    });

    test('a transaction that there is not cannot be reversed', async () => {
      const { storage } = await openStorage();
      const outcome = await storage.reverseTip(newTransactionId(randomBytes), NOW);
      expect(outcome).toEqual({ outcome: 'unknown_transaction' });
    });

    test('a history lists a reversed tip once, as refunded, and its key still gives the same tip', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider } = await setTheScene();
      const [first, second] = [tip({ idempotencyKey: 'key' }), tip()];
      for (const one of [first, second]) await storage.recordTip(one);
      await storage.reverseTip(first.id, NOW + 5);
      const listed = await storage.listTransactions(provider.id, { before: null, limit: 9 });
      expect(listed?.map(({ id, status }) => [id, status])).toEqual([
        [second.id, 'completed'],
        [first.id, 'refunded'],
      ]);
      const page = await storage.listTransactions(provider.id, { before: second.id, limit: 9 });
      expect(page?.map(({ id }) => id)).toEqual([first.id]);
      expect(await storage.recordTip(tip({ idempotencyKey: 'key' }))).toMatchObject({
        outcome: 'repeated',
        transaction: { id: first.id, status: 'refunded' },
      });
    });

    test('a reversal takes back the bucket of the time of the tip, also on a later day', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider } = await setTheScene();
      const given = tip({ createdAtMs: NOW + 1 });
      await storage.recordTip(given);
      await storage.recordTip(tip({ createdAtMs: NOW + 96 * QUARTER_MS }));
      await storage.reverseTip(given.id, NOW + 96 * QUARTER_MS + 1);
      const counted = async (fromMs: number) =>
        (await storage.readTotals(provider.id, fromMs, fromMs + QUARTER_MS)).receivedCount;
      expect(await counted(NOW)).toBe(0);
      expect(await counted(NOW + 96 * QUARTER_MS)).toBe(1);
    });
  });

  describe(`${name}: changes`, () => {
    test('a listener is told of both accounts once their entries can be read, and of nothing after it has ended', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip, provider, customer } = await setTheScene();
      const told: Promise<unknown>[] = [];
      const end = storage.subscribe({
        onEntries(accounts) {
          if (accounts === 'any') throw new Error('the accounts were not named');
          told.push(
            Promise.all(accounts.map(async (id) => [id, (await storage.findNewestEntry(id))?.position])),
          );
        },
        onCodes() {},
      });
      const given = tip();
      await storage.recordTip(given);
      await storage.reverseTip(given.id, NOW);
      const people = [provider.id, customer.id].sort();
      const seen = (await Promise.all(told)) as [UserId, number][][];
      expect(new Set(seen.flat().map(([id]) => id))).toEqual(new Set(people));
      for (const id of people) expect(seen.flat()).toContainEqual([id, 2]);
      end();
      await storage.recordTip(tip());
      expect(told).toHaveLength(seen.length);
    });
  });

  describe(`${name}: checking what is recent`, () => {
    test('a reversal that is followed by another tip is found to be whole', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip } = await setTheScene();
      const reversed = tip();
      await storage.recordTip(reversed);
      await storage.reverseTip(reversed.id, NOW);
      await storage.recordTip(tip());
      for (const isDone of [false, true]) {
        expect(await storage.checkRecent()).toEqual({ problems: [], isDone });
      }
    });

    test('windows check tips and reversals to their end, and a second check begins where the first ended', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip } = await setTheScene();
      const checkToTheEnd = async () => {
        for (let steps = 1; ; steps += 1) {
          const { problems, isDone } = await storage.checkRecent();
          expect(problems).toEqual([]);
          if (isDone) return steps;
        }
      };
      const tips = Array.from({ length: 450 }, (_, index) => tip({ createdAtMs: NOW + index * MINUTE_MS }));
      await Promise.all(tips.slice(0, 410).map((one) => storage.recordTip(one)));
      await Promise.all(tips.slice(0, 210).map(({ id }) => storage.reverseTip(id, NOW + QUARTER_MS)));
      // 410 tips are three windows, and 210 reversals two.
      expect(await checkToTheEnd()).toBeGreaterThanOrEqual(5);
      await Promise.all(tips.slice(410).map((one) => storage.recordTip(one)));
      await Promise.all(tips.slice(300, 320).map(({ id }) => storage.reverseTip(id, NOW + QUARTER_MS)));
      expect(await checkToTheEnd()).toBeLessThanOrEqual(3);
      expect(await checkToTheEnd()).toBe(1);
    });
  });

  describe(`${name}: histories`, () => {
    /** Pat received the first, third and fifth tip and gave the fourth; the second is none of theirs. */
    async function createHistory() {
      const opened = await openStorage();
      const { storage, setTheScene, addAccount, addCode } = opened;
      const { tip, provider: pat, customer: cam } = await setTheScene();
      const sam = await addAccount('sam', ['dj']);
      const toSam = { qrCodeId: await addCode(sam, 'dj'), serviceCategory: 'dj' } as const;
      const tips = [{}, toSam, {}, { ...toSam, giverId: pat.id }, {}].map((changes, index) =>
        // Times that run backwards: the order is that of the ledger.
        tip({ ...changes, amountCents: 2_000 + index, createdAtMs: NOW - index * QUARTER_MS }),
      );
      for (const one of tips) expect(await storage.recordTip(one)).toMatchObject({ outcome: 'recorded' });
      const idAt = (place: number) => tips[place - 1]?.id ?? newTransactionId(randomBytes);
      /** In which place transactions were recorded, from 1. */
      const placesOf = (all: readonly { readonly id: string }[] | null) =>
        all?.map(({ id }) => tips.findIndex((one) => one.id === id) + 1);
      return { storage, pat, cam, sam, idAt, placesOf };
    }

    test('a history is what somebody sent and received, newest first, in pages that begin before a tip of theirs', async () => {
      const { storage, pat, idAt, placesOf } = await createHistory();
      const page = async (before: number | null, limit: number) =>
        placesOf(
          await storage.listTransactions(pat.id, { before: before === null ? null : idAt(before), limit }),
        );
      expect(await page(null, 9)).toEqual([5, 4, 3, 1]);
      expect(await page(null, 2)).toEqual([5, 4]);
      expect(await page(4, 2)).toEqual([3, 1]);
      expect(await page(1, 2)).toEqual([]);
    });

    test('a page does not begin before somebody else’s tip, or before none', async () => {
      const { storage, pat, idAt } = await createHistory();
      const unknown = newTransactionId(randomBytes);
      for (const before of [idAt(2), unknown])
        expect(await storage.listTransactions(pat.id, { before, limit: 9 })).toBeNull();
    });

    test('a transaction is found by its id for its two people, and does not exist for anybody else', async () => {
      const { storage, pat, cam, sam, idAt, placesOf } = await createHistory();
      const find = async (place: number) => {
        const found = await Promise.all(
          [pat, cam, sam].map(({ id }) => storage.findTransaction(id, idAt(place))),
        );
        return found.map((one) => one && [placesOf([one])?.[0], one.receiverName]);
      };
      expect(await find(1)).toEqual([[1, 'Name of pat'], [1, 'Name of pat'], null]);
      expect(await find(2)).toEqual([null, [2, 'Name of sam'], [2, 'Name of sam']]);
      expect(await find(4)).toEqual([[4, 'Name of sam'], null, [4, 'Name of sam']]);
      expect(await storage.findTransaction(pat.id, newTransactionId(randomBytes))).toBeNull();
    });

    test('a list names the receiver of each transaction', async () => {
      const { storage, pat } = await createHistory();
      const names = (await storage.listTransactions(pat.id, { before: null, limit: 9 }))?.map(
        ({ receiverName, receiverUsername }) => [receiverName, receiverUsername],
      );
      const [toPat, toSam] = [
        ['Name of pat', 'pat'],
        ['Name of sam', 'sam'],
      ];
      expect(names).toEqual([toPat, toSam, toPat, toPat]);
    });

    test('what came after a position is listed oldest first, up to a bound', async () => {
      const { storage, pat, placesOf } = await createHistory();
      const since = async (position: number, limit: number) => {
        const entries = await storage.listEntriesSince(pat.id, position, limit);
        return [entries.map((entry) => entry.position), placesOf(entries.map((entry) => entry.transaction))];
      };
      expect(await since(0, 9)).toEqual([
        [1, 2, 3, 4],
        [1, 3, 4, 5],
      ]);
      expect(await since(1, 2)).toEqual([
        [2, 3],
        [3, 4],
      ]);
      expect(await since(4, 9)).toEqual([[], []]);
    });

    test('an entry stands where it was listed, for its two people only, and the newest is the last of them', async () => {
      const { storage, pat, cam, sam, idAt } = await createHistory();
      const tipAt = (place: number) => ({ transactionId: idAt(place), isReversal: false });
      const positions = async (place: number) =>
        Promise.all([pat, cam, sam].map(({ id }) => storage.findEntryPosition(id, tipAt(place))));
      expect(await positions(3)).toEqual([2, 3, null]);
      expect(await positions(4)).toEqual([3, null, 2]);
      const reversalOfThird = { transactionId: idAt(3), isReversal: true };
      expect(await storage.findEntryPosition(pat.id, reversalOfThird)).toBeNull();
      expect(await storage.findNewestEntry(pat.id)).toEqual({ ...tipAt(5), position: 4 });
      await storage.reverseTip(idAt(3), NOW);
      expect(await storage.findEntryPosition(pat.id, reversalOfThird)).toBe(5);
      expect(await storage.findEntryPosition(sam.id, reversalOfThird)).toBeNull();
      expect(await storage.findNewestEntry(pat.id)).toEqual({ ...reversalOfThird, position: 5 });
      expect(await storage.findEntryPosition(pat.id, tipAt(99))).toBeNull();
    });

    test('received tips are counted and their net amounts added up from one quarter of an hour up to another, which is left out', async () => {
      const { storage, pat, cam } = await createHistory();
      const received = async (userId: UserId, from: number, until: number) => {
        const { receivedCount, receivedCents } = await storage.readTotals(
          userId,
          NOW + from * QUARTER_MS,
          NOW + until * QUARTER_MS,
        );
        return [receivedCount, receivedCents];
      };
      // The tips to Pat in this quarter, two and four quarters before are of 20.00, 20.02 and 20.04 dollars.
      expect(await received(pat.id, -4, 1)).toEqual([3, 1_940 + 1_942 + 1_944]);
      expect(await received(pat.id, -4, 0)).toEqual([2, 1_942 + 1_944]);
      expect(await received(pat.id, -3, 0)).toEqual([1, 1_942]);
      expect(await received(cam.id, -9, 1)).toEqual([0, 0]);
    });
  });

  describe(`${name}: attempts`, () => {
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

  describe(`${name}: the installation`, () => {
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

    test('proving that tips could be recorded leaves nothing behind', async () => {
      const { storage } = await openStorage();
      for (let time = 0; time < 3; time += 1) await storage.proveWritable();
      expect(await storage.forgetEndedAttempts(Number.MAX_SAFE_INTEGER, 9)).toBe(0);
    });

    test('what was accepted before closing is done, and nothing afterwards', async () => {
      const { storage, setTheScene } = await openStorage();
      const { tip } = await setTheScene();
      const accepted = [storage.recordTip(tip()), storage.recordTip(tip())];
      const closed = storage.close();
      await expect(storage.recordTip(tip())).rejects.toMatchObject({ name: 'StorageUnavailable' });
      await closed;
      expect(await Promise.all(accepted)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }]);
    });

    test.runIf(isLasting)('all of it is there after closing and opening again', async () => {
      const { storage, setTheScene, beginSession, reopen } = await openStorage();
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
