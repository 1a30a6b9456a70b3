/** Webhooks: from where an endpoint is told, who tells it, and what becomes of that. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Delivery, NewWebhook, SettledWebhook } from '#server/storage/port/webhooks.ts';
import { eventIdFrom, newWebhookId, type UserId } from '#shared/ids.ts';
import { MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const DUE = { nowMs: NOW, leaseMs: MINUTE_MS, maxWaitMs: 100 * MINUTE_MS, atMost: 10, accounts: null };

async function openScene() {
  const opened = await openStorage();
  const scene = await opened.setTheScene();
  const { webhooks } = opened.storage;
  async function add(userId: UserId, changes: Partial<NewWebhook> = {}, maxCount = 5) {
    const endpoint: NewWebhook = {
      id: newWebhookId(randomBytes),
      userId,
      url: 'https://till.example.com/a',
      kinds: ['tip.received', 'code.changed'],
      secret: randomBytes(32),
      createdAtMs: NOW,
      ...changes,
    };
    return { endpoint, outcome: await webhooks.add(endpoint, maxCount) };
  }
  const give = () => opened.storage.recordTip(scene.tip());
  return { ...opened, ...scene, webhooks, add, give };
}

const delivered = (
  place: SettledWebhook['place'],
  changes: Partial<SettledWebhook> = {},
): SettledWebhook => ({
  place,
  nextTryMs: 0,
  tries: 0,
  failingSinceMs: null,
  deliveries: [],
  off: null,
  ...changes,
});

const delivery = (status: number): Delivery => ({
  eventId: eventIdFrom(randomBytes(26)),
  kind: 'tip.received',
  triedAtMs: NOW,
  tookMs: 5,
  status,
  failure: null,
  answer: `answer ${status}`,
});

export function describeWebhooks(): void {
  describe('webhooks', () => {
    test('are told what happens after they were added, by one process at a time', async () => {
      const { webhooks, provider, add, give } = await openScene();
      await give();
      const { endpoint } = await add(provider.id);
      expect(await webhooks.claimDue(DUE)).toEqual([]);
      await give();
      const claims = await Promise.all(Array.from({ length: 5 }, () => webhooks.claimDue(DUE)));
      const [claim] = claims.flat();
      expect(claims.flat()).toEqual([
        expect.objectContaining({
          id: endpoint.id,
          kinds: endpoint.kinds,
          place: { position: 1, number: 1 },
          tries: 0,
        }),
      ]);
      if (!claim) throw new Error('nothing was claimed');
      expect(Buffer.from(claim.secret)).toEqual(endpoint.secret);
      expect(await webhooks.isClaimed(claim)).toBe(true);
      expect(await webhooks.settle(claim, delivered({ position: 2, number: 1 }))).toBe(true);
      expect(await webhooks.isClaimed(claim)).toBe(false);
      expect(await webhooks.settle(claim, delivered({ position: 9, number: 9 }))).toBe(false);
      expect(await webhooks.claimDue(DUE)).toEqual([]);
    });

    test('are due for notes as for tips, and only for accounts that were asked for', async () => {
      const { storage, webhooks, provider, customer, code, add } = await openScene();
      await add(provider.id);
      await storage.updateQrCode(provider.id, code, { greeting: 'Hi' }, NOW);
      expect(await webhooks.claimDue({ ...DUE, accounts: [customer.id] })).toEqual([]);
      expect(await webhooks.claimDue({ ...DUE, accounts: [provider.id] })).toHaveLength(1);
    });

    test('wait for their next try, and a claim ends by itself', async () => {
      const { webhooks, provider, add, give } = await openScene();
      await add(provider.id);
      await give();
      const [claim] = await webhooks.claimDue(DUE);
      if (!claim) throw new Error('nothing was claimed');
      expect(await webhooks.claimDue({ ...DUE, nowMs: NOW + MINUTE_MS - 1 })).toEqual([]);
      const nextTryMs = NOW + 5 * MINUTE_MS;
      const failed = { nextTryMs, tries: 1, failingSinceMs: NOW, deliveries: [delivery(500)] };
      expect(await webhooks.settle(claim, delivered(claim.place, failed))).toBe(true);
      expect(await webhooks.list(provider.id)).toMatchObject([
        { nextTryMs, failingSinceMs: NOW, offReason: null },
      ]);
      expect(await webhooks.claimDue({ ...DUE, nowMs: nextTryMs - 1 })).toEqual([]);
      const [again] = await webhooks.claimDue({ ...DUE, nowMs: nextTryMs });
      expect(again).toMatchObject({ tries: 1, failingSinceMs: NOW, place: claim.place });
      // The process that had it has ended.
      await webhooks.endClaims();
      expect(await webhooks.claimDue({ ...DUE, nowMs: nextTryMs })).toHaveLength(1);
      expect(await webhooks.claimDue({ ...DUE, nowMs: nextTryMs + MINUTE_MS })).toHaveLength(1);
    });

    test('change and end under the hands of whoever tells them', async () => {
      const { webhooks, provider, customer, add, give } = await openScene();
      const { endpoint } = await add(provider.id);
      const { id } = endpoint;
      const own = [provider.id, id] as const;
      const claimAgain = async () => {
        await give();
        const [claim] = await webhooks.claimDue(DUE);
        if (!claim) throw new Error('nothing was claimed');
        return claim;
      };
      const next = randomBytes(32);
      for (const change of [
        () => webhooks.change(...own, { url: 'https://other.example.com/b', kinds: ['tip.refunded'] }),
        () => webhooks.rotate(...own, next, { nowMs: NOW, oldSecretUntilMs: NOW + MINUTE_MS }),
        () => webhooks.switchOff(...own, NOW),
      ]) {
        const claim = await claimAgain();
        expect(await change()).toMatchObject({ id, url: 'https://other.example.com/b' });
        expect(await webhooks.settle(claim, delivered({ position: 99, number: 99 }))).toBe(false);
      }
      const [record] = await webhooks.list(provider.id);
      expect(record).toMatchObject({ offReason: 'owner', offAtMs: NOW, oldSecretUntilMs: NOW + MINUTE_MS });
      expect([record?.secret, record?.oldSecret].map((each) => each && Buffer.from(each))).toEqual([
        next,
        endpoint.secret,
      ]);
      expect(await webhooks.claimDue(DUE)).toEqual([]);
      expect(await webhooks.switchOn(...own, false)).toMatchObject({ offReason: null, offAtMs: null });
      expect(await webhooks.claimDue(DUE)).toMatchObject([{ place: { position: 0, number: 1 } }]);
      await webhooks.switchOff(...own, NOW);
      await webhooks.switchOn(...own, true);
      expect(await webhooks.claimDue(DUE)).toEqual([]);
      expect(await claimAgain()).toMatchObject({ place: { position: 3, number: 1 } });
      for (const outcome of [
        await webhooks.change(customer.id, id, {}),
        await webhooks.rotate(customer.id, id, next, { nowMs: NOW, oldSecretUntilMs: NOW }),
        await webhooks.switchOff(customer.id, id, NOW),
        await webhooks.switchOn(customer.id, id, false),
      ])
        expect(outcome).toBeNull();
      expect(await webhooks.remove(customer.id, id)).toBe(false);
      expect(await webhooks.remove(...own)).toBe(true);
      expect(await webhooks.remove(...own)).toBe(false);
      expect(await webhooks.list(provider.id)).toEqual([]);
    });

    test('are as many as an account may have, also when they are added at once', async () => {
      const { webhooks, provider, add } = await openScene();
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => add(provider.id, {}, 3)));
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        ...Array(3).fill('added'),
        ...Array(3).fill('full'),
      ]);
      expect(await webhooks.list(provider.id)).toHaveLength(3);
    });

    test('keep the last hundred deliveries, and what is sent outside of the order makes the rest due', async () => {
      const { webhooks, provider, customer, add, give } = await openScene();
      const { endpoint } = await add(provider.id);
      const { id } = endpoint;
      await give();
      const [claim] = await webhooks.claimDue(DUE);
      if (!claim) throw new Error('nothing was claimed');
      const sent = Array.from({ length: 99 }, (_, index) => delivery(200 + index));
      const later = { nextTryMs: NOW + MINUTE_MS, tries: 2, failingSinceMs: NOW };
      await webhooks.settle(claim, delivered(claim.place, { ...later, deliveries: sent }));
      await webhooks.noteDelivery(id, delivery(501), false);
      expect(await webhooks.claimDue(DUE)).toEqual([]);
      await webhooks.noteDelivery(id, { ...delivery(0), status: null, failure: 'ECONNREFUSED' }, true);
      expect(await webhooks.claimDue(DUE)).toHaveLength(1);
      const kept = await webhooks.listDeliveries(provider.id, id);
      expect(kept.map(({ status }) => status)).toEqual([
        null,
        501,
        ...sent
          .map(({ status }) => status)
          .reverse()
          .slice(0, 98),
      ]);
      expect(kept[1]).toMatchObject({ answer: 'answer 501', kind: 'tip.received', tookMs: 5 });
      expect(await webhooks.listDeliveries(customer.id, id)).toEqual([]);
    });

    test('are due at once after what was sent outside of the order, whatever becomes of a try under way', async () => {
      const { webhooks, provider, add, give } = await openScene();
      const { endpoint } = await add(provider.id);
      await give();
      const fail = async (nowMs: number, tries: number) => {
        const [claim] = await webhooks.claimDue({ ...DUE, nowMs });
        if (!claim) throw new Error('nothing was claimed');
        await webhooks.noteDelivery(endpoint.id, delivery(500), false);
        expect(await webhooks.isClaimed(claim)).toBe(true);
        await webhooks.noteDelivery(endpoint.id, delivery(204), true);
        const nextTryMs = nowMs + 5 * MINUTE_MS;
        return webhooks.settle(claim, delivered(claim.place, { nextTryMs, tries, failingSinceMs: NOW }));
      };
      // The first try may be taken yet.
      expect(await fail(NOW, 1)).toBe(true);
      expect(await fail(NOW + 5 * MINUTE_MS, 2)).toBe(false);
      expect(await webhooks.claimDue({ ...DUE, nowMs: NOW + 5 * MINUTE_MS })).toMatchObject([{ tries: 0 }]);
    });

    test('that are switched off are told to their owners once, and go with their account', async () => {
      const { storage, webhooks, provider, add, give } = await openScene();
      const { endpoint } = await add(provider.id);
      await give();
      const [claim] = await webhooks.claimDue(DUE);
      if (!claim) throw new Error('nothing was claimed');
      const off = { reason: 'failed', atMs: NOW, mail: undefined } as const;
      await webhooks.settle(claim, delivered(claim.place, { deliveries: [delivery(500)], off }));
      expect(await webhooks.list(provider.id)).toMatchObject([{ offReason: 'failed', offAtMs: NOW }]);
      expect(await webhooks.claimDue(DUE)).toEqual([]);
      const { id, url } = endpoint;
      expect(await webhooks.listUntold(5)).toEqual([{ id, url, userId: provider.id }]);
      await webhooks.markTold(id);
      expect(await webhooks.listUntold(5)).toEqual([]);
      await storage.closeAccount(provider.id, NOW, false);
      expect(await webhooks.list(provider.id)).toEqual([]);
      expect(await webhooks.listDeliveries(provider.id, id)).toEqual([]);
    });
  });
}
