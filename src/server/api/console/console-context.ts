/**
 * The context of every procedure of the operator's console. No account is in it, so that nothing of a person's session
 * can be read where an operator acts.
 */
import type { Context as HonoContext } from 'hono';
import type { AccountSupport } from '#server/auth/account-support.ts';
import { deviceFrom } from '#server/auth/devices.ts';
import type { PasswordLinks } from '#server/auth/password-links.ts';
import type { Suspending } from '#server/auth/suspending.ts';
import type { SessionOrigin } from '#server/operators/operator-sessions.ts';
import type { OperatorServices } from '#server/operators/operators.ts';
import type { People } from '#server/people/people.ts';
import type { CodeSupport } from '#server/qr-codes/code-support.ts';
import type { OnHangUp } from '#server/queue/fair-queue.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { FeeIncomes } from '#server/tips/fee-income.ts';
import type { TipSupport } from '#server/tips/tip-support.ts';
import type { Clock } from '#shared/calendar.ts';
import type { Backups } from '#shared/console/backups.ts';
import type { Health, PaymentSigns } from '#shared/console/health.ts';
import type { InstallationSettings } from '#shared/console/installation.ts';
import { groupsAround } from '../http/client-address.ts';
import { nodeSideOf } from '../http/envelope.ts';
import type { Arrival } from '../http/request-log.ts';
import { bearerToken, onClose, type Services } from '../procedures/context.ts';

export interface Upkeep {
  readonly health: {
    /** @param payments null without a watch over payments. */
    read(streams: number, payments: PaymentSigns | null): Promise<Health>;
  };
  readonly backups: {
    read(): Promise<Backups>;
    state(): 'free' | 'busy' | 'off';
    begin(): 'begun' | 'busy' | 'off';
  };
}

export interface ConsoleServices extends Services, OperatorServices {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly upkeep: Upkeep;
  readonly accountSupport: AccountSupport;
  readonly tipSupport: TipSupport;
  readonly codeSupport: CodeSupport;
  readonly feeIncome: FeeIncomes;
  readonly people: People;
  readonly suspending: Suspending;
  readonly passwordLinks: PasswordLinks;
  /** As they were read at the start. */
  readonly settings: InstallationSettings;
}

export interface ConsoleContext {
  readonly services: ConsoleServices;
  readonly requestId: string;
  readonly arrival: Arrival;
  /** The bearer token of the request, not yet checked. */
  readonly token: string | null;
  /** False for a request that a page makes by itself, which does not prolong the session. */
  readonly isUse: boolean;
  sessionOrigin(): SessionOrigin;
  caller(): ReturnType<typeof groupsAround>;
  readonly onHangUp: OnHangUp;
}

/** A page says by this header that nobody is behind its request, such as one that repeats by the clock. */
const UNATTENDED_HEADER = 'Unattended';

export function createConsoleContextReader(services: ConsoleServices): (c: HonoContext) => ConsoleContext {
  return (c) => {
    const arrival = c.get('arrival');
    const socket = nodeSideOf(c).incoming?.socket;
    return {
      services,
      requestId: arrival.requestId,
      arrival,
      token: bearerToken(c.req.header('Authorization')),
      isUse: c.req.header(UNATTENDED_HEADER) === undefined,
      sessionOrigin: () => ({ address: arrival.address, device: deviceFrom(c.req.header('User-Agent')) }),
      caller: () => groupsAround(arrival.address),
      onHangUp: (listener) => onClose(socket, listener),
    };
  };
}
