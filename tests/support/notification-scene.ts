/** A provider with a device at a stand-in for a push service, and a customer who tips them. */
import { expect, onTestFinished } from 'vitest';
import { inWords } from './push-devices.ts';
import { startPushService } from './push-service.ts';
import { createTestApp } from './test-app.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const DAY_MS = 1_440 * MINUTE_MS;

/** @param options of the app. */
export async function openNotificationScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const service = await startPushService({ nowMs: () => t.clock.nowMs });
  onTestFinished(async () => {
    await t.app.endNotifications();
    await service.close();
    expect(service.problems).toEqual([]);
  });
  const { provider, customer, code } = await t.setTheScene();

  async function addDevice(owner: Pick<typeof provider, 'trpc'> = provider, withWords = false) {
    const made = service.register();
    const device = await owner.trpc.notifications.register.mutate({ ...inWords(made), withWords });
    return { ...made, id: device.id, told: () => service.payloadsOf(made.endpoint) };
  }

  async function giveTips(count: number): Promise<string[]> {
    const ids: string[] = [];
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    for (let given = 0; given < count; given += 1)
      ids.push((await customer.trpc.transactions.create.mutate(tip)).id);
    return ids;
  }

  /** Lets time pass, with a look at what is due in each second until then as long as that is near. */
  async function pass(ms: number): Promise<void> {
    const endMs = t.clock.nowMs + ms;
    while (t.clock.nowMs < endMs) {
      const step = ms > 5 * MINUTE_MS ? MINUTE_MS : SECOND_MS;
      t.clock.nowMs = Math.min(endMs, t.clock.nowMs + step);
      await t.app.sendNotifications();
    }
  }

  return {
    t,
    service,
    provider,
    customer,
    code,
    addDevice,
    giveTips,
    pass,
    look: () => t.app.sendNotifications(),
  };
}
