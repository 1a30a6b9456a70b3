/** Checkout pages of the stand-in for Stripe: made, paid on, closed, and looked up with their payments. */
import type { StandInAccounts } from './stand-in-accounts.ts';
import type { StandInCharges } from './stand-in-charges.ts';
import {
  check,
  expansionOf,
  invalid,
  listOf,
  noSuch,
  type Routes,
  type StandInCore,
  type StandInRequest,
} from './stand-in-core.ts';
import { DAY_S } from './stand-in-money.ts';

const THIRTY_MINUTES_S = 1_800;

export interface Session {
  readonly id: string;
  readonly created: number;
  status: 'open' | 'complete' | 'expired';
  paymentStatus: 'unpaid' | 'paid';
  amountTotal: number;
  readonly currency: string;
  readonly applicationFee: number;
  readonly destination: string;
  readonly clientReferenceId: string | null;
  readonly expiresAt: number;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly metadata: unknown;
  readonly intentMetadata: unknown;
  readonly transferGroup: string | null;
  /** The money is held until it is captured. */
  readonly isHeld: boolean;
  intentId: string | null;
}

export function createSessions(
  core: StandInCore,
  { destinationNamed }: StandInAccounts,
  { charges, authorise, bodyOfIntent }: StandInCharges,
  url: () => string,
) {
  const { livemode, nextId, nowS, notify } = core;
  const sessions = new Map<string, Session>();

  function body(session: Session, isExpanded: (path: string) => boolean = () => false) {
    const { id, status, intentId, amountTotal } = session;
    const charge = charges.get(intentId ?? '');
    return {
      id,
      object: 'checkout.session',
      livemode,
      created: session.created,
      status,
      payment_status: session.paymentStatus,
      amount_total: amountTotal,
      currency: session.currency,
      client_reference_id: session.clientReferenceId,
      metadata: session.metadata,
      payment_intent:
        charge && isExpanded('payment_intent')
          ? bodyOfIntent(charge, (path) => isExpanded(`payment_intent.${path}`))
          : intentId,
      url: status === 'open' ? `${url()}/pay/${id}` : null,
      expires_at: session.expiresAt,
    };
  }

  function sessionNamed(id: string): Session {
    const session = sessions.get(id);
    if (!session) throw noSuch('checkout.session', id);
    return session;
  }

  function create(parameters: StandInRequest['parameters']): Session {
    check('Checkout/Sessions', 'Checkout.SessionCreateParams', parameters);
    const { line_items, payment_intent_data, expires_at, client_reference_id, success_url, cancel_url } =
      parameters;
    const expiresAt = Number(expires_at);
    if (expiresAt < nowS() + THIRTY_MINUTES_S || expiresAt > nowS() + DAY_S)
      throw invalid('The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from now.');
    const data = Object(payment_intent_data);
    const destination = String(Object(data.transfer_data).destination);
    if (!destinationNamed(destination).chargesEnabled)
      throw invalid('Your destination account needs to have the transfers capability.');
    const items: readonly unknown[] = Array.isArray(line_items) ? line_items : [];
    const currencies = new Set(items.map((item) => String(Object(Object(item).price_data).currency)));
    const [currency = ''] = currencies;
    if (currencies.size !== 1 || !/^[a-z]{3}$/.test(currency))
      throw invalid(`Invalid currency: ${[...currencies]}`);
    const amountTotal = items.reduce((sum: number, item) => {
      const { quantity, price_data } = Object(item);
      return sum + Number(quantity) * Number(Object(price_data).unit_amount);
    }, 0);
    const applicationFee = Number(data.application_fee_amount ?? 0);
    if (data.application_fee_amount !== undefined && !(applicationFee > 0 && applicationFee < amountTotal))
      throw invalid('The application fee must be positive and less than the amount.');
    const session: Session = {
      id: nextId('cs'),
      created: nowS(),
      status: 'open',
      paymentStatus: 'unpaid',
      amountTotal,
      currency,
      applicationFee,
      destination,
      clientReferenceId: typeof client_reference_id === 'string' ? client_reference_id : null,
      expiresAt,
      successUrl: String(success_url),
      cancelUrl: String(cancel_url),
      metadata: parameters['metadata'] ?? {},
      intentMetadata: data.metadata ?? {},
      transferGroup: data.transfer_group ?? null,
      isHeld: data.capture_method === 'manual',
      intentId: null,
    };
    sessions.set(session.id, session);
    return session;
  }

  function expire(session: Session): void {
    if (session.status !== 'open') return;
    session.status = 'expired';
    notify('checkout.session.expired', body(session));
  }

  /** The giver pays. @returns whether the page could still be paid on. */
  function pay(session: Session): boolean {
    if (session.status !== 'open') return false;
    session.status = 'complete';
    // What is only held was not paid, and the page goes on saying so.
    session.paymentStatus = session.isHeld ? 'unpaid' : 'paid';
    const { intentId } = authorise({
      sessionId: session.id,
      amount: session.amountTotal,
      currency: session.currency,
      applicationFee: session.applicationFee,
      destination: session.destination,
      transferGroup: session.transferGroup,
      metadata: session.intentMetadata,
      isHeld: session.isHeld,
    });
    session.intentId = intentId;
    notify('checkout.session.completed', body(session));
    return true;
  }

  const routes: Routes = {
    'POST checkout/sessions': ({ parameters }) => body(create(parameters)),
    'GET checkout/sessions': ({ parameters }) => {
      check('Checkout/Sessions', 'Checkout.SessionListParams', parameters);
      const asked = parameters['status']?.toString();
      const meant = [...sessions.values()].filter(({ status }) => asked === undefined || asked === status);
      return listOf(meant, parameters, (session) => body(session, expansionOf(parameters, 'data.')));
    },
    'GET checkout/sessions/:id': ({ parameters }, id) => {
      check('Checkout/Sessions', 'Checkout.SessionRetrieveParams', parameters);
      return body(sessionNamed(id), expansionOf(parameters));
    },
    'POST checkout/sessions/:id/expire': (_, id) => {
      const session = sessionNamed(id);
      if (session.status !== 'open')
        throw invalid('Only Checkout Sessions with a status in ["open"] can be expired.');
      expire(session);
      return body(session);
    },
  };

  return {
    sessions,
    sessionNamed,
    expire,
    pay,
    /** Lets pages run out whose time is over. */
    expireOverdue(): void {
      for (const session of sessions.values()) if (session.expiresAt <= nowS()) expire(session);
    },
    routes,
  };
}
