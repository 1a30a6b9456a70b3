/**
 * Tips reach the devices of whoever received them, through a push service that may be slow, fail, or forget
 * them: each notice comes once, and none is lost within the day.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPushQueue } from '#server/notifications/push-queue.ts';
import type { PushOutcome } from '#server/notifications/push-request.ts';
import { putInForce, SPECIFIED_TERMS } from '#shared/money.ts';
import type { PushMessage } from '#shared/notifications.ts';
import { DAY_MS, MINUTE_MS, openNotificationScene, SECOND_MS } from '#tests/support/notification-scene.ts';
import { inWords } from '#tests/support/push-devices.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';

const counts = (told: readonly PushMessage[]) =>
  told.map((notice) => (notice.kind === 'tips' ? notice.count : 0));

/** Something to wait for, which a test ends. */
function holding() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release: () => release() };
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

describe('a tip', () => {
  test('reaches every device of its receiver once, and nobody else', async () => {
    const { t, service, customer, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    const tablet = await addDevice();
    const others = await addDevice(customer);
    const [id] = await giveTips(1);
    await look();
    const notice = {
      v: 1,
      kind: 'tips',
      count: 1,
      amountCents: 2_000,
      netCents: 1_940,
      upTo: 1,
      tag: 'tips-0',
      tip: {
        id: id ?? '',
        amountCents: 2_000,
        netAmountCents: 1_940,
        serviceCategory: 'bartender',
        createdAt: new Date(t.clock.nowMs).toISOString(),
        giverName: null,
        message: null,
        // Each device has a proof of its own (notification-thanks.test.ts).
        thanks: { texts: ['Thank you!', 'Thanks a lot, see you soon!'], proof: expect.any(String) },
      },
    };
    expect(phone.told()).toEqual([notice]);
    expect(tablet.told()).toEqual([notice]);
    await pass(5 * MINUTE_MS);
    expect(service.notices).toHaveLength(2);
    expect(others.told()).toEqual([]);
    expect(service.notices[0]).toMatchObject({
      ttl: DAY_MS / 1_000,
      urgency: 'high',
      subject: 'https://tips.example.com',
    });
  });

  test('is told with what its giver wrote on a device that is to show it, unless that is hidden', async () => {
    const { t, provider, customer, code, addDevice, pass, look } = await openNotificationScene();
    const phone = await addDevice();
    const watch = await addDevice(provider, true);
    const give = () =>
      customer.trpc.transactions.create.mutate({
        receiverQrId: code.id,
        amountCents: 2_000,
        serviceCategory: 'bartender',
        message: 'Best Negroni in town',
        withName: true,
      });
    await give();
    await look();
    const words = { giverName: customer.user.fullName, message: 'Best Negroni in town' };
    expect(phone.told()).toMatchObject([{ tip: { giverName: null, message: null } }]);
    expect(watch.told()).toMatchObject([{ tip: words }]);
    await pass(MINUTE_MS);
    const { id } = await give();
    await provider.trpc.messages.hide.mutate({ id, hidden: true });
    await look();
    expect(watch.told()).toMatchObject([{ tip: words }, { tip: { giverName: null, message: null } }]);
    expect(t.logLines.join('')).not.toContain('Negroni');
  });

  test('in another currency is told with its code and its digits, about which browsers disagree', async () => {
    const { addDevice, giveTips, look } = await openNotificationScene();
    const phone = await addDevice();
    await giveTips(1);
    putInForce({ ...SPECIFIED_TERMS, currency: 'HUF', exponent: 0 });
    onTestFinished(() => putInForce(SPECIFIED_TERMS));
    await look();
    expect(phone.told()).toMatchObject([{ amountCents: 2_000, currency: 'HUF', exponent: 0 }]);
  });

  test('that came before a device was added is not told', async () => {
    const { service, addDevice, giveTips, pass } = await openNotificationScene();
    await giveTips(3);
    const phone = await addDevice();
    await pass(MINUTE_MS);
    expect(service.requests()).toBe(0);
    await giveTips(1);
    await pass(SECOND_MS);
    expect(phone.told()).toMatchObject([{ count: 1, upTo: 4, tag: 'tips-3' }]);
  });

  test('is told to the key that the browser registered with', async () => {
    const { service, provider, customer, addDevice, giveTips, look } = await openNotificationScene();
    await addDevice();
    await giveTips(1);
    await look();
    const { publicKey } = await provider.trpc.notifications.key.query();
    expect(await customer.trpc.notifications.key.query()).toEqual({ publicKey });
    expect(Buffer.from(publicKey, 'base64url')).toHaveLength(65);
    expect(service.notices[0]?.key).toBe(publicKey);
  });

  test('that was refunded before it was told is not told', async () => {
    const { service, customer, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    const [id = ''] = await giveTips(2);
    await customer.trpc.transactions.refund.mutate({ id });
    await look();
    expect(phone.told()).toMatchObject([
      { count: 1, netCents: 1_940, upTo: 3, tip: { id: expect.not.stringMatching(id) } },
    ]);
    await pass(MINUTE_MS);
    expect(service.requests()).toBe(1);
  });

  test('that nobody could be told of for a day is no news any more', async () => {
    const { t, service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    await giveTips(2);
    t.clock.nowMs += DAY_MS;
    await giveTips(1);
    await look();
    expect(phone.told()).toMatchObject([{ count: 1, upTo: 3 }]);
    t.clock.nowMs += MINUTE_MS;
    await giveTips(1);
    t.clock.nowMs += DAY_MS;
    await pass(MINUTE_MS);
    expect(service.requests()).toBe(1);
  });

  test('that is given is no news to the devices of whoever gave it', async () => {
    const { service, customer, addDevice, giveTips, pass } = await openNotificationScene();
    await addDevice(customer);
    await giveTips(2);
    await pass(MINUTE_MS);
    expect(service.requests()).toBe(0);
  });

  test('is given also while its push service hangs, and nobody waits for it', async () => {
    const { t, service, addDevice, giveTips } = await openNotificationScene();
    const phone = await addDevice();
    const { held, release } = holding();
    service.plan({ is: 'held', until: held });
    await giveTips(1);
    const looking = t.app.sendNotifications();
    expect(await giveTips(3)).toHaveLength(3);
    release();
    await looking;
    expect(sum(counts(phone.told()))).toBeGreaterThanOrEqual(1);
  });
});

describe('many tips', () => {
  test('at once are one notice that counts', async () => {
    const { addDevice, giveTips, look } = await openNotificationScene();
    const phone = await addDevice();
    await giveTips(10);
    await look();
    expect(phone.told()).toMatchObject([{ count: 10, netCents: 19_400, upTo: 10, tip: null, tag: 'tips-0' }]);
  });

  test('in a flood are a notice each 15 seconds, and all are counted', async () => {
    const { addDevice, giveTips, pass } = await openNotificationScene();
    const phone = await addDevice();
    for (let second = 0; second < 60; second += 1) {
      await giveTips(1);
      await pass(SECOND_MS);
    }
    await pass(MINUTE_MS);
    expect(sum(counts(phone.told()))).toBe(60);
    expect(phone.told().length).toBeGreaterThanOrEqual(4);
    expect(phone.told().length).toBeLessThanOrEqual(5);
    expect(phone.told()[0]).toMatchObject({ count: 1, tip: { netAmountCents: 1_940 } });
  });

  test('that come soon after a notice are told when the pause is over, and no later', async () => {
    const { service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    // The pass over all devices, which is made each half a minute, is not the one that tells them.
    await look();
    await giveTips(1);
    await pass(SECOND_MS);
    for (let second = 0; second < 14; second += 1) {
      await giveTips(1);
      await pass(SECOND_MS);
    }
    expect(service.requests()).toBe(1);
    await pass(SECOND_MS);
    expect(counts(phone.told())).toEqual([1, 14]);
  });

  test('that a device has missed are told in as many notices as it takes, and all are counted', async () => {
    const { t, provider, code, customer, addDevice, pass } = await openNotificationScene();
    const phone = await addDevice();
    const tip = { receiverQrId: code.id, amountCents: 1_000, serviceCategory: 'bartender' } as const;
    for (let group = 0; group < 10; group += 1)
      await Promise.all(Array.from({ length: 50 }, () => customer.trpc.transactions.create.mutate(tip)));
    await pass(MINUTE_MS);
    expect(counts(phone.told())).toEqual([500]);
    expect((await provider.trpc.auth.me.query()).totalTipsReceivedCents).toBe(500 * 970);
    expect(t.logLines.filter((line) => line.includes('"level":40'))).toEqual([]);
  });
});

describe('a push service', () => {
  test.each([
    ['answers 500', { is: 'status', status: 500 }],
    ['answers 503', { is: 'status', status: 503 }],
    ['answers 429 without a word', { is: 'status', status: 429 }],
    ['cuts the line', { is: 'cut', when: 'before' }],
  ] as const)('that %s is asked again, with pauses that grow, until it has the notice', async (_, fault) => {
    const { service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan(...Array.from({ length: 5 }, () => fault));
    await giveTips(1);
    await look();
    const asked: number[] = [];
    for (const ms of [10 * SECOND_MS, 20 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS]) {
      asked.push(service.requests());
      await pass(ms);
    }
    expect(asked).toEqual([1, 2, 3, 4, 5]);
    expect(phone.told()).toMatchObject([{ count: 1 }]);
    await pass(DAY_MS);
    expect(phone.told()).toHaveLength(1);
  });

  test('that says when to come back is left alone until then', async () => {
    const { service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan({ is: 'status', status: 429, retryAfter: '120' });
    await giveTips(1);
    await look();
    await pass(119 * SECOND_MS);
    expect(service.requests()).toBe(1);
    await giveTips(2);
    await pass(SECOND_MS);
    expect(phone.told()).toMatchObject([{ count: 3 }]);
  });

  test('that asks for more than an hour is asked in an hour, so that nothing is lost', async () => {
    const { service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan({ is: 'status', status: 429, retryAfter: '9999999' });
    await giveTips(1);
    await look();
    await pass(59 * MINUTE_MS);
    expect(service.requests()).toBe(1);
    await pass(2 * MINUTE_MS);
    expect(phone.told()).toMatchObject([{ count: 1 }]);
  });

  test('that fails for most of a day gets the notice all the same, and no more once the day is over', async () => {
    const { service, addDevice, giveTips, pass } = await openNotificationScene();
    const [phone, tablet] = [await addDevice(), await addDevice()];
    for (const { endpoint } of [phone, tablet]) service.setFault(endpoint, { is: 'status', status: 500 });
    await giveTips(1);
    await pass(22 * 60 * MINUTE_MS);
    service.setFault(phone.endpoint, null);
    await pass(2 * 60 * MINUTE_MS);
    expect(phone.told()).toMatchObject([{ count: 1 }]);
    expect(tablet.told()).toEqual([]);
    service.setFault(tablet.endpoint, null);
    const asked = service.requests();
    await pass(DAY_MS);
    expect(tablet.told()).toEqual([]);
    expect(service.requests()).toBe(asked);
    await giveTips(1);
    await pass(2 * SECOND_MS);
    expect(tablet.told()).toMatchObject([{ count: 1 }]);
  });

  test.each([400, 401, 403, 413])('that refuses (%i) is asked seldom, and not given up', async (status) => {
    const { t, service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan({ is: 'status', status });
    await giveTips(1);
    await look();
    await pass(10 * MINUTE_MS);
    expect(service.requests()).toBe(1);
    await pass(10 * MINUTE_MS);
    expect(phone.told()).toMatchObject([{ count: 1 }]);
    expect(t.logLines.join('')).toContain(`status ${status}`);
  });

  test.each([404, 410])('that forgot a device (%i) is never asked for it again', async (status) => {
    const { service, provider, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    const tablet = await addDevice();
    service.setFault(phone.endpoint, { is: 'status', status });
    await giveTips(1);
    await look();
    expect((await provider.trpc.notifications.devices.query()).map(({ id }) => id)).toEqual([tablet.id]);
    expect(service.requests()).toBe(2);
    await giveTips(1);
    await pass(MINUTE_MS);
    expect(service.requests()).toBe(3);
    expect(sum(counts(tablet.told()))).toBe(2);
  });

  test('whose answer is lost gets the notice again, under the same tag and topic', async () => {
    const { service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan({ is: 'cut', when: 'after' });
    await giveTips(1);
    await look();
    await giveTips(1);
    await pass(MINUTE_MS);
    expect(phone.told()).toMatchObject([
      { count: 1, tag: 'tips-0' },
      { count: 2, tag: 'tips-0' },
    ]);
    const [first, second] = service.notices;
    expect(first?.topic).toMatch(/^[\w-]{32}$/);
    expect(first?.topic).toBe(second?.topic);
    await giveTips(1);
    await pass(MINUTE_MS);
    expect(phone.told()[2]).toMatchObject({ count: 1, tag: 'tips-2' });
    expect(service.notices[2]?.topic).not.toBe(first?.topic);
  });

  test('that does not answer holds up its own devices alone', async () => {
    const { t, provider, addDevice, giveTips, look } = await openNotificationScene();
    const hanging = await startPushService({ nowMs: () => t.clock.nowMs });
    onTestFinished(() => hanging.close());
    const { held, release } = holding();
    for (let count = 0; count < 10; count += 1) {
      const device = hanging.register();
      hanging.setFault(device.endpoint, { is: 'held', until: held });
      await provider.trpc.notifications.register.mutate(inWords(device));
    }
    const phone = await addDevice();
    await giveTips(1);
    const looking = look();
    await expect.poll(() => phone.told().length).toBe(1);
    await expect.poll(() => hanging.requests()).toBe(4);
    release();
    await looking;
    expect(hanging.notices).toHaveLength(10);
  });

  test('that cannot be reached is left alone for a moment, whoever the notice is for', async () => {
    const { service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const devices = [];
    for (let count = 0; count < 12; count += 1) devices.push(await addDevice());
    service.plan(...devices.map(() => ({ is: 'cut', when: 'before' }) as const));
    await giveTips(1);
    await look();
    expect(service.requests()).toBeLessThan(12);
    await pass(5 * MINUTE_MS);
    expect(devices.map(({ told }) => told().length)).toEqual(devices.map(() => 1));
  });

  test('that cannot be reached is left alone also by requests that come one after another, until one is answered', async () => {
    let nowMs = 0;
    const queue = createPushQueue(() => nowMs);
    const missed = {
      outcome: 'later',
      reason: 'no answer',
      retryAfterMs: null,
      isUnreachable: true,
    } as const;
    const ask = async (answer: PushOutcome = missed) => {
      const told = await queue.run('push.example.com', async () => answer);
      return told === 'postponed' ? 'postponed' : told?.outcome;
    };
    const askOften = async (count: number) => {
      const told = [];
      for (let index = 0; index < count; index += 1) told.push(await ask());
      return told;
    };
    const fourMisses = ['later', 'later', 'later', 'later'];
    expect(await askOften(6)).toEqual([...fourMisses, 'postponed', 'postponed']);
    nowMs += 5 * SECOND_MS;
    expect(await askOften(2)).toEqual(['later', 'postponed']);
    nowMs += 5 * SECOND_MS;
    expect(await ask({ outcome: 'delivered' })).toBe('delivered');
    expect(await askOften(5)).toEqual([...fourMisses, 'postponed']);
    // Misses of an outage that is long over do not count.
    nowMs += DAY_MS;
    expect(await askOften(5)).toEqual([...fourMisses, 'postponed']);
  });
});

describe('a device', () => {
  test('gets nothing any more once its session has ended, in whichever way', async () => {
    const { t, service, provider, addDevice, giveTips, pass } = await openNotificationScene();
    const owners: { trpc: typeof provider.trpc; device: Awaited<ReturnType<typeof addDevice>> }[] = [];
    for (let one = 0; one < 3; one += 1) {
      const trpc = t.trpc(await t.logIn('pat@example.com'));
      owners.push({ trpc, device: await addDevice({ trpc }) });
    }
    const phone = await addDevice();
    await owners[0]?.trpc.auth.logout.mutate();
    const { id = '' } =
      (await provider.trpc.notifications.devices.query()).find(
        (device) => device.id === owners[1]?.device.id,
      ) ?? {};
    await provider.trpc.notifications.remove.mutate({ id: id as typeof phone.id });
    await giveTips(1);
    await pass(MINUTE_MS);
    expect(owners.map(({ device }) => device.told().length)).toEqual([0, 0, 1]);
    await provider.trpc.auth.endOtherSessions.mutate();
    await giveTips(1);
    await pass(MINUTE_MS);
    expect(owners.map(({ device }) => device.told().length)).toEqual([0, 0, 1]);
    expect(phone.told()).toHaveLength(2);
    const { accessToken } = await provider.trpc.auth.changePassword.mutate({
      currentPassword: PASSWORD,
      newPassword: `${PASSWORD} staple`,
    });
    await giveTips(1);
    await pass(MINUTE_MS);
    expect(phone.told()).toHaveLength(3);
    const closing = { currentPassword: `${PASSWORD} staple`, confirmation: 'close' } as const;
    await t.trpc(accessToken).auth.close.mutate(closing);
    expect((await t.data.dump())['push_devices']).toEqual([]);
    expect(service.notices).toHaveLength(4);
  });

  test('gets nothing any more where its session ends while it waits for a push service', async () => {
    const { t, service, provider, giveTips, look } = await openNotificationScene();
    const lost = t.trpc(await t.logIn('pat@example.com'));
    const { held, release } = holding();
    for (let count = 0; count < 6; count += 1) {
      const device = service.register();
      service.setFault(device.endpoint, { is: 'held', until: held });
      await lost.notifications.register.mutate(inWords(device));
    }
    await giveTips(1);
    const looking = look();
    await expect.poll(() => service.requests()).toBe(4);
    await provider.trpc.auth.endOtherSessions.mutate();
    release();
    await looking;
    expect(service.requests()).toBe(4);
  });

  test('gets nothing any more once its session has expired, also before that is deleted', async () => {
    const { t, service, customer, addDevice, giveTips, look } = await openNotificationScene({
      config: { sessionLifetimeMs: 10 * MINUTE_MS },
    });
    await addDevice();
    for (const requests of [1, 1]) {
      t.clock.nowMs += 6 * MINUTE_MS;
      await giveTips(1);
      await look();
      expect(service.requests()).toBe(requests);
    }
    expect((await t.data.dump())['push_devices']).toHaveLength(1);
    await t.app.sweep();
    expect((await t.data.dump())['push_devices']).toEqual([]);
    expect(await customer.trpc.notifications.devices.query()).toEqual([]);
  });

  test('is listed, changed and removed, and told to nobody in full', async () => {
    const { t, provider, addDevice } = await openNotificationScene();
    const phone = await addDevice(provider, true);
    const other = { trpc: t.trpc(await t.logIn('pat@example.com')) };
    const tablet = await addDevice(other);
    const listed = await provider.trpc.notifications.devices.query();
    expect(listed).toHaveLength(2);
    expect(listed.find(({ id }) => id === phone.id)).toEqual({
      id: phone.id,
      device: null,
      isCurrent: true,
      withWords: true,
      createdAt: new Date(t.clock.nowMs).toISOString(),
    });
    expect(listed.find(({ id }) => id === tablet.id)).toMatchObject({ isCurrent: false, withWords: false });
    const changed = await provider.trpc.notifications.update.mutate({ id: phone.id, withWords: false });
    expect(changed).toMatchObject({ id: phone.id, withWords: false });
    expect(await provider.trpc.notifications.update.mutate({ id: phone.id })).toEqual(changed);
    await provider.trpc.notifications.remove.mutate({ id: phone.id });
    await expect(provider.trpc.notifications.remove.mutate({ id: phone.id })).rejects.toThrow(
      'Notifications are off for this device.',
    );
    expect(await other.trpc.notifications.devices.query()).toMatchObject([
      { id: tablet.id, isCurrent: true },
    ]);
  });

  test('that is registered again is the same one', async () => {
    const { provider, service } = await openNotificationScene();
    const device = inWords(service.register());
    const first = await provider.trpc.notifications.register.mutate(device);
    expect(await provider.trpc.notifications.register.mutate({ ...device, withWords: true })).toEqual({
      ...first,
      withWords: true,
    });
    const padded = {
      ...device,
      auth: `${device.auth}==`,
      p256dh: `${device.p256dh.replaceAll('-', '+').replaceAll('_', '/')}=`,
    };
    expect(await provider.trpc.notifications.register.mutate(padded)).toEqual(first);
  });

  test('of which there are too many pushes the oldest out', async () => {
    const { t, provider, addDevice } = await openNotificationScene();
    const ids: string[] = [];
    for (let count = 0; count < 21; count += 1) {
      ids.unshift((await addDevice()).id);
      t.clock.nowMs += 1;
    }
    expect((await provider.trpc.notifications.devices.query()).map(({ id }) => id)).toEqual(ids.slice(0, 20));
  });

  test.each([
    [
      'of no point of the curve',
      { p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString('base64url') },
    ],
    ['of the wrong form', { p256dh: Buffer.alloc(65, 2).toString('base64url') }],
    ['too short', { auth: Buffer.alloc(15).toString('base64url') }],
    ['too long', { auth: Buffer.alloc(17).toString('base64url') }],
    ['of no base64', { auth: '!'.repeat(22) }],
  ])('with keys %s is refused', async (_, keys) => {
    const { provider, service } = await openNotificationScene();
    const device = { ...inWords(service.register()), ...keys };
    await expect(provider.trpc.notifications.register.mutate(device)).rejects.toMatchObject({
      data: { errorCode: 'invalid_input', fieldErrors: [{ field: Object.keys(keys)[0] }] },
    });
    expect(await provider.trpc.notifications.devices.query()).toEqual([]);
  });

  test('can be tried out', async () => {
    const { t, provider, customer, service, addDevice, pass } = await openNotificationScene();
    const phone = await addDevice();
    const { id } = phone;
    await provider.trpc.notifications.test.mutate({ id });
    expect(phone.told()).toEqual([{ v: 1, kind: 'test', tag: 'test' }]);
    await expect(customer.trpc.notifications.test.mutate({ id })).rejects.toMatchObject({
      data: { errorCode: 'device_not_found' },
    });
    service.plan({ is: 'status', status: 500 });
    await expect(provider.trpc.notifications.test.mutate({ id })).rejects.toMatchObject({
      data: { errorCode: 'push_unavailable' },
    });
    service.forget(phone.endpoint);
    await expect(provider.trpc.notifications.test.mutate({ id })).rejects.toMatchObject({
      data: { errorCode: 'device_not_found' },
    });
    expect(await provider.trpc.notifications.devices.query()).toEqual([]);
    await pass(MINUTE_MS);
    expect(service.notices).toHaveLength(1);
    expect(t.logLines.join('')).not.toContain(phone.endpoint);
  });
});

describe('a server', () => {
  test('that starts again tells what was not told, at once, and the key stays', async () => {
    const { t, service, provider, addDevice, giveTips } = await openNotificationScene();
    const phone = await addDevice();
    const { publicKey } = await provider.trpc.notifications.key.query();
    service.plan({ is: 'held', until: new Promise(() => {}) });
    await giveTips(2);
    // What is under way never ends, as in a process that was killed.
    void t.app.sendNotifications();
    await expect.poll(() => service.notices.length).toBe(1);
    if (t.storage.isShared) t.clock.nowMs += 2 * MINUTE_MS;
    const again = await createTestApp({ data: t.data });
    again.clock.nowMs = t.clock.nowMs;
    await again.app.sendNotifications();
    expect(phone.told()).toMatchObject([
      { count: 2, tag: 'tips-0' },
      { count: 2, tag: 'tips-0' },
    ]);
    await again.app.sendNotifications();
    expect(service.requests()).toBe(2);
    const { accessToken } = await again
      .trpc()
      .auth.login.mutate({ email: 'pat@example.com', password: PASSWORD });
    expect(await again.trpc(accessToken).notifications.key.query()).toEqual({ publicKey });
  });

  test('whose clock was turned back does not keep devices waiting', async () => {
    const { t, service, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan({ is: 'status', status: 500 });
    await giveTips(1);
    await look();
    t.clock.nowMs -= 5 * DAY_MS;
    await giveTips(1);
    await pass(30 * SECOND_MS);
    expect(sum(counts(phone.told()))).toBe(2);
  });

  test('that cannot read or save says so, fails no tip, and tells later', async () => {
    const { t, addDevice, giveTips, look, pass } = await openNotificationScene();
    const phone = await addDevice();
    await giveTips(1);
    await t.data.setReadOnly(true);
    await look();
    await t.data.setReadOnly(false);
    expect(t.logLines.some((line) => line.includes('devices'))).toBe(true);
    await pass(MINUTE_MS);
    expect(phone.told()).toMatchObject([{ count: 1 }]);
  });

  test('says in its log to which push service a notice did not get, and never to whom', async () => {
    const { t, service, addDevice, giveTips, pass } = await openNotificationScene();
    const phone = await addDevice();
    service.plan({ is: 'status', status: 500 }, { is: 'cut', when: 'before' }, { is: 'status', status: 403 });
    await giveTips(1);
    await pass(30 * MINUTE_MS);
    const log = t.logLines.join('');
    expect(log).toContain(`127.0.0.1:${service.port}`);
    expect(phone.told()).toHaveLength(1);
    expect(log).not.toContain(phone.endpoint.split('/').at(-1));
  });
});
