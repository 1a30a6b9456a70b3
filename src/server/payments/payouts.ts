/** How providers are paid: opening an account, what it still asks for, what it holds, and links to its pages. */
import { createHash } from 'node:crypto';
import type { PayoutAccount } from '#server/storage/port/payments.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { receiverPartOf } from '#server/storage/rules/debts.ts';
import { type Clock, isoTime, isWithin } from '#shared/calendar.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Cents, cents } from '#shared/money.ts';
import { PROVIDER_PREFIX, TIP_PREFIX } from '#shared/page-paths.ts';
import type { PayoutBalance, PayoutStatus } from '#shared/payments.ts';
import { isOfKeys } from './known-platform.ts';
import {
  type AccountBalance,
  type AccountProfile,
  type PaymentService,
  PaymentServiceUnavailable,
} from './payment-service.ts';
import { isGone, type PayoutAccounts } from './payout-accounts.ts';

export interface Payouts {
  /** Whether a provider can be paid. @throws AppError `payment_unavailable` while nothing was ever answered. */
  status(provider: Account): Promise<PayoutStatus>;
  /**
   * What the account holds, and the next payout; asked at most every half minute.
   * @throws AppError `provider_not_payable` without an account; `payment_unavailable`.
   */
  balance(provider: Account): Promise<PayoutBalance>;
  /**
   * Opens an account unless the provider has one, and returns the page on which to complete it.
   * @param country ISO 3166-1 alpha-2; needed to open an account.
   * @throws AppError `provider_not_payable` when none of their services is served, or payments are simulated;
   * `invalid_input` without the country; `payout_account_refused`; `payment_unavailable`.
   */
  onboard(provider: Account, country: string | undefined): Promise<{ readonly url: string }>;
  /** @throws AppError `provider_not_payable` without an account; `payment_unavailable`. */
  openDashboard(provider: Account): Promise<{ readonly url: string }>;
}

const COUNTRY_NEEDED = 'Choose the country where you live, or where your business is registered.';
/** More debts than anybody has. */
const DEBTS_AT_MOST = 1_000;
const BALANCE_INTERVAL_MS = 30_000;

export function createPayouts(deps: {
  readonly storage: Pick<Storage, 'payments' | 'listQrCodes'>;
  /** Null for simulated payments. */
  readonly real: { readonly service: PaymentService; readonly accounts: PayoutAccounts } | null;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly excludedCategories: readonly ServiceCategory[];
}): Payouts {
  const { storage, real, clock, publicUrl, excludedCategories } = deps;
  const { payments } = storage;
  const returnUrl = `${publicUrl}/dashboard?payouts=back`;
  const isServed = (category: ServiceCategory) => !excludedCategories.includes(category);
  const readBalance = createBalances(clock);
  const openAccount = createOpenAccount({ storage, clock, publicUrl, isServed });

  /** @throws AppError for simulated payments, and when the payment service does not answer. */
  async function asking<Answer>(ask: (asked: NonNullable<typeof real>) => Promise<Answer>): Promise<Answer> {
    if (!real) throw new AppError('provider_not_payable');
    try {
      return await ask(real);
    } catch (error) {
      if (error instanceof PaymentServiceUnavailable)
        throw new AppError('payment_unavailable', { cause: error });
      throw error;
    }
  }

  async function lostAccountOf(
    { id }: Account,
    known: PayoutAccount | null,
  ): Promise<PayoutStatus['lostAccount']> {
    if (known) return isGone(known) ? 'gone' : null;
    const others = await payments.listPayoutAccounts(id);
    return others.some(({ paymentMode }) => paymentMode === real?.service.mode) ? 'other_platform' : null;
  }

  /**
   * A debt contains the giver's fee, which the provider never had: only the net share is owed. What is owed to another
   * platform, or was paid with test keys, is none that the next tips pay.
   */
  async function owedBy({ id }: Account, service: PaymentService): Promise<Cents> {
    const keys = { mode: service.mode, platform: await service.platform() };
    const debts = await payments.listDebts(DEBTS_AT_MOST, id);
    const owed = debts
      .filter((payment) => isOfKeys(payment, keys))
      .map((payment) => receiverPartOf(payment, payment.owedByReceiverCents, 'owed_by_receiver'));
    return cents(owed.reduce<number>((sum, each) => sum + each, 0));
  }

  return {
    async status(provider) {
      const known = real && (await asking(({ accounts }) => accounts.findFresh(provider.id)));
      const account = known && !isGone(known) ? known : null;
      return {
        mode: real?.service.mode ?? 'simulated',
        excludedCategories: real ? provider.serviceCategories.filter((one) => !isServed(one)) : [],
        account: account && {
          chargesEnabled: account.chargesEnabled,
          missing: [...account.missing],
          payoutsEnabled: account.payoutsEnabled,
          disabledReason: account.disabledReason,
          country: account.country,
        },
        lostAccount: real && (await lostAccountOf(provider, known)),
        owedCents: real ? await asking(({ service }) => owedBy(provider, service)) : cents(0),
      };
    },

    balance: (provider) =>
      asking(async ({ service, accounts }) => {
        const known = await accounts.find(provider.id);
        if (!known || isGone(known)) throw new AppError('provider_not_payable');
        const balance = await readBalance(known.accountId, service);
        if (!balance) {
          await accounts.refresh(known.accountId);
          throw new AppError('provider_not_payable');
        }
        const { nextPayout, payoutWeekday, hasOtherCurrencies } = balance;
        return {
          availableCents: cents(balance.availableCents),
          pendingCents: cents(balance.pendingCents),
          nextPayout: nextPayout && {
            amountCents: cents(nextPayout.cents),
            arrivesAt: isoTime(nextPayout.arrivesAtMs),
          },
          payoutWeekday,
          hasOtherCurrencies,
        };
      }),

    onboard: (provider, country) =>
      asking(async ({ service, accounts }) => {
        const known = await accounts.find(provider.id);
        // The account may have gone since the last read, and no link leads to one that is gone.
        const present = known && !isGone(known) ? await accounts.refresh(known.accountId) : known;
        if (present && !isGone(present))
          return { url: await service.linkToOnboarding(present.accountId, returnUrl) };
        const serviceCategory = provider.serviceCategories.find(isServed);
        if (!serviceCategory) throw new AppError('provider_not_payable');
        if (country === undefined) throw invalidField('country', COUNTRY_NEEDED);
        const opened = await openAccount(provider, country, { lost: present, serviceCategory }, service);
        return { url: await service.linkToOnboarding(opened.accountId, returnUrl) };
      }),

    openDashboard: (provider) =>
      asking(async ({ service, accounts }) => {
        const known = await accounts.find(provider.id);
        if (!known || isGone(known)) throw new AppError('provider_not_payable');
        return { url: await service.linkToDashboard(known.accountId) };
      }),
  };
}

/** Asks for the balance of one account at most every half minute. */
function createBalances(clock: Clock) {
  const asked = new Map<
    string,
    { readonly atMs: number; readonly balance: Promise<AccountBalance | null> }
  >();

  return async (accountId: string, service: PaymentService): Promise<AccountBalance | null> => {
    const now = clock();
    for (const [id, { atMs }] of asked) if (!isWithin(BALANCE_INTERVAL_MS, atMs, now)) asked.delete(id);
    const known = asked.get(accountId);
    if (known) return known.balance;
    const balance = service.readBalance(accountId);
    asked.set(accountId, { atMs: now, balance });
    try {
      return await balance;
    } catch (error) {
      asked.delete(accountId);
      throw error;
    }
  };
}

function createOpenAccount(deps: {
  readonly storage: Pick<Storage, 'payments' | 'listQrCodes'>;
  readonly clock: Clock;
  readonly publicUrl: string;
  isServed(category: ServiceCategory): boolean;
}) {
  const { storage, clock, publicUrl, isServed } = deps;

  /** A page under the provider's own name is preferred, because every guest may be shown its address. */
  async function pageOf({ id, username }: Account): Promise<string> {
    const codes = (await storage.listQrCodes(id, publicUrl + TIP_PREFIX)).filter((one) =>
      isServed(one.serviceCategory),
    );
    const code = codes.find(({ displayName }) => displayName === null) ?? codes[0];
    return publicUrl + (code ? TIP_PREFIX + code.id : PROVIDER_PREFIX + username);
  }

  /** @param lost the account that has gone, in whose place another one is opened. */
  return async (
    provider: Account,
    country: string,
    {
      lost,
      serviceCategory,
    }: { readonly lost: PayoutAccount | null; readonly serviceCategory: ServiceCategory },
    service: PaymentService,
  ): Promise<PayoutAccount> => {
    const labels = provider.serviceCategories.filter(isServed).map((category) => CATEGORY_LABELS[category]);
    const profile: AccountProfile = {
      country,
      email: provider.email,
      pageUrl: await pageOf(provider),
      description: `Tips from customers for work as ${new Intl.ListFormat(PAGE_LANGUAGE).format(labels)}`,
      serviceCategory,
    };
    const now = clock();
    // Another profile is another request, and so is one after the account of the first is gone.
    const attempt = JSON.stringify([profile, lost?.accountId]);
    const key = `${provider.id}-${createHash('sha256').update(attempt).digest('hex').slice(0, 16)}`;
    const opened = await service.openAccount(profile, key);
    if (opened.outcome === 'refused') throw new AppError('payout_account_refused', { reason: opened.reason });
    const account: PayoutAccount = {
      userId: provider.id,
      paymentMode: service.mode,
      platform: await service.platform(),
      ...opened.account,
      country: opened.account.country ?? country,
      readAtMs: now,
    };
    await storage.payments.savePayoutAccount(account, now);
    return account;
  };
}
