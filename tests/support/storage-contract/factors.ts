/** Second factors: how many a holder has, whose they are, and what ends them. What counts once: factors.test.ts. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Challenge, Holder, PasskeyRecord } from '#server/storage/port/factors.ts';
import { newMailId, newPasskeyId } from '#shared/ids.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const operator: Holder = { kind: 'operator', id: 'opr_1' };
const accountOf = ({ id }: { readonly id: string }): Holder => ({ kind: 'account', id });

function newPasskey(holder: Holder, text: string): PasskeyRecord {
  return {
    id: newPasskeyId(randomBytes),
    holderKind: holder.kind,
    holderId: holder.id,
    credentialId: `credential-${text}`,
    publicKey: bytes(text),
    counter: 0,
    transports: ['internal', 'hybrid'],
    rpId: 'tips.example.com',
    name: `Name of ${text}`,
    createdAtMs: NOW,
    lastUsedAtMs: null,
  };
}

const first = { recoveryHashes: [bytes('first'), bytes('second')], nowMs: NOW };
const mail = () =>
  ({ id: newMailId(randomBytes), kind: 'password_changed', content: '{}', createdAtMs: NOW }) as const;
const NOTHING = { passkeys: [], hasTotp: false, recoveryCodesLeft: 0 };

export function describeFactors(): void {
  describe('second factors', () => {
    test('belong to one holder, and are found by the credential of a passkey', async () => {
      const { storage, addAccount } = await openStorage();
      const { factors } = storage;
      const holder = accountOf(await addAccount('pat'));
      const [own, its] = [newPasskey(holder, 'own'), newPasskey(operator, 'its')];
      expect(await factors.addPasskey(own, 9, first)).toBe('added_first');
      expect(await factors.addPasskey({ ...own, id: its.id }, 9, first)).toBe('known');
      expect(await factors.addPasskey(its, 9, first)).toBe('added_first');
      expect(await factors.summary(holder)).toEqual({
        passkeys: [own],
        hasTotp: false,
        recoveryCodesLeft: 2,
      });
      expect(await factors.summary(operator)).toMatchObject({ passkeys: [its] });
      expect(await factors.summary({ kind: 'operator', id: holder.id })).toEqual(NOTHING);
      expect(await factors.findPasskey('account', own.credentialId)).toEqual(own);
      expect(await factors.findPasskey('operator', own.credentialId)).toBeNull();
      expect(await factors.countPasskeysElsewhere('tips.example.com')).toBe(0);
      expect(await factors.countPasskeysElsewhere('example.com')).toBe(2);
    });

    test.each([
      ['account', async (add: () => Promise<{ id: string }>) => accountOf(await add())],
      ['operator', async () => operator],
    ] as const)('of twenty passkeys added at once, an %s gets as many as it may have', async (_, make) => {
      const { storage, addAccount } = await openStorage();
      const holder = await make(() => addAccount('pat'));
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          storage.factors.addPasskey(newPasskey(holder, String(index)), 7, first),
        ),
      );
      const count = (asked: string) => outcomes.filter((outcome) => outcome === asked).length;
      expect([count('added_first'), count('added'), count('full')]).toEqual([1, 6, 13]);
      expect((await storage.factors.summary(holder)).passkeys).toHaveLength(7);
    });

    test('a passkey is used with a count that grows, or that stays at none', async () => {
      const { storage } = await openStorage();
      const { factors } = storage;
      const passkey = newPasskey(operator, 'one');
      await factors.addPasskey(passkey, 9, first);
      const counts: [counter: number, isTaken: boolean][] = [
        [0, true],
        [0, true],
        [5, true],
        [5, false],
        [4, false],
        [0, false],
        [6, true],
      ];
      for (const [index, [counter, isTaken]] of counts.entries())
        expect(await factors.notePasskeyUse(passkey.id, counter, NOW + index)).toBe(isTaken);
      expect(await factors.findPasskey('operator', passkey.credentialId)).toMatchObject({
        counter: 6,
        lastUsedAtMs: NOW + 6,
      });
      expect(await factors.notePasskeyUse(newPasskeyId(randomBytes), 9, NOW)).toBe(false);
    });

    test('are removed one by one or all, with the recovery codes when none is left', async () => {
      const { storage } = await openStorage();
      const { factors } = storage;
      const passkey = newPasskey(operator, 'one');
      const secret = bytes('secret');
      expect(await factors.renewRecoveryCodes(operator, first.recoveryHashes)).toBe('unknown');
      await factors.addPasskey(passkey, 9, first);
      await factors.beginTotp(operator, secret, NOW);
      expect(await factors.confirmTotp(operator, bytes('another'), 7, first)).toBe('stale');
      expect(await factors.confirmTotp(operator, secret, 7, first)).toBe('added');
      expect(await factors.findTotp(operator)).toMatchObject({ secret, waiting: null, lastStep: 7 });
      expect(await factors.spendTotpStep(operator, 7)).toBe(false);
      expect(await factors.spendTotpStep(operator, 8)).toBe(true);
      expect(await factors.spendRecoveryCode(operator, bytes('first'))).toBe(true);
      expect(await factors.spendRecoveryCode(operator, bytes('first'))).toBe(false);
      expect(await factors.removePasskey(operator, passkey.id)).toBe('removed');
      expect(await factors.summary(operator)).toEqual({ ...NOTHING, hasTotp: true, recoveryCodesLeft: 1 });
      expect(await factors.removeTotp(operator)).toBe('removed');
      expect(await factors.removeTotp(operator)).toBe('unknown');
      expect(await factors.summary(operator)).toEqual(NOTHING);

      await factors.addPasskey(passkey, 9, first);
      expect(await factors.hasAny(operator)).toBe(true);
      const actor = { kind: 'operator', name: 'ops@example.com', host: '192.0.2.1' } as const;
      const act = { actor, action: 'sessions_ended', subject: operator.id, reason: null, atMs: NOW } as const;
      expect(await factors.removeAll(operator, undefined, act)).toBe(true);
      expect(await factors.removeAll(operator, undefined, act)).toBe(false);
      expect(await factors.hasAny(operator)).toBe(false);
      expect(await storage.audit.listAbout(operator.id, 9)).toHaveLength(1);
    });

    test('end the device marks of an account with the first of them, and with no other', async () => {
      const { storage, addAccount } = await openStorage();
      const { factors, mails } = storage;
      const { id, email } = await addAccount('pat');
      const holder = accountOf({ id });
      const at = (nowMs: number) => ({ recoveryHashes: first.recoveryHashes, nowMs });
      await factors.beginTotp(holder, bytes('secret'), NOW);
      expect(await mails.marksFrom(email)).toBeLessThan(NOW + 1);
      expect(await factors.confirmTotp(holder, bytes('secret'), 7, at(NOW + 1))).toBe('added_first');
      expect(await mails.marksFrom(email)).toBe(NOW + 1);
      expect(await factors.addPasskey(newPasskey(holder, 'one'), 9, at(NOW + 9))).toBe('added');
      expect(await mails.marksFrom(email)).toBe(NOW + 1);
      await factors.removeAll(holder);
      expect(await factors.addPasskey(newPasskey(holder, 'two'), 9, at(NOW + 9))).toBe('added_first');
      expect(await mails.marksFrom(email)).toBe(NOW + 9);
    });

    test('tell the confirmed address of an account, and nobody when nothing was done', async () => {
      const { storage, addAccount } = await openStorage();
      const { factors } = storage;
      const { id, email } = await addAccount('pat');
      const link = { tokenHash: bytes('link'), purpose: 'confirmation', expiresAtMs: NOW + 1 } as const;
      await storage.mails.addLink(id, email, link, 9);
      expect(await storage.mails.confirmAddress(id, link.tokenHash, NOW)).toBe(true);
      const holder = accountOf({ id });
      const told = async () =>
        (await storage.mails.claimDue({ nowMs: NOW, leaseMs: 9, maxWaitMs: 9, atMost: 9 })).length;
      const passkey = newPasskey(holder, 'one');
      await factors.removeTotp(holder, mail());
      await factors.removePasskey(holder, passkey.id, mail());
      await factors.removeAll(holder, mail());
      await factors.renewRecoveryCodes(holder, [], mail());
      expect(await told()).toBe(0);
      await factors.addPasskey(passkey, 9, first, mail());
      await factors.renewRecoveryCodes(holder, [], mail());
      await factors.removePasskey(holder, passkey.id, mail());
      expect(await told()).toBe(3);
    });

    test('go with an account that is closed, and are added to none that is being closed', async () => {
      const { storage, addAccount } = await openStorage();
      const { factors } = storage;
      const [closing, closed] = [await addAccount('pat'), await addAccount('sam')].map(({ id }) => id);
      if (!closing || !closed) throw new Error('there are no accounts');
      for (const id of [closing, closed]) {
        await factors.addPasskey(newPasskey(accountOf({ id }), id), 9, first);
        await factors.beginTotp(accountOf({ id }), bytes('secret'), NOW);
      }
      await storage.beginClosing(closing, 'none', NOW + MINUTE_MS);
      await storage.closeAccount(closed, NOW, false);
      // Who logs in to keep an account open is asked for the second factor as ever.
      expect(await factors.summary(accountOf({ id: closing }))).toMatchObject({ recoveryCodesLeft: 2 });
      expect(await factors.summary(accountOf({ id: closed }))).toEqual(NOTHING);
      expect(await factors.findTotp(accountOf({ id: closed }))).toBeNull();
      for (const id of [closing, closed]) {
        const holder = accountOf({ id });
        expect(await factors.addPasskey(newPasskey(holder, `late ${id}`), 9, first)).toBe('gone');
        expect(await factors.confirmTotp(holder, bytes('secret'), 1, first)).toBe('gone');
      }
    });

    test('have challenges that are taken once, as they were made, and of which there is a bound', async () => {
      const { storage } = await openStorage();
      const { factors } = storage;
      const login: Challenge = { challenge: 'a', holderKind: 'account', holderId: null, purpose: 'login' };
      const add = (challenge: Challenge, expiresAtMs: number) =>
        factors.addChallenge({ ...challenge, expiresAtMs }, NOW, 3);
      await add(login, NOW + 5);
      const others: Challenge[] = [
        { ...login, challenge: 'b' },
        { ...login, holderKind: 'operator' },
        { ...login, holderId: 'usr_1' },
        { ...login, purpose: 'confirm' },
      ];
      for (const other of others) expect(await factors.takeChallenge(other, NOW)).toBe(false);
      expect(await factors.takeChallenge(login, NOW + 5)).toBe(false);
      expect(await factors.takeChallenge(login, NOW + 4)).toBe(true);
      expect(await factors.takeChallenge(login, NOW + 4)).toBe(false);
      for (const [index, challenge] of ['b', 'c', 'd', 'e'].entries())
        await add({ ...login, challenge }, NOW + 10 + index);
      const taken = ['b', 'c', 'd', 'e'].map((challenge) =>
        factors.takeChallenge({ ...login, challenge }, NOW),
      );
      expect(await Promise.all(taken)).toEqual([false, true, true, true]);
    });

    test('challenges push out those of the same holder, or of logins of the same kind, alone', async () => {
      const { storage } = await openStorage();
      const { factors } = storage;
      const made = (challenge: string, holderId: string | null, kind: Holder['kind']): Challenge => ({
        challenge,
        holderKind: kind,
        holderId,
        purpose: holderId === null ? 'login' : 'confirm',
      });
      const add = (challenge: Challenge) =>
        factors.addChallenge({ ...challenge, expiresAtMs: NOW + 9 }, NOW, 2);
      const kept = [
        made('own', 'opr_1', 'operator'),
        made('login of an operator', null, 'operator'),
        made('login', null, 'account'),
      ];
      for (const challenge of kept) await add(challenge);
      for (let index = 0; index < 5; index += 1) await add(made(`other ${index}`, 'usr_1', 'account'));
      await add(made('another login', null, 'account'));
      const taken = kept.map((challenge) => factors.takeChallenge(challenge, NOW));
      expect(await Promise.all(taken)).toEqual([true, true, true]);
      const flood = made('own again', 'opr_1', 'operator');
      await add(flood);
      for (let index = 0; index < 5; index += 1) await add(made(`flood ${index}`, null, 'operator'));
      expect(await factors.takeChallenge(flood, NOW)).toBe(true);
    });
  });
}
