/**
 * Devices that get notices, on SQLite: each method is one read, or one step of a group commit.
 */
import { claimEndsBefore, type Devices, type DueDevices } from '../devices.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Statements } from './statements.ts';

export function createDevices(
  statements: Statements,
  read: <Result>(step: () => Result) => Promise<Result>,
  write: GroupCommit['write'],
): Devices {
  function findDue(due: DueDevices) {
    const { nowMs, maxWaitMs, atMost, accounts } = due;
    const times = { nowMs, lastTryMs: nowMs + maxWaitMs, lastClaimMs: claimEndsBefore(due), atMost };
    return accounts === null
      ? statements.dueDevices.all(times)
      : statements.dueDevicesOf.all({ ...times, accounts: JSON.stringify(accounts) });
  }

  return {
    add: ({ id, userId, endpoint, createdAtMs, withWords, ...rest }, maxCount) =>
      write(() => {
        const sessionHash = Buffer.from(rest.sessionHash);
        const keys = { p256dh: Buffer.from(rest.p256dh), auth: Buffer.from(rest.auth) };
        const session = statements.positionInSession.get({ userId, sessionHash });
        if (!session) return { outcome: 'session_ended' };
        const present = statements.deviceAtEndpoint.get({ endpoint });
        const isOwn = present?.userId === userId;
        if (present && isOwn) {
          statements.renewDevice.run({ id: present.id, sessionHash, ...keys, withWords: withWords ? 1 : 0 });
        } else {
          if (present) statements.deleteDevice.run(present);
          statements.deleteOldDevices.run({ userId, keptCount: maxCount - 1 });
          statements.insertDevice.run({
            ...{ id, userId, sessionHash, endpoint, ...keys, withWords, createdAtMs },
            ...{ notifiedPosition: session.lastPosition, nextTryMs: 0, tries: 0, claimedUntilMs: 0 },
          });
        }
        const device = statements.deviceById.get({ id: present && isOwn ? present.id : id, userId });
        if (!device) throw new Error('a device that was added has gone');
        return { outcome: 'added', device };
      }),

    list: (userId, nowMs) => read(() => statements.devicesOfUser.all({ userId, nowMs })),

    change: (userId, id, withWords) =>
      write(() => {
        statements.changeDevice.run({ userId, id, withWords: withWords ? 1 : 0 });
        return statements.deviceById.get({ userId, id }) ?? null;
      }),

    remove: (userId, id) => write(() => statements.deleteDevice.run({ userId, id }).changes > 0),

    async claimDue(due) {
      // Mostly there is nothing to tell, which is no write.
      if ((await read(() => findDue(due))).length === 0) return [];
      const claimedUntilMs = due.nowMs + due.leaseMs;
      return write(() =>
        findDue(due).map((device) => {
          statements.claimDevice.run({ id: device.id, claimedUntilMs });
          return { ...device, claimedUntilMs };
        }),
      );
    },

    endClaims: () =>
      write(() => {
        statements.endClaims.run();
      }),

    settle: ({ id, claimedUntilMs }, settled) =>
      write(() => statements.settleDevice.run({ id, claimedUntilMs, ...settled }).changes > 0),

    forget: ({ id, claimedUntilMs }) =>
      write(() => {
        statements.forgetDevice.run({ id, claimedUntilMs });
      }),
  };
}
