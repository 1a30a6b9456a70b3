/**
 * The rows of the table of REST routes that are about how a provider is paid.
 */
import { paymentLink, payoutStatus } from '#shared/payments.ts';
import { type RestRoute, route } from './rest-route.ts';

const LINK_REFUSALS = [
  'password_needed',
  'providers_only',
  'provider_not_payable',
  'payment_unavailable',
  'too_many_requests',
] as const;

export const PAYMENT_ROUTES: readonly RestRoute[] = [
  route('GET', '/payments/account', 'payments.payoutStatus', {
    status: 200,
    output: payoutStatus,
    refusals: ['providers_only'],
  }),
  route('POST', '/payments/account', 'payments.onboard', {
    status: 200,
    movesMoney: true,
    input: null,
    output: paymentLink,
    refusals: LINK_REFUSALS,
  }),
  route('POST', '/payments/dashboard-link', 'payments.openDashboard', {
    status: 200,
    movesMoney: true,
    input: null,
    output: paymentLink,
    refusals: LINK_REFUSALS,
  }),
];
