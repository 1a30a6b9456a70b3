/** What the payment service says of providers' accounts. It is read and then saved, never taken from an event. */
import type { Logger } from 'pino';
import { CLOCKS_APART_MS } from '#server/storage/port/outboxes.ts';
import type { PayoutAccount } from '#server/storage/port/payments.ts';
import { type Storage, StorageUnavailable } from '#server/storage/port/storage.ts';
import { type Clock, isWithin } from '#shared/calendar.ts';
import type { UserId } from '#shared/ids.ts';
import { OTHER_CURRENCY, type PaymentService, PaymentServiceUnavailable } from './payment-service.ts';
import { takeEach } from './take-each.ts';

export interface PayoutAccounts {
  /**
   * The account as it was read last, also one that is gone. One from before platforms were stored belongs to the
   * present platform once it was read under its keys. @throws PaymentServiceUnavailable when the platform is unknown.
   */
  find(userId: UserId): Promise<PayoutAccount | null>;
  /**
   * As `find`, but read again while it cannot be paid or paid out, or when the last read is some minutes old; as it is
   * known while the payment service does not answer.
   */
  findFresh(userId: UserId): Promise<PayoutAccount | null>;
  /** Reads an account and saves it. @returns null for one that nobody here has. @throws PaymentServiceUnavailable. */
  refresh(accountId: string): Promise<PayoutAccount | null>;
  /** Reads accounts of which nothing was read for a day, a few at a time. Call it every minute. */
  sweep(): Promise<void>;
}

/** In the place of the payment service's reason, for an account that it does not know any more. */
const GONE = 'gone';

const IMPATIENT_INTERVAL_MS = 5_000;
const PATIENT_INTERVAL_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const READ_AT_ONCE = 20;

export function isGone({ disabledReason }: Pick<PayoutAccount, 'disabledReason'>): boolean {
  return disabledReason === GONE;
}

export function createPayoutAccounts(deps: {
  readonly storage: Pick<Storage, 'payments'>;
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when the daily look finds what an event should have told. */
  tellUnheard(): void;
}): PayoutAccounts {
  const { service, clock, log } = deps;
  const { payments } = deps.storage;
  const paymentMode = service.mode;

  /** When accounts were asked for in vain. Others are read first. */
  const unanswered = new Map<string, number>();
  const looking = new Map<string, Promise<PayoutAccount>>();

  /** Whoever looks meanwhile waits for the same answer. An event needs an answer of its own, which is younger than it. */
  function look(known: PayoutAccount): Promise<PayoutAccount> {
    const { accountId } = known;
    const begun = looking.get(accountId) ?? read(known).finally(() => looking.delete(accountId));
    looking.set(accountId, begun);
    return begun;
  }

  /** Whether it was read before this clock was turned back, so that the time of it says nothing. */
  const isFromFuture = ({ readAtMs }: PayoutAccount) => readAtMs > clock() + CLOCKS_APART_MS;

  async function read(known: PayoutAccount): Promise<PayoutAccount> {
    const readAtMs = clock();
    const told = await service.findAccount(known.accountId);
    // An answer that was asked for later may have been saved meanwhile, and so may another account.
    const present = await payments.findPayoutAccount({ accountId: known.accountId });
    if (!present || (present.readAtMs > readAtMs && !isFromFuture(present))) return present ?? known;
    const account: PayoutAccount = told
      ? {
          ...known,
          ...told,
          country: told.country ?? known.country,
          platform: await service.platform(),
          readAtMs,
        }
      : {
          ...known,
          chargesEnabled: false,
          payoutsEnabled: false,
          missing: [],
          disabledReason: GONE,
          readAtMs,
        };
    if (!told && !isGone(known))
      log.warn({ account: known.accountId }, 'the payment service does not know an account any more');
    if (told?.disabledReason === OTHER_CURRENCY && known.disabledReason !== OTHER_CURRENCY)
      log.warn(
        { account: known.accountId, country: account.country },
        'an account has another currency than tips',
      );
    await payments.savePayoutAccount(account, clock());
    return account;
  }

  async function find(userId: UserId): Promise<PayoutAccount | null> {
    return payments.findPayoutAccount({ userId, paymentMode, platform: await service.platform() });
  }

  async function refresh(accountId: string): Promise<PayoutAccount | null> {
    const known = await payments.findPayoutAccount({ accountId });
    return known && read(known);
  }

  return {
    find,

    async findFresh(userId) {
      const known = await find(userId);
      if (!known || isGone(known)) return known;
      const isWell = known.chargesEnabled && known.payoutsEnabled;
      const restMs = isWell ? PATIENT_INTERVAL_MS : IMPATIENT_INTERVAL_MS;
      if (clock() < known.readAtMs + restMs && !isFromFuture(known)) return known;
      try {
        return await look(known);
      } catch (error) {
        if (error instanceof PaymentServiceUnavailable) return known;
        throw error;
      }
    },

    refresh,

    async sweep() {
      const platform = await service.platform();
      const nowMs = clock();
      for (const [accountId, atMs] of unanswered)
        if (!isWithin(HOUR_MS, atMs, nowMs)) unanswered.delete(accountId);
      const stale = await payments.listStalePayoutAccounts(
        { paymentMode, platform },
        nowMs - DAY_MS,
        READ_AT_ONCE + unanswered.size,
      );
      await takeEach(
        stale.filter(({ accountId }) => !unanswered.has(accountId)),
        {
          nameOf: ({ accountId }) => accountId,
          async take(known) {
            const { accountId, chargesEnabled, payoutsEnabled } = known;
            try {
              const told = await read(known);
              if (told.chargesEnabled !== chargesEnabled || told.payoutsEnabled !== payoutsEnabled)
                deps.tellUnheard();
            } catch (err) {
              if (err instanceof StorageUnavailable) throw err;
              unanswered.set(accountId, nowMs);
              if (err instanceof PaymentServiceUnavailable)
                log.warn({ err, account: accountId }, 'an account at the payment service was not read');
              throw err;
            }
          },
          tellFault(err) {
            throw err;
          },
        },
      );
    },
  };
}
