import type { Devices } from '../port/devices.ts';
import { type Engine, type StepOf, transacting } from './engine.ts';
import { claimDueRows } from './spans.ts';

export function createDevices(engine: Engine): Devices {
  const { isShared, read, change } = engine;
  return {
    add: transacting(engine)(add),

    list: (userId, nowMs) => read(({ devicesOfUser }) => devicesOfUser.all({ userId, nowMs })),

    change: transacting(engine)(changeDevice),

    remove: transacting(engine)(remove),

    // A repetition after a lost connection does not find the devices of the first claim, which are due again when
    // that ends.
    claimDue: async (due) =>
      claimDueRows(isShared, due, {
        endAfter: (after) => read(({ endOfDevices }) => endOfDevices.one({ after })),
        findAny: (meant) =>
          read(({ dueDevices, dueDevicesOf }) =>
            (meant.accounts === null ? dueDevices : dueDevicesOf).one({ ...meant }),
          ),
        claim: (meant) =>
          change(({ claimDueDevices, claimDueDevicesOf }) =>
            (meant.accounts === null ? claimDueDevices : claimDueDevicesOf).all({ ...meant }),
          ),
      }),

    isClaimed: async ({ id, claimedUntilMs }) =>
      (await read(({ claimedDevice }) => claimedDevice.one({ id, claimedUntilMs }))) !== undefined,

    endClaims: async () => {
      await change(({ endClaims }) => endClaims.change({}));
    },

    settle: async ({ id, claimedUntilMs }, settled) =>
      (await change(({ settleDevice }) => settleDevice.change({ id, claimedUntilMs, ...settled }))) > 0,

    forget: async ({ id, claimedUntilMs }) => {
      await change(({ forgetDevice }) => forgetDevice.change({ id, claimedUntilMs }));
    },
  };
}

const add: StepOf<Devices['add']> = function* (statements, _, device, maxCount) {
  const { id, userId, endpoint, withWords } = device;
  const sessionHash = Buffer.from(device.sessionHash);
  const keys = { p256dh: Buffer.from(device.p256dh), auth: Buffer.from(device.auth) };
  // Other registrations of the account and of the endpoint wait, so that the devices can be counted.
  yield* statements.lockName.all({ kind: 'devices', name: userId });
  yield* statements.lockName.all({ kind: 'endpoint', name: endpoint });
  if (!(yield* statements.holdSession.one({ userId, sessionHash }))) return { outcome: 'session_ended' };
  const present = yield* statements.lockDeviceAtEndpoint.one({ endpoint });
  const own = present?.userId === userId ? present : undefined;
  if (own) {
    yield* statements.renewDevice.change({ id: own.id, sessionHash, ...keys, withWords });
  } else {
    if (present) yield* statements.deleteDevice.change({ ...present });
    const account = yield* statements.lastPosition.one({ userId });
    yield* statements.deleteOldDevices.change({ userId, keptCount: maxCount - 1 });
    yield* statements.insertDevice.change({
      ...device,
      ...keys,
      sessionHash,
      notifiedPosition: account?.lastPosition ?? 0,
      nextTryMs: 0,
      tries: 0,
      claimedUntilMs: 0,
    });
  }
  const added = yield* statements.deviceById.one({ id: own?.id ?? id, userId });
  if (!added) throw new Error('a device that was added has gone');
  return { outcome: 'added', device: added };
};

const changeDevice: StepOf<Devices['change']> = function* (statements, _, userId, id, withWords) {
  yield* statements.changeDevice.change({ userId, id, withWords });
  return (yield* statements.deviceById.one({ userId, id })) ?? null;
};

const remove: StepOf<Devices['remove']> = function* ({ deleteDevice }, isRepeated, userId, id) {
  return (yield* deleteDevice.change({ userId, id })) > 0 || isRepeated;
};
