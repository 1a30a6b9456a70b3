/** The services of operators, as the console has them. */
import type { Passwords } from '#server/auth/passwords.ts';
import type { Factors } from '#server/factors/factors.ts';
import type { Limits } from '#server/limits/limits.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { RandomBytes } from '#shared/ids.ts';
import { createOperatorAccounts, type OperatorAccounts } from './operator-accounts.ts';
import { createOperatorSessions, type OperatorSessions } from './operator-sessions.ts';
import { createOperatorWaysIn, type OperatorWaysIn } from './ways-in.ts';

export interface OperatorServices {
  readonly operators: OperatorAccounts;
  readonly operatorSessions: OperatorSessions;
  readonly waysIn: OperatorWaysIn;
}

export function createOperators(
  deps: {
    readonly storage: Pick<Storage, 'operators'>;
    readonly passwords: Passwords;
    readonly clock: Clock;
    readonly random: RandomBytes;
    readonly config: { readonly publicUrl: string };
  },
  { factors, limits }: { readonly factors: Factors; readonly limits: Limits },
): OperatorServices {
  const { passwords, clock, random, config } = deps;
  const { publicUrl } = config;
  const storage = deps.storage.operators;
  const operatorSessions = createOperatorSessions({ storage, clock, random });
  return {
    operators: createOperatorAccounts({ storage, limits, clock, random, publicUrl }),
    operatorSessions,
    waysIn: createOperatorWaysIn({ storage, sessions: operatorSessions, factors, passwords, clock }),
  };
}
