/**
 * Providers' accounts at the payment service, which receive their tips: opening an account, its missing
 * requirements, and links to the payment service's pages.
 */
import type { PayoutAccount } from '#server/storage/port/payments.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import type { PayoutStatus } from '#shared/payments.ts';
import { type PaymentService, PaymentServiceUnavailable } from './payment-service.ts';

export interface Payouts {
  /**
   * Tells if a provider can be paid, and what is missing. The payment service is asked only while they cannot
   * be paid.
   */
  status(provider: Account): Promise<PayoutStatus>;
  /**
   * Opens an account at the payment service unless the provider has one, and returns the page on which to
   * complete it.
   * @throws AppError `provider_not_payable` when none of their services is served, or payments are simulated;
   *   `payment_unavailable`.
   */
  onboard(provider: Account): Promise<{ readonly url: string }>;
  /**
   * The payment service's dashboard of the account. @throws AppError `provider_not_payable` without an
   * account; `payment_unavailable`.
   */
  openDashboard(provider: Account): Promise<{ readonly url: string }>;
}

const ASK_INTERVAL_MS = 5_000;

export function createPayouts(deps: {
  readonly storage: Pick<Storage, 'payments'>;
  /** Null for simulated payments. */
  readonly service: PaymentService | null;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly excludedCategories: readonly ServiceCategory[];
}): Payouts {
  const { service, clock, publicUrl, excludedCategories } = deps;
  const { payments } = deps.storage;
  const returnUrl = `${publicUrl}/dashboard?payouts=back`;
  const askedAtMs = new Map<UserId, number>();

  const isServed = (category: ServiceCategory) => !excludedCategories.includes(category);

  async function refreshed(known: PayoutAccount, asked: PaymentService): Promise<PayoutAccount> {
    const { userId, accountId, paymentMode } = known;
    const now = clock();
    if (known.chargesEnabled || now < (askedAtMs.get(userId) ?? 0) + ASK_INTERVAL_MS) return known;
    for (const [id, atMs] of askedAtMs) if (atMs + ASK_INTERVAL_MS <= now) askedAtMs.delete(id);
    askedAtMs.set(userId, now);
    try {
      const told = await asked.findAccount(accountId);
      if (!told) return known;
      const account = { userId, paymentMode, ...told };
      if (told.chargesEnabled || told.missing.join() !== known.missing.join())
        await payments.savePayoutAccount(account, now);
      return account;
    } catch (error) {
      if (error instanceof PaymentServiceUnavailable) return known;
      throw error;
    }
  }

  /** Test accounts do not exist where real money moves, and the other way round. */
  function findAccount(userId: UserId, { mode }: PaymentService): Promise<PayoutAccount | null> {
    return payments.findPayoutAccount({ userId, paymentMode: mode });
  }

  async function link(make: (asked: PaymentService) => Promise<string>): Promise<{ readonly url: string }> {
    if (!service) throw new AppError('provider_not_payable');
    try {
      return { url: await make(service) };
    } catch (error) {
      if (error instanceof PaymentServiceUnavailable) throw new AppError('payment_unavailable');
      throw error;
    }
  }

  return {
    async status(provider) {
      const known = service && (await findAccount(provider.id, service));
      const account = known && (await refreshed(known, service));
      return {
        mode: service?.mode ?? 'simulated',
        excludedCategories: service ? provider.serviceCategories.filter((one) => !isServed(one)) : [],
        account: account && { chargesEnabled: account.chargesEnabled, missing: [...account.missing] },
      };
    },

    onboard: (provider) =>
      link(async (asked) => {
        if (!provider.serviceCategories.some(isServed)) throw new AppError('provider_not_payable');
        const known = await findAccount(provider.id, asked);
        const account = known ?? (await asked.openAccount({ email: provider.email, key: provider.id }));
        const owner = { userId: provider.id, paymentMode: asked.mode };
        if (!known) await payments.savePayoutAccount({ ...owner, ...account }, clock());
        return asked.linkToOnboarding(account.accountId, returnUrl);
      }),

    openDashboard: (provider) =>
      link(async (asked) => {
        const known = await findAccount(provider.id, asked);
        if (!known) throw new AppError('provider_not_payable');
        return asked.linkToDashboard(known.accountId);
      }),
  };
}
