/** Who is an operator. Only somebody with a shell adds them, makes links for them and removes them. */
import type { Limits } from '#server/limits/limits.ts';
import type { Act, ActAbout } from '#server/storage/port/audit.ts';
import type { Operator, Operators } from '#server/storage/port/operators.ts';
import { hashOfToken, newToken } from '#server/storage/rules/tokens.ts';
import type { Clock } from '#shared/calendar.ts';
import { ENROL_PATH } from '#shared/console/parts.ts';
import { newOperatorId, type RandomBytes } from '#shared/ids.ts';

export const LINK_MINUTES = 30;

export interface OperatorAccounts {
  /** @returns the link by which the operator gets in; null when the email is an operator's already. */
  add(email: string, act: ActAbout): Promise<string | null>;
  /** Makes a link in the place of all others; failed logins are forgotten. @returns null when nobody has this email. */
  makeLink(email: string, act: ActAbout): Promise<string | null>;
  /** Oldest first. */
  list(): Promise<Operator[]>;
  /** Removes an operator, whose sessions and links end at once; the last one stays. */
  remove(email: string, act: ActAbout): Promise<'removed' | 'last' | 'unknown'>;
}

export function createOperatorAccounts(deps: {
  readonly storage: Operators;
  readonly limits: Pick<Limits, 'unlockOperator'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
}): OperatorAccounts {
  const { storage, limits, clock, random, publicUrl } = deps;

  function newLink() {
    const token = newToken(random);
    const link = { tokenHash: hashOfToken(token), expiresAtMs: clock() + LINK_MINUTES * 60_000 };
    return { link, url: `${publicUrl}${ENROL_PATH}#${token}` };
  }

  return {
    async add(email, act) {
      const id = newOperatorId(random);
      const { link, url } = newLink();
      const outcome = await storage.add({ id, email, createdAtMs: clock() }, link, act(id));
      return outcome === 'added' ? url : null;
    },

    async makeLink(email, act) {
      const found = await storage.find(email);
      if (!found) return null;
      const { link, url } = newLink();
      if (!(await storage.addLink(found.operator.id, link, act(found.operator.id)))) return null;
      await limits.unlockOperator(email);
      return url;
    },

    list: () => storage.list(),

    async remove(email, act) {
      const found = await storage.find(email);
      return found ? storage.remove(found.operator.id, act(found.operator.id)) : 'unknown';
    },
  };
}

/** @param address of the request. */
export function ownAct(operator: Operator, address: string, action: Act['action'], nowMs: number): Act {
  const actor = { kind: 'operator', name: operator.email, host: address } as const;
  return { actor, action, subject: operator.id, reason: null, atMs: nowMs };
}
