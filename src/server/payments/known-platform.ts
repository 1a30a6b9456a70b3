/** The operator's own account at the payment service (the platform), which is not known until its first answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { type PaymentService, PaymentServiceUnavailable } from './payment-service.ts';

/** How long a tip page waits for the payment service, once, to learn which platform the present keys are of. */
const PAGE_PATIENCE_MS = 2_000;

export interface KnownPlatform {
  /** Null while it is not known. */
  now(): string | null;
  /** Asks for it. @throws PaymentServiceUnavailable. */
  learn(): Promise<string>;
  /** Null while it is not known. Only the first pages wait, because the sweep asks again each minute. */
  forPages(): Promise<string | null>;
  /** Whether a payment or account is of the present keys, as far as that is known. */
  isOfKeys(owned: Owned): boolean;
}

export type Owned = Pick<PaymentRecord, 'paymentMode' | 'platform'>;

/** The present keys; the platform is null while it is not known. */
export interface Keys {
  readonly mode: PaymentMode;
  readonly platform: string | null;
}

/** Whether a payment or account is of these keys. Where a platform is not known, the mode decides. */
export function isOfKeys({ paymentMode, platform }: Owned, keys: Keys): boolean {
  const isOther = platform !== null && keys.platform !== null && platform !== keys.platform;
  return paymentMode === keys.mode && !isOther;
}

/** Keeps what is of the present keys, by the mode alone while the payment service does not tell the platform. */
export async function ofKeys<One extends Owned>(
  service: Pick<PaymentService, 'mode' | 'platform'>,
  all: readonly One[],
): Promise<readonly One[]> {
  if (all.length === 0) return all;
  const keys = await keysOf(service);
  return all.filter((one) => isOfKeys(one, keys));
}

export async function keysOf(service: Pick<PaymentService, 'mode' | 'platform'>): Promise<Keys> {
  const platform = await service.platform().catch((err: unknown) => {
    if (err instanceof PaymentServiceUnavailable) return null;
    throw err;
  });
  return { mode: service.mode, platform };
}

export function createKnownPlatform(deps: {
  readonly service: Pick<PaymentService, 'mode' | 'platform'>;
  /** Told why the payment service did not answer a page; it throws any other error. */
  tellUnavailable(err: unknown): void;
}): KnownPlatform {
  const { service, tellUnavailable } = deps;
  let known: string | null = null;
  let firstAnswer: Promise<void> | null = null;

  async function learn(): Promise<string> {
    known = await service.platform();
    return known;
  }

  return {
    now: () => known,
    learn,

    async forPages() {
      const asked = async () => void (await learn().catch(tellUnavailable));
      firstAnswer ??= Promise.race([asked(), sleep(PAGE_PATIENCE_MS, undefined, { ref: false })]);
      await firstAnswer;
      return known;
    },

    isOfKeys: (owned) => isOfKeys(owned, { mode: service.mode, platform: known }),
  };
}
