/** Logging in and second factors, over one service of factors. */
import { createFactors } from '#server/factors/factors.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { RandomBytes } from '#shared/ids.ts';
import type { FactorDuty } from './factor-duty.ts';
import { createLogins } from './logins.ts';
import type { Passwords } from './passwords.ts';
import { createSecondFactors } from './second-factors.ts';
import type { Sessions } from './sessions.ts';

export function createWaysIn(deps: {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  /** Seals the secrets of authenticator apps. */
  readonly key: Uint8Array;
  readonly draft: DraftMail;
  readonly factorDuty: FactorDuty;
}) {
  const factors = createFactors(deps);
  return {
    factors,
    logins: createLogins({ ...deps, factors }),
    secondFactors: createSecondFactors({ ...deps, factors }),
  };
}
