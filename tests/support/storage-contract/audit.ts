/** The audit log: that a row is written with its act, follows from the one before, and is about what it names. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Act, AuditAction } from '#server/storage/port/audit.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createAuditCheck } from '#server/storage/rules/audit.ts';
import { newApiKeyId, newInvitationId } from '#shared/ids.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const ACTOR = { kind: 'command', name: 'ops (as tipwell)', host: "bar's server" } as const;

const actOf = (action: AuditAction, subject: string | null = null, atMs = NOW): Act => ({
  actor: ACTOR,
  action,
  subject,
  reason: null,
  atMs,
});

const listAll = (storage: Storage) => storage.audit.list({ after: 0, sinceMs: 0, atMost: 1_000 });

export function describeAudit(): void {
  describe('the audit log', () => {
    test('has a row for each act that was done, and none for one that was not', async () => {
      const { storage, setTheScene, beginSession } = await openStorage();
      const { provider, code, tip } = await setTheScene();
      const { id } = provider;
      const said = { ...tip(), giverMessage: { message: 'Hi', giverName: null, isRefused: false } };
      await storage.recordTip(said);
      await storage.messages.reportMessage(id, said.id, NOW);
      const invitation = { id: newInvitationId(randomBytes), emailKey: null, maxUses: 1, usesLeft: 1 };
      const expiring = { ...invitation, tokenHash: bytes('token'), expiresAtMs: NOW + MINUTE_MS };
      const terms = { ...SPECIFIED_TERMS, version: 1, fromMs: NOW, createdAtMs: NOW };
      const from = `from ${new Date(NOW).toISOString()}`;
      const announced = `${from}: The bar opens at 8. Ask ...`;
      const password = { passwordHash: 'next', expiresAtMs: null, changedAtMs: NOW };
      const key = {
        id: newApiKeyId(randomBytes),
        userId: id,
        keyHash: bytes('key'),
        name: 'Till',
        scopes: ['tips:read'],
        addresses: [],
        ending: 'abcd',
        createdAtMs: NOW,
        expiresAtMs: NOW + MINUTE_MS,
      } as const;
      await storage.apiKeys.add(key, 9);
      await beginSession(id, 'one');
      await beginSession(id, 'two');
      const attempt = { limit: 'login', account: 'pat', address: '', maxCount: 1, windowMs: MINUTE_MS };
      await storage.takeAttempt([attempt], NOW);

      /** Each act once as it happens, and once more where nothing is left to be done. */
      const acts: readonly (readonly [AuditAction, string | null, (act: Act) => Promise<unknown>])[] = [
        ['logins_unlocked', id, (act) => storage.forgetAttempts('pat', act)],
        ['api_keys_ended', id, (act) => storage.apiKeys.endAll(id, act)],
        ['sessions_ended', id, (act) => storage.endOtherSessions(id, bytes('one'), act)],
        ['all_sessions_ended', null, (act) => storage.forgetExpiredSessions(NOW + MINUTE_MS, 9, act)],
        ['password_reset', id, (act) => storage.changePassword(id, 'none', password, null, undefined, act)],
        ['terms_set', `version 1, ${from}`, (act) => storage.addTerms(terms, act)],
        ['announcement_ended', announced, (act) => storage.endAnnouncement(act)],
        ['invitation_revoked', invitation.id, (act) => storage.invitations.revoke(invitation.id, NOW, act)],
        ['report_settled', said.id, (act) => storage.messages.settleReport(said.id, NOW, act)],
        [
          'tip_refunded',
          said.id,
          (act) => storage.reverseTip({ transactionId: said.id, createdAtMs: NOW, act }),
        ],
        ['code_stopped', code, (act) => storage.operations.stopCode(id, code, NOW, act)],
        ['account_closed', id, (act) => storage.closeAccount(id, NOW + 1, false, act)],
      ];
      const announcement = { text: 'The bar opens at 8. Ask pat@example.com', fromMs: NOW, untilMs: null };
      await storage.announce(announcement, actOf('announcement_made'));
      await storage.invitations.add(expiring, actOf('invitation_made', invitation.id));
      await storage.forgetSecrets(actOf('installation_keys_renewed'));
      for (const atMs of [NOW, NOW + 2])
        for (const [action, subject, run] of acts) await run(actOf(action, subject, atMs));

      const rows = await listAll(storage);
      expect(rows.map(({ action, subject, atMs }) => [action, subject, atMs])).toEqual([
        ['announcement_made', announced, NOW],
        ['invitation_made', invitation.id, NOW],
        ['installation_keys_renewed', null, NOW],
        ...acts.map(([action, subject]) => [action, subject, NOW]),
      ]);
      expect(await storage.audit.listAbout(id, 2)).toMatchObject([
        { action: 'account_closed' },
        { action: 'password_reset' },
      ]);
      expect(await storage.audit.listAboutAccount(id, 3)).toMatchObject([
        { action: 'account_closed' },
        { action: 'code_stopped' },
        { action: 'password_reset' },
      ]);
      expect(JSON.stringify(rows)).not.toMatch(/@example|Name of/i);
    });

    test('numbers its rows without a gap and chains them, with any text in them, and keeps them', async () => {
      const { storage, reopen } = await openStorage({ isLasting: true });
      const reason = `'O''Hara' \\ "said" 😀 \u2028 ${'x'.repeat(400)}`;
      for (let minute = 0; minute < 5; minute += 1)
        await storage.forgetSecrets({ ...actOf('installation_keys_renewed', null, NOW + minute), reason });
      const reopened = await reopen();
      const rows = await listAll(reopened);
      const check = createAuditCheck();
      for (const row of rows) check.add(row);
      expect(check.firstWrong()).toBeNull();
      expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
      const { name: actorName, host } = ACTOR;
      expect(rows[0]).toMatchObject({ actorKind: 'command', actorName, host, reason, atMs: NOW });
      expect(await reopened.audit.list({ after: 1, sinceMs: NOW + 2, atMost: 2 })).toEqual(rows.slice(2, 4));
      expect(await reopened.audit.list({ after: 3, sinceMs: 0, atMost: 9 })).toEqual(rows.slice(3));
    });

    test('is read from its newest row, by who acted, what was done, to whom and when', async () => {
      const { storage } = await openStorage();
      const anna = { kind: 'operator', name: 'anna@example.com', host: '192.0.2.1' } as const;
      await storage.audit.note(actOf('backup_made', null, NOW));
      await storage.audit.note({ ...actOf('password_reset', 'usr_1', NOW + 1), actor: anna });
      await storage.audit.note({ ...actOf('backup_made', null, NOW + 2), actor: anna });
      await storage.audit.note({ ...actOf('password_reset', 'usr_2', NOW + 3), actor: anna });
      const all = { actorName: '', action: '', subject: '', sinceMs: 0, untilMs: NOW + 9 };
      const numbersOf = async (filter: Partial<typeof all>, before: number | null = null, atMost = 9) =>
        (await storage.audit.listNewest({ ...all, ...filter }, { before, atMost })).map(
          ({ number }) => number,
        );
      expect(await numbersOf({})).toEqual([4, 3, 2, 1]);
      expect(await numbersOf({}, null, 3)).toEqual([4, 3, 2]);
      expect(await numbersOf({}, 2)).toEqual([1]);
      expect(await numbersOf({ actorName: anna.name })).toEqual([4, 3, 2]);
      expect(await numbersOf({ action: 'backup_made' })).toEqual([3, 1]);
      expect(await numbersOf({ subject: 'usr_1', actorName: anna.name })).toEqual([2]);
      expect(await numbersOf({ subject: 'usr_' })).toEqual([]);
      for (const name of ['actorName', 'action', 'subject'])
        expect(await numbersOf({ [name]: 'usr_1\0' })).toEqual([]);
      expect(await numbersOf({ sinceMs: NOW + 1, untilMs: NOW + 3 })).toEqual([3, 2]);
      expect(await storage.audit.listActors(9)).toEqual([anna.name, ACTOR.name]);
      expect(await storage.audit.listActors(1)).toEqual([anna.name]);
    });
  });
}
