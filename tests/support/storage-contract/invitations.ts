/** Invitations: that a use is spent with the account, by one alone, and which of them work. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type InvitationId, newInvitationId } from '#shared/ids.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

async function openScene() {
  const opened = await openStorage();
  const { storage, newAccount } = opened;
  async function invite(token: string, maxUses = 1, emailKey: string | null = null) {
    const id = newInvitationId(randomBytes);
    const expiresAtMs = NOW + MINUTE_MS;
    const invitation = { id, emailKey, maxUses, usesLeft: maxUses, expiresAtMs };
    await storage.invitations.add({ ...invitation, tokenHash: bytes(token) });
    return invitation;
  }
  const create = (username: string, token: string | null, changes = {}) =>
    storage.createAccount(
      { ...newAccount(username), ...changes },
      undefined,
      token === null ? null : bytes(token),
    );
  const usesLeft = async (token: string, nowMs = NOW) =>
    (await storage.invitations.find(bytes(token), nowMs))?.usesLeft ?? 0;
  return { ...opened, invite, create, usesLeft };
}

export function describeInvitations(): void {
  describe('invitations', () => {
    test('are found by the hash of their token until they expire, and listed', async () => {
      const { storage, invite } = await openScene();
      const one = await invite('one', 3);
      const two = await invite('two', 1, 'pat@example.com');
      expect(await storage.invitations.find(bytes('one'), NOW)).toEqual(one);
      expect(await storage.invitations.find(bytes('three'), NOW)).toBeNull();
      expect(await storage.invitations.find(bytes('one'), NOW + MINUTE_MS)).toBeNull();
      expect(new Set(await storage.invitations.list(NOW))).toEqual(new Set([one, two]));
      expect(await storage.invitations.list(NOW + MINUTE_MS)).toEqual([]);
    });

    test.each([2, 20])('of %i accounts at once, one spends the one use', async (count) => {
      const { storage, invite, create, newAccount } = await openScene();
      await invite('token');
      const outcomes = await Promise.all(
        Array.from({ length: count }, (_, index) => create(`pat${index}`, 'token')),
      );
      expect(outcomes.sort()).toEqual(['created', ...Array(count - 1).fill('invitation_invalid')]);
      const found = await Promise.all(
        outcomes.map((_, index) => storage.findCredentials(newAccount(`pat${index}`).email)),
      );
      expect(found.filter((account) => account !== null)).toHaveLength(1);
      expect(await create('late', 'token')).toBe('invitation_invalid');
    });

    test('of twenty accounts at once, as many are created as there are uses', async () => {
      const { invite, create } = await openScene();
      await invite('token', 7);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => create(`pat${index}`, 'token')),
      );
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(7);
    });

    test('are spent by no account that is refused', async () => {
      const { invite, create, usesLeft } = await openScene();
      await invite('token', 2);
      expect(await create('pat', 'token')).toBe('created');
      expect(await create('sam', 'token', { email: 'PAT@example.com' })).toBe('email_taken');
      expect(await create('pat', 'token', { email: 'other@example.com' })).toBe('username_taken');
      expect(await usesLeft('token')).toBe(1);
    });

    test('for one email are good for it alone, in any case, and gone with its account', async () => {
      const { storage, invite, create } = await openScene();
      await invite('first', 1, 'pat@example.com');
      await invite('second', 1, 'pat@example.com');
      await invite('other', 1, 'eve@example.com');
      expect(await create('sam', 'first')).toBe('invitation_invalid');
      expect(await create('pat', 'first')).toBe('created');
      expect((await storage.invitations.list(NOW)).map(({ emailKey }) => emailKey)).toEqual([
        'eve@example.com',
      ]);
      // Nobody needs one where registration is open; what was made for the email is gone all the same.
      expect(await create('eve', null)).toBe('created');
      expect(await storage.invitations.list(NOW)).toEqual([]);
    });

    test('work neither when they have expired nor when they were taken back', async () => {
      const { storage, invite, create } = await openScene();
      const { id, expiresAtMs } = await invite('token', 5);
      expect(await create('pat', 'token', { createdAtMs: expiresAtMs })).toBe('invitation_invalid');
      expect(await create('pat', 'token')).toBe('created');
      expect(await storage.invitations.revoke(id, NOW)).toBe(true);
      expect(await storage.invitations.revoke(id, NOW)).toBe(false);
      expect(await create('sam', 'token')).toBe('invitation_invalid');
    });

    test('that are spent or have expired are not taken back, and no row says that they were', async () => {
      const { storage, invite, create } = await openScene();
      const spent = await invite('spent');
      const expired = await invite('expired');
      expect(await create('pat', 'spent')).toBe('created');
      const revoke = (id: InvitationId, nowMs: number) =>
        storage.invitations.revoke(id, nowMs, {
          actor: { kind: 'command', name: 'ops', host: 'bar' },
          action: 'invitation_revoked',
          subject: id,
          reason: null,
          atMs: nowMs,
        });
      expect(await revoke(spent.id, NOW)).toBe(false);
      expect(await revoke(expired.id, NOW + MINUTE_MS)).toBe(false);
      expect(await storage.audit.list({ after: 0, sinceMs: 0, atMost: 10 })).toEqual([]);
      expect(await revoke(expired.id, NOW)).toBe(true);
    });

    test('that are spent or have expired are deleted in steps', async () => {
      const { storage, invite, create } = await openScene();
      for (const token of ['spent', 'one', 'two']) await invite(token);
      expect(await create('pat', 'spent')).toBe('created');
      expect(await storage.invitations.forgetEnded(NOW, 10)).toBe(1);
      expect(await storage.invitations.list(NOW)).toHaveLength(2);
      expect(await storage.invitations.forgetEnded(NOW + MINUTE_MS, 1)).toBe(1);
      expect(await storage.invitations.forgetEnded(NOW + MINUTE_MS, 10)).toBe(1);
      expect(await storage.invitations.forgetEnded(NOW + MINUTE_MS, 10)).toBe(0);
    });

    test('for an email go when an account with it is closed', async () => {
      const { storage, invite, addAccount } = await openScene();
      const { id, email } = await addAccount('pat');
      await invite('token', 1, email.toLowerCase());
      await storage.closeAccount(id, NOW, false);
      expect(await storage.invitations.list(NOW)).toEqual([]);
    });
  });
}
