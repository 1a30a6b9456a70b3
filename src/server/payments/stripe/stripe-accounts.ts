/**
 * Providers' accounts by the second version of Stripe's API (https://docs.stripe.com/connect/accounts-v2). People
 * complete them on Stripe's pages; the operator's account pays Stripe's fees and answers for losses. Accounts of the
 * first version are read in the same way.
 */
import Stripe from 'stripe';
import type { ServiceCategory } from '#shared/categories.ts';
import { WEEKDAYS } from '#shared/payments.ts';
import {
  type AccountBalance,
  type AccountProfile,
  OTHER_CURRENCY,
  type PaymentService,
  PaymentServiceUnavailable,
  PaymentUndecided,
  type ServiceAccount,
} from '../payment-service.ts';
import { fromStripe, stripeCurrency } from './minor-units.ts';
import { isUnknownAccount, type StripeCalls } from './stripe-calls.ts';

type Account = Stripe.V2.Core.Account;

/** Merchant category codes of Stripe's list (https://docs.stripe.com/connect/setting-mcc). */
const MERCHANT_CATEGORIES: Readonly<Record<ServiceCategory, string>> = {
  bartender: '5813',
  server: '5812',
  barber: '7230',
  nailtech: '7230',
  esthetician: '7230',
  dj: '7929',
  live_event: '7929',
  escort: '7273',
};

/** A payout costs the operator, whatever its sum; a weekday on which banks work nearly everywhere. */
const WEEKLY: Stripe.BalanceSettingsUpdateParams = {
  payments: { payouts: { schedule: { interval: 'weekly', weekly_payout_days: ['wednesday'] } } },
};

/** Where owners of accounts log in, for the case that Stripe makes no link of its own. */
const DASHBOARD_URL = 'https://connect.stripe.com/express_login';

const TOLD: Stripe.V2.Core.AccountRetrieveParams.Include[] = [
  'configuration.merchant',
  'configuration.recipient',
  'defaults',
  'identity',
  'requirements',
];

export function createStripeAccounts({ stripe, ask }: StripeCalls) {
  /** Null when the account is unknown, or another platform's. */
  const orUnknown = <Answer>(call: () => Promise<Answer>): Promise<Answer | null> =>
    ask(call, (error) => {
      if (isUnknownAccount(error)) return null;
      throw new PaymentUndecided('the payment service refuses to read an account', { cause: error });
    });

  /** The second version repeats a failed call under the same key (https://docs.stripe.com/api-v2-overview). */
  async function create(params: Stripe.V2.Core.AccountCreateParams, key: string): Promise<Account> {
    const make = () => stripe.v2.core.accounts.create(params, { idempotencyKey: `account-${key}` });
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError) || (error.statusCode ?? 0) < 500) throw error;
      return make();
    }
  }

  return {
    async openAccount(profile, key) {
      const opened = await ask(
        async () => ({
          outcome: 'opened' as const,
          account: serviceAccountOf(await create(paramsOf(profile, key), key)),
        }),
        (error) => ({ outcome: 'refused' as const, reason: error.message }),
      );
      if (opened.outcome === 'opened') {
        const stripeAccount = opened.account.accountId;
        await ask(
          () => stripe.balanceSettings.update(WEEKLY, { stripeAccount }),
          // The account is paid out daily then, and the refusal was told.
          () => null,
        );
      }
      return opened;
    },

    async findAccount(accountId) {
      const account = await orUnknown(() => stripe.v2.core.accounts.retrieve(accountId, { include: TOLD }));
      return account === null || account.closed === true ? null : serviceAccountOf(account);
    },

    async readBalance(accountId) {
      const of = { stripeAccount: accountId };
      const told = await orUnknown(() =>
        Promise.all([stripe.balance.retrieve({}, of), stripe.payouts.list({ limit: 10 }, of)]),
      );
      if (told === null) return null;
      const [balance, payouts] = told;
      const settings = await ask(
        () => stripe.balanceSettings.retrieve({}, of),
        // The schedule is told beside the sums, which do not need it.
        () => null,
      );
      return balanceFrom(balance, payouts.data, settings);
    },

    async linkToOnboarding(account, returnUrl) {
      const onboarding = { return_url: returnUrl, refresh_url: returnUrl };
      const { url } = await ask(
        () =>
          stripe.v2.core.accountLinks.create({
            account,
            use_case: { type: 'account_onboarding', account_onboarding: onboarding },
          }),
        (error) => {
          throw new PaymentServiceUnavailable('the payment service makes no link', { cause: error });
        },
      );
      return url;
    },

    linkToDashboard: (accountId) =>
      ask(
        async () => (await stripe.accounts.createLoginLink(accountId)).url,
        () => DASHBOARD_URL,
      ),
  } satisfies Partial<PaymentService>;
}

function paramsOf(
  { country, email, pageUrl, description, serviceCategory }: AccountProfile,
  key: string,
): Stripe.V2.Core.AccountCreateParams {
  return {
    contact_email: email,
    dashboard: 'express',
    identity: { country },
    defaults: {
      responsibilities: { fees_collector: 'application', losses_collector: 'application' },
      profile: { business_url: pageUrl, product_description: description },
    },
    configuration: {
      // Tips are charged on behalf of the provider, whose name and country a bank is told.
      merchant: {
        mcc: MERCHANT_CATEGORIES[serviceCategory],
        capabilities: { card_payments: { requested: true } },
      },
      recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
    },
    include: TOLD,
    metadata: { user: key },
  };
}

function balanceFrom(
  { available, pending }: Stripe.Balance,
  payouts: readonly Stripe.Payout[],
  settings: Stripe.BalanceSettings | null,
): AccountBalance {
  const currency = stripeCurrency();
  const sumOf = (parts: readonly { readonly amount: number; readonly currency: string }[]) =>
    fromStripe(parts.reduce((sum, part) => sum + (part.currency === currency ? part.amount : 0), 0));
  const [next] = payouts
    .filter((payout) => ['pending', 'in_transit'].includes(payout.status) && payout.currency === currency)
    .toSorted((a, b) => a.arrival_date - b.arrival_date);
  return {
    availableCents: sumOf(available),
    pendingCents: sumOf(pending),
    nextPayout: next ? { cents: fromStripe(next.amount), arrivesAtMs: next.arrival_date * 1_000 } : null,
    payoutWeekday: weekdayOf(settings),
    hasOtherCurrencies: [...available, ...pending].some(
      (part) => part.currency !== currency && part.amount !== 0,
    ),
  };
}

/** Null for an account that is not paid out weekly, or on several days of the week. */
function weekdayOf(settings: Stripe.BalanceSettings | null) {
  const { interval, weekly_payout_days = [] } = settings?.payments.payouts?.schedule ?? {};
  const [day, ...others] = weekly_payout_days;
  if (interval !== 'weekly' || others.length > 0) return null;
  return WEEKDAYS.find((known) => known === day) ?? null;
}

/**
 * What an account may do: be charged on behalf of, and receive transfers; and pay out. Tips would settle in the own
 * currency of an account, and be transferred and reversed in it, so that one with another currency is not charged for.
 */
function serviceAccountOf(account: Account): ServiceAccount {
  const { id, configuration, defaults, identity, requirements } = account;
  const { merchant, recipient } = configuration ?? {};
  const balance = { ...merchant?.capabilities?.stripe_balance, ...recipient?.capabilities?.stripe_balance };
  const needed = [merchant?.capabilities?.card_payments, balance.stripe_transfers];
  const isActive = (capability: { readonly status: string } | undefined) => capability?.status === 'active';
  const [refused] = [...needed, balance.payouts].flatMap((capability) =>
    capability && !isActive(capability) && capability.status !== 'pending' ? capability.status_details : [],
  );
  const isOther = (defaults?.currency ?? stripeCurrency()) !== stripeCurrency();
  return {
    accountId: id,
    country: identity?.country?.toUpperCase() ?? null,
    chargesEnabled: !isOther && needed.every(isActive),
    payoutsEnabled: isActive(balance.payouts),
    // Nothing that its owner tells Stripe would help.
    missing: (isOther ? [] : (requirements?.entries ?? []))
      .filter(
        ({ awaiting_action_from, minimum_deadline }) =>
          awaiting_action_from === 'user' && minimum_deadline.status !== 'eventually_due',
      )
      .map(({ description }) => description),
    disabledReason: isOther ? OTHER_CURRENCY : (refused?.code ?? null),
  };
}
