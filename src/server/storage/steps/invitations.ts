/** Steps of invitations; the step that creates an account spends them (accounts.ts). */
import type { Invitations } from '../port/invitations.ts';
import { changing } from './audit.ts';
import type { Engine } from './engine.ts';

export function createInvitations(engine: Engine): Invitations {
  const { read, change } = engine;
  return {
    add: async (invitation, act) => {
      const row = { ...invitation, tokenHash: Buffer.from(invitation.tokenHash) };
      await changing(engine, act, ({ insertInvitation }) => insertInvitation.change(row));
    },

    find: async (tokenHash, nowMs) =>
      (await read(({ usableInvitation }) =>
        usableInvitation.one({ tokenHash: Buffer.from(tokenHash), nowMs }),
      )) ?? null,

    list: (nowMs) => read(({ usableInvitations }) => usableInvitations.all({ nowMs })),

    async revoke(id, nowMs, act) {
      // PostgreSQL refuses NUL in a text, so no invitation has it.
      if (id.includes('\0')) return false;
      const revoked = await changing(engine, act, ({ deleteUsableInvitation }) =>
        deleteUsableInvitation.change({ id, nowMs }),
      );
      return revoked > 0;
    },

    forgetEnded: (nowMs, atMost) =>
      change(({ deleteEndedInvitations }) => deleteEndedInvitations.change({ nowMs, atMost })),
  };
}
