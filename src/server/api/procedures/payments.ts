/** A provider's account at the payment service. */
import { newPayoutAccount, paymentLink, payoutBalance, payoutStatus } from '#shared/payments.ts';
import { endpoint } from './endpoint.ts';
import { confirmedProcedure, FOR_SUSPENDED, providerProcedure } from './trpc.ts';

const LINK_REFUSALS = [
  'password_needed',
  'providers_only',
  'provider_not_payable',
  'payment_unavailable',
  'too_many_requests',
  'maintenance',
] as const;

/** Each call may ask the payment service, and decides where somebody's money goes. */
const linkProcedure = providerProcedure.concat(confirmedProcedure).use(async ({ ctx, next }) => {
  await ctx.services.limits.countChange('payout_link', ctx.account.id, ctx.quota);
  const result = await next();
  if (result.ok) ctx.arrival.note('payouts_opened');
  return result;
});

export const paymentProcedures = {
  payoutStatus: endpoint(
    {
      rest: 'GET /payments/account',
      status: 200,
      summary: 'See whether you can be paid',
      description: [
        'For providers: how tips are paid on this server, which of your services are not paid through',
        'the payment service here, and what it says of your account. While that cannot be paid or paid',
        'out, the payment service is asked again, every five seconds at most, and else every few minutes.',
        'Where payments are simulated there is no account, and nothing is missing.',
      ],
      answers: { payoutStatus },
      refusals: ['providers_only', 'payment_unavailable'],
      response: {
        mode: 'live',
        excluded_categories: [],
        account: {
          charges_enabled: true,
          missing: ['external_account'],
          payouts_enabled: false,
          disabled_reason: 'requirements.past_due',
          country: 'US',
        },
        lost_account: null,
        owed: 9.7,
        owed_minor: 970,
        currency: 'USD',
      },
    },
    providerProcedure.query(({ ctx }) => ctx.services.payouts.status(ctx.account)),
  ),

  balance: endpoint(
    {
      rest: 'GET /payments/balance',
      status: 200,
      summary: 'See what your account holds',
      description: [
        'For providers: what is on the account at the payment service, and the next payout to the bank.',
        'The payment service is asked every half minute at most. Refused with `provider_not_payable`',
        'while there is no account.',
      ],
      answers: { payoutBalance },
      refusals: ['providers_only', 'provider_not_payable', 'payment_unavailable'],
      response: {
        available: 0,
        available_minor: 0,
        pending: 48.5,
        pending_minor: 4_850,
        next_payout: { amount: 214.37, amount_minor: 21_437, arrives_at: '2024-06-10T00:00:00.000Z' },
        payout_weekday: 'wednesday',
        has_other_currencies: false,
        currency: 'USD',
      },
    },
    providerProcedure.query(({ ctx }) => ctx.services.payouts.balance(ctx.account)),
  ),

  onboard: endpoint(
    {
      rest: 'POST /payments/account',
      status: 200,
      summary: 'Get paid',
      description: [
        'Opens your account at the payment service, if you have none, and answers the address of the',
        'page of the payment service where you go on. It can be opened once; ask again for another.',
        '`country` is where you live or your business is registered. It is needed to open an account,',
        'and cannot be changed later; with an account the body may be left out. Refused with',
        '`provider_not_payable` where payments are simulated, and when you have no account and none of your services',
        'is paid through the payment service here; with `payout_account_refused` when the payment service opens no',
        'account, whose own words are the `detail`. Links may be asked for 30 times an hour.',
      ],
      movesMoney: true,
      takes: { newPayoutAccount },
      isBodyOptional: true,
      answers: { paymentLink },
      refusals: [...LINK_REFUSALS, 'payout_account_refused'],
      request: { country: 'US' },
      response: { url: 'https://connect.stripe.com/setup/e/acct_1Nv0FGQ9RKHgCVdK/Xa3kPq7Lm2' },
    },
    linkProcedure
      .meta(FOR_SUSPENDED)
      .input(newPayoutAccount)
      .mutation(({ ctx, input }) => ctx.services.payouts.onboard(ctx.account, input.country)),
  ),

  openDashboard: endpoint(
    {
      rest: 'POST /payments/dashboard-link',
      status: 200,
      summary: 'See your payouts',
      description: [
        'The address of the pages of the payment service about your account and its payouts. It can be',
        'opened once; ask again for another. The request has no body. Links may be asked for 30 times',
        'an hour.',
      ],
      movesMoney: true,
      answers: { paymentLink },
      refusals: LINK_REFUSALS,
      response: { url: 'https://connect.stripe.com/express/acct_1Nv0FGQ9RKHgCVdK/Yb4mRs8Nd3' },
    },
    linkProcedure.meta(FOR_SUSPENDED).mutation(({ ctx }) => ctx.services.payouts.openDashboard(ctx.account)),
  ),
};
