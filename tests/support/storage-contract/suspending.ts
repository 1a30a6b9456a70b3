/** Suspending: that no tip is given or received, whatever else of the account goes on. */
import { describe, expect, test } from 'vitest';
import type { Act, AuditAction } from '#server/storage/port/audit.ts';
import type { UserId } from '#shared/ids.ts';
import { beginPayment, PLATFORM, payoutAccountOf } from '../payment-steps.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const REASON = 'Tips for things that were never done.';
const SUSPENSION = { sinceMs: NOW, reason: REASON };

const actOf = (action: AuditAction, subject: UserId): Act => ({
  actor: { kind: 'command', name: 'ops', host: 'bar' },
  action,
  subject,
  reason: REASON,
  atMs: NOW,
});

async function openScene() {
  const opened = await openStorage();
  const { storage } = opened;
  return {
    ...opened,
    ...(await opened.setTheScene()),
    suspend: (id: UserId) => storage.suspensions.suspend(id, SUSPENSION, actOf('account_suspended', id)),
    lift: (id: UserId) => storage.suspensions.lift(id, actOf('suspension_lifted', id)),
  };
}

export function describeSuspending(): void {
  describe('suspending', () => {
    test('of a receiver pauses every code for givers and guests, until it is lifted', async () => {
      const { storage, provider, code, tip, suspend, lift } = await openScene();
      const told: unknown[] = [];
      storage.subscribe({ onCodes: (owners) => told.push(owners) });
      await storage.updateQrCode(provider.id, code, { isListed: true });
      const earlier = tip({ idempotencyKey: 'before' });
      await storage.recordTip(earlier);
      expect(await suspend(provider.id)).toBe('suspended');
      expect(told).toContainEqual([provider.id]);
      expect(await storage.findQrCode(code)).toMatchObject({ status: 'paused' });
      expect(await storage.listPublicCodes(provider.username)).toMatchObject([{ status: 'paused' }]);
      expect(await storage.listQrCodes(provider.id, '')).toMatchObject([{ status: 'active' }]);
      expect(await storage.recordTip(tip())).toEqual({ outcome: 'code_paused' });
      expect(await storage.recordTip(tip({ giverId: null }))).toEqual({ outcome: 'code_paused' });
      expect(await storage.recordTip(earlier)).toMatchObject({ outcome: 'repeated' });
      expect(await lift(provider.id)).toBe('lifted');
      expect(await storage.findQrCode(code)).toMatchObject({ status: 'active' });
      expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
    });

    test('of a giver refuses tips to anybody, answers earlier ones, and lets both sides give back', async () => {
      const { storage, provider, customer, tip, suspend, lift } = await openScene();
      const earlier = tip({ idempotencyKey: 'before' });
      const another = tip();
      await storage.recordTip(earlier);
      await storage.recordTip(another);
      expect(await suspend(customer.id)).toBe('suspended');
      expect(await storage.recordTip(tip())).toEqual({ outcome: 'giver_suspended' });
      expect(await storage.recordTip(tip({ giverId: null }))).toMatchObject({ outcome: 'recorded' });
      expect(await storage.recordTip(earlier)).toMatchObject({ outcome: 'repeated' });
      await suspend(provider.id);
      for (const [transactionId, userId] of [
        [earlier.id, provider.id],
        [another.id, customer.id],
      ] as const) {
        const reversal = { transactionId, userId, idempotencyKey: null, createdAtMs: NOW, giverFromMs: 0 };
        expect(await storage.reverseTip(reversal)).toMatchObject({ outcome: 'reversed' });
      }
      await lift(provider.id);
      await lift(customer.id);
      expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
    });

    test('begins no payment, and keeps one that was paid meanwhile', async () => {
      const { storage, provider, customer, tip, suspend, lift } = await openScene();
      await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
      const begun = tip();
      await beginPayment(storage, begun);
      for (const { id } of [provider, customer]) {
        await suspend(id);
        const payment = {
          ...tip(),
          paymentMode: 'test',
          platform: PLATFORM,
          expiresAtMs: NOW + MINUTE_MS,
        } as const;
        const outcome = id === provider.id ? 'code_paused' : 'giver_suspended';
        expect(await storage.payments.beginPayment(payment, NOW)).toEqual({ outcome });
        if (id === provider.id) await lift(id);
      }
      const paid = { kind: 'succeeded', chargeId: `pi_${begun.id}` } as const;
      expect(await storage.payments.movePayment(begun.id, paid, NOW, NOW)).toMatchObject({
        outcome: 'moved',
        payment: { state: 'succeeded' },
      });
      expect(await storage.findTransaction(provider.id, begun.id)).toMatchObject({ reversal: null });
    });

    test('tells why to whoever the account logs in, and leaves the sessions', async () => {
      const { storage, provider, customer, beginSession, suspend, lift } = await openScene();
      await beginSession(provider.id, 'hers');
      await beginSession(customer.id, 'his');
      const asked = ['hers', 'his', 'nobody’s'].map(bytes);
      await suspend(provider.id);
      expect(await storage.findSession(bytes('hers'), NOW)).toMatchObject({
        account: { suspension: SUSPENSION },
      });
      expect(await storage.findSession(bytes('his'), NOW)).toMatchObject({ account: { suspension: null } });
      expect(await storage.findEndedSessions(asked, NOW)).toEqual([
        { tokenHash: bytes('hers'), isSuspended: true },
        { tokenHash: bytes('nobody’s'), isSuspended: false },
      ]);
      await lift(provider.id);
      expect(await storage.findEndedSessions(asked, NOW)).toEqual([
        { tokenHash: bytes('nobody’s'), isSuspended: false },
      ]);
      expect(await storage.findSession(bytes('hers'), NOW)).toMatchObject({ account: { suspension: null } });
    });

    test('thanks nobody, keeps the first reason, and ends with the account', async () => {
      const { storage, provider, customer, tip, suspend, lift } = await openScene();
      const received = tip();
      await storage.recordTip(received);
      const thank = () => storage.messages.thank(provider.id, received.id, 'Thanks', NOW);
      await suspend(provider.id);
      expect(await thank()).toBe('suspended');
      const another = { sinceMs: NOW + 1, reason: 'Another one' };
      const act = actOf('account_suspended', provider.id);
      expect(await storage.suspensions.suspend(provider.id, another, act)).toBe('suspended_before');
      expect(await storage.findCredentials(provider.email)).toMatchObject({
        account: { suspension: SUSPENSION },
      });
      await lift(provider.id);
      expect(await lift(provider.id)).toBe('not_suspended');
      expect(await thank()).toBe('thanked');
      await suspend(customer.id);
      await storage.closeAccount(customer.id, NOW, false);
      expect(await suspend(customer.id)).toBe('closed');
      expect(await lift(customer.id)).toBe('not_suspended');
      const rows = await storage.audit.list({ after: 0, sinceMs: 0, atMost: 9 });
      expect(rows.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
        ['account_suspended', provider.id, REASON],
        ['suspension_lifted', provider.id, REASON],
        ['account_suspended', customer.id, REASON],
      ]);
    });
  });
}
