/**
 * Devices that get notices, on PostgreSQL: each method is one statement, or one transaction.
 */
import { claimEndsBefore, type Devices, type NewDevice } from '../devices.ts';
import type { AtomicSteps } from './atomic-steps.ts';
import type { Statements } from './statements.ts';

export function createDevices(steps: AtomicSteps): Devices {
  return {
    add: (device, maxCount) =>
      steps.transact(async ({ statements, begun }) => {
        await begun;
        return add(statements, device, maxCount);
      }, 'repeat'),

    list: (userId, nowMs) => steps.run((statements) => statements.devicesOfUser.execute({ userId, nowMs })),

    change: (userId, id, withWords) =>
      steps.run(async (statements) => {
        await statements.changeDevice.execute({ userId, id, withWords });
        return (await statements.deviceById.execute({ userId, id }))[0] ?? null;
      }),

    // Repeated after a lost connection it may find nothing any more, and says so; the device is gone all the same.
    remove: (userId, id) =>
      steps.run(
        async (statements) => ((await statements.deleteDevice.execute({ userId, id })).rowCount ?? 0) > 0,
      ),

    // Repeated after a lost connection it finds none of those that the lost one claimed: they are due again when the lease ends.
    claimDue: (due) =>
      steps.run((statements) => {
        const { nowMs, leaseMs, maxWaitMs, atMost, accounts } = due;
        return statements.claimDueDevices.execute({
          nowMs,
          atMost,
          accounts,
          claimedUntilMs: nowMs + leaseMs,
          lastTryMs: nowMs + maxWaitMs,
          lastClaimMs: claimEndsBefore(due),
        });
      }),

    endClaims: () =>
      steps.run(async (statements) => {
        await statements.endClaims.execute();
      }),

    settle: ({ id, claimedUntilMs }, settled) =>
      steps.run(
        async (statements) =>
          ((await statements.settleDevice.execute({ id, claimedUntilMs, ...settled })).rowCount ?? 0) > 0,
      ),

    forget: ({ id, claimedUntilMs }) =>
      steps.run(async (statements) => {
        await statements.forgetDevice.execute({ id, claimedUntilMs });
      }),
  };
}

async function add(
  statements: Statements,
  { id, userId, endpoint, createdAtMs, withWords, ...rest }: NewDevice,
  maxCount: number,
): ReturnType<Devices['add']> {
  const sessionHash = Buffer.from(rest.sessionHash);
  const keys = { p256dh: Buffer.from(rest.p256dh), auth: Buffer.from(rest.auth) };
  // What registers for the account at the same time waits, so that the devices can be counted; what registers the endpoint does as well.
  await statements.lockName.execute({ kind: 'devices', name: userId });
  await statements.lockName.execute({ kind: 'endpoint', name: endpoint });
  if ((await statements.holdSession.execute({ userId, sessionHash })).length === 0)
    return { outcome: 'session_ended' };
  const [present] = await statements.lockDeviceAtEndpoint.execute({ endpoint });
  const isOwn = present?.userId === userId;
  if (present && isOwn) {
    await statements.renewDevice.execute({ id: present.id, sessionHash, ...keys, withWords });
  } else {
    if (present) await statements.deleteDevice.execute(present);
    const [account] = await statements.lastPosition.execute({ userId });
    await statements.deleteOldDevices.execute({ userId, keptCount: maxCount - 1 });
    await statements.insertDevice.run({
      ...{ id, userId, sessionHash, endpoint, ...keys, withWords, createdAtMs },
      ...{ notifiedPosition: account?.lastPosition ?? 0, nextTryMs: 0, tries: 0, claimedUntilMs: 0 },
    });
  }
  const [device] = await statements.deviceById.execute({ id: present && isOwn ? present.id : id, userId });
  if (!device) throw new Error('a device that was added has gone');
  return { outcome: 'added', device };
}

/** Forgets the keys of the installation, and the devices that are known under one of them. */
export async function forgetSecrets(statements: Statements): Promise<void> {
  await statements.deleteDevices.execute();
  await statements.deleteSecrets.execute();
}
