/** Devices that get notifications: how long they live, and that no two processes tell the same one. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { NewDevice } from '#server/storage/port/devices.ts';
import type { DueOfAccounts } from '#server/storage/port/outboxes.ts';
import { newDeviceId, type UserId } from '#shared/ids.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const LEASE_MS = MINUTE_MS;
const SESSION_END_MS = NOW + 30 * MINUTE_MS;
const DUE = { nowMs: NOW, leaseMs: LEASE_MS, maxWaitMs: 60 * MINUTE_MS, atMost: 100, accounts: null };

async function openScene() {
  const opened = await openStorage();
  const { storage, setTheScene, beginSession } = opened;
  const scene = await setTheScene();
  const { provider } = scene;
  await beginSession(provider.id, 'phone', { device: 'Chrome on Android', expiresAtMs: SESSION_END_MS });

  async function add(name: string, changes: Partial<NewDevice> = {}, maxCount = 20) {
    const added = await storage.devices.add({ ...deviceOf(provider.id, name), ...changes }, maxCount);
    if (added.outcome !== 'added') throw new Error(added.outcome);
    return added.device;
  }
  const giveTip = async () => {
    const { outcome } = await storage.recordTip(scene.tip());
    expect(outcome).toBe('recorded');
  };
  const claim = (changes: Partial<DueOfAccounts> = {}) => storage.devices.claimDue({ ...DUE, ...changes });
  const idsOf = (devices: readonly { readonly id: string }[]) => devices.map(({ id }) => id);
  return { ...opened, ...scene, add, giveTip, claim, idsOf };
}

function deviceOf(userId: UserId, name: string): NewDevice {
  return {
    id: newDeviceId(randomBytes),
    userId,
    sessionHash: bytes('phone'),
    endpoint: `https://push.example.com/${name}`,
    p256dh: Buffer.concat([Buffer.of(4), bytes(name), bytes(name)]),
    auth: createHash('md5').update(name).digest(),
    withWords: false,
    createdAtMs: NOW,
  };
}

export function describeDevices(): void {
  describe('devices that get notifications', () => {
    test('are listed as they were added, the newest first, for as long as their sessions live', async () => {
      const { storage, provider, customer, add } = await openScene();
      const one = await add('one', { withWords: true });
      const two = await add('two', { createdAtMs: NOW + 1 });
      expect(one).toMatchObject({
        endpoint: 'https://push.example.com/one',
        withWords: true,
        createdAtMs: NOW,
      });
      expect(one.device).toBe('Chrome on Android');
      expect(Buffer.from(one.sessionHash)).toEqual(bytes('phone'));
      expect(Buffer.from(one.p256dh)).toEqual(deviceOf(provider.id, 'one').p256dh);
      expect(Buffer.from(one.auth)).toEqual(deviceOf(provider.id, 'one').auth);
      expect(await storage.devices.list(provider.id, NOW)).toEqual([two, one]);
      expect(await storage.devices.list(customer.id, NOW)).toEqual([]);
      expect(await storage.devices.list(provider.id, SESSION_END_MS)).toEqual([]);
    });

    test('are added to no session that is none of the account’s', async () => {
      const { storage, provider, customer } = await openScene();
      for (const device of [
        { ...deviceOf(provider.id, 'one'), sessionHash: bytes('another') },
        deviceOf(customer.id, 'one'),
      ])
        expect(await storage.devices.add(device, 20)).toEqual({ outcome: 'session_ended' });
      expect(await storage.devices.list(provider.id, NOW)).toEqual([]);
    });

    test('end with their session, whatever ends it, and follow it to another token', async () => {
      const { storage, provider, add, beginSession, giveTip, claim } = await openScene();
      const names = async () =>
        (await storage.devices.list(provider.id, NOW)).map(({ endpoint }) => endpoint.at(-1));
      await beginSession(provider.id, 'tablet');
      await add('1');
      await add('2', { sessionHash: bytes('tablet') });
      await storage.endSession(bytes('tablet'));
      expect(await names()).toEqual(['1']);
      await beginSession(provider.id, 'tablet');
      await add('2', { sessionHash: bytes('tablet'), createdAtMs: NOW + 1 });
      await storage.endOtherSessions(provider.id, bytes('phone'));
      expect(await names()).toEqual(['1']);
      await beginSession(provider.id, 'tablet');
      await add('2', { sessionHash: bytes('tablet'), createdAtMs: NOW + 1 });
      const next = { passwordHash: 'next', expiresAtMs: null, changedAtMs: NOW };
      const kept = {
        tokenHash: bytes('phone'),
        nextTokenHash: bytes('renewed'),
        expiresAtMs: NOW + MINUTE_MS,
        confirmedAtMs: NOW,
      };
      expect(await storage.changePassword(provider.id, 'none', next, kept)).toBe('changed');
      expect(await names()).toEqual(['1']);
      const [device] = await storage.devices.list(provider.id, NOW);
      expect(Buffer.from(device?.sessionHash ?? [])).toEqual(bytes('renewed'));
      await giveTip();
      expect(await claim({ nowMs: NOW + MINUTE_MS })).toEqual([]);
      expect(await storage.forgetExpiredSessions(NOW + MINUTE_MS, 9)).toBe(1);
      expect(await storage.devices.list(provider.id, NOW)).toEqual([]);
    });

    test('end when their account is being closed', async () => {
      const { storage, provider, add } = await openScene();
      await add('one');
      expect(await storage.beginClosing(provider.id, 'none', NOW + MINUTE_MS)).toBe('closing');
      expect(await storage.devices.list(provider.id, NOW)).toEqual([]);
      expect(await storage.closeAccount(provider.id, NOW + MINUTE_MS, true)).toBe('closed');
    });

    test('are so many at most, of which the oldest go, also when the clock was turned back', async () => {
      const { storage, provider, add, idsOf } = await openScene();
      const one = await add('one', { createdAtMs: NOW - 2 });
      const two = await add('two', { createdAtMs: NOW - 1 }, 2);
      expect(idsOf(await storage.devices.list(provider.id, NOW))).toEqual([two.id, one.id]);
      const three = await add('three', { createdAtMs: NOW - 9 }, 2);
      expect(idsOf(await storage.devices.list(provider.id, NOW))).toEqual([two.id, three.id]);
    });

    test('that are registered again stay what they are, with other keys, and are told what they missed', async () => {
      const { storage, provider, add, giveTip, claim, beginSession } = await openScene();
      const first = await add('one');
      await giveTip();
      const [claimed] = await claim();
      await beginSession(provider.id, 'tablet');
      const keys = { p256dh: Buffer.alloc(65, 4), auth: Buffer.alloc(16, 1) };
      const again = await add('one', {
        ...keys,
        sessionHash: bytes('tablet'),
        withWords: true,
        createdAtMs: NOW + 9,
      });
      expect({ ...again, sessionHash: null, device: null }).toEqual({
        ...first,
        ...keys,
        withWords: true,
        sessionHash: null,
        device: null,
      });
      expect(Buffer.from(again.sessionHash)).toEqual(bytes('tablet'));
      // The claim of before is none any more.
      expect(claimed?.id).toBe(first.id);
      const settled = { notifiedPosition: 1, nextTryMs: 0, tries: 0 };
      if (claimed) expect(await storage.devices.settle(claimed, settled)).toBe(false);
      if (claimed) await storage.devices.forget(claimed);
      expect(await claim()).toMatchObject([{ id: first.id, notifiedPosition: 0, ...keys }]);
    });

    test('move to another account, which is told nothing that came before', async () => {
      const { storage, provider, customer, add, giveTip, claim, beginSession, idsOf } = await openScene();
      await beginSession(customer.id, 'of cam');
      const first = await add('one');
      await giveTip();
      const moved = await add('one', { userId: customer.id, sessionHash: bytes('of cam') });
      expect(moved.id).not.toBe(first.id);
      expect(await storage.devices.list(provider.id, NOW)).toEqual([]);
      expect(idsOf(await storage.devices.list(customer.id, NOW))).toEqual([moved.id]);
      expect(await claim()).toEqual([]);
      await giveTip();
      expect(await claim()).toMatchObject([{ id: moved.id, userId: customer.id, notifiedPosition: 1 }]);
    });

    test('are changed and removed by their owner alone', async () => {
      const { storage, provider, customer, add } = await openScene();
      const one = await add('one');
      expect(await storage.devices.change(customer.id, one.id, true)).toBeNull();
      expect(await storage.devices.remove(customer.id, one.id)).toBe(false);
      expect(await storage.devices.list(provider.id, NOW)).toEqual([one]);
      const changed = { ...one, withWords: true };
      expect(await storage.devices.change(provider.id, one.id, true)).toEqual(changed);
      expect(await storage.devices.list(provider.id, NOW)).toEqual([changed]);
      expect(await storage.devices.remove(provider.id, one.id)).toBe(true);
      expect(await storage.devices.remove(provider.id, one.id)).toBe(false);
      expect(await storage.devices.change(provider.id, one.id, true)).toBeNull();
    });

    test('are due once there is something to tell, and once their time has come', async () => {
      const { storage, provider, customer, add, giveTip, claim, idsOf } = await openScene();
      await giveTip();
      const one = await add('one');
      expect(await claim()).toEqual([]);
      await giveTip();
      const [claimed] = await claim();
      const { p256dh, auth } = deviceOf(provider.id, 'one');
      expect(claimed).toEqual({
        id: one.id,
        userId: provider.id,
        endpoint: one.endpoint,
        p256dh,
        auth,
        withWords: false,
        notifiedPosition: 1,
        tries: 0,
        claimedUntilMs: NOW + LEASE_MS,
      });
      if (!claimed) return;
      expect(
        await storage.devices.settle(claimed, { notifiedPosition: 1, nextTryMs: NOW + 5, tries: 3 }),
      ).toBe(true);
      expect(await storage.devices.settle(claimed, { notifiedPosition: 2, nextTryMs: 0, tries: 0 })).toBe(
        false,
      );
      expect(await claim({ nowMs: NOW + 4 })).toEqual([]);
      expect(await claim({ nowMs: NOW + 5, accounts: [customer.id] })).toEqual([]);
      const [second] = await claim({ nowMs: NOW + 5, accounts: [customer.id, provider.id] });
      expect(second).toMatchObject({ tries: 3, notifiedPosition: 1 });
      if (second) await storage.devices.settle(second, { notifiedPosition: 2, nextTryMs: 0, tries: 0 });
      expect(await claim({ nowMs: NOW + 5 })).toEqual([]);
      await giveTip();
      expect(idsOf(await claim({ nowMs: NOW + 5 }))).toEqual([one.id]);
    });

    test('are claimed by one at a time, those first that have waited longest', async () => {
      const { storage, add, giveTip, claim, idsOf } = await openScene();
      const devices = [];
      for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) devices.push(await add(name));
      await giveTip();
      for (const [index, device] of (await claim()).entries())
        await storage.devices.settle(device, { notifiedPosition: 0, nextTryMs: NOW - index, tries: 1 });
      const claims = await Promise.all([1, 2, 3, 4].map(() => claim({ atMost: 2 })));
      const claimed = claims.flatMap(idsOf);
      expect(claimed.sort()).toEqual(idsOf(devices).sort());
      expect(await claim()).toEqual([]);
      const order = await claim({ nowMs: NOW + LEASE_MS, atMost: 6 });
      expect(order).toHaveLength(6);
    });

    test('are free again when a claim has ended, or all have', async () => {
      const { storage, add, giveTip, claim } = await openScene();
      await add('one');
      await giveTip();
      const [first] = await claim();
      expect(first && (await storage.devices.isClaimed(first))).toBe(true);
      expect(await claim({ nowMs: NOW + LEASE_MS - 1 })).toEqual([]);
      const [second] = await claim({ nowMs: NOW + LEASE_MS });
      expect(second?.id).toBe(first?.id);
      expect(first && (await storage.devices.isClaimed(first))).toBe(false);
      if (first)
        expect(await storage.devices.settle(first, { notifiedPosition: 1, nextTryMs: 0, tries: 0 })).toBe(
          false,
        );
      if (first) await storage.devices.forget(first);
      expect(await claim({ nowMs: NOW + LEASE_MS })).toEqual([]);
      await storage.devices.endClaims();
      expect(await claim({ nowMs: NOW + LEASE_MS + 1 })).toHaveLength(1);
    });

    test('do not wait for times that were set before the clock was turned back', async () => {
      const { storage, add, giveTip, claim } = await openScene();
      await add('one');
      await giveTip();
      const [first] = await claim();
      const turnedBack = NOW - 24 * 60 * MINUTE_MS;
      const [second] = await claim({ nowMs: turnedBack });
      expect(second?.id).toBe(first?.id);
      if (!second) return;
      await storage.devices.settle(second, { notifiedPosition: 0, nextTryMs: NOW, tries: 1 });
      expect(await claim({ nowMs: turnedBack })).toHaveLength(1);
    });

    test('go with the keys of the installation, under which their push services know them', async () => {
      const { storage, provider, add } = await openScene();
      await add('one');
      await storage.forgetSecrets();
      expect(await storage.devices.list(provider.id, NOW)).toEqual([]);
      expect(await storage.listSessions(provider.id, NOW)).toHaveLength(1);
    });

    test('are forgotten with a claim', async () => {
      const { storage, provider, add, giveTip, claim } = await openScene();
      await add('one');
      await giveTip();
      const [claimed] = await claim();
      if (claimed) await storage.devices.forget(claimed);
      expect(await storage.devices.list(provider.id, NOW)).toEqual([]);
    });
  });
}
