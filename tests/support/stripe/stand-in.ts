/**
 * A stand-in for Stripe: an HTTP server with the part of its state and of its rules that payments of tips
 * meet. The official package talks to it as to Stripe itself. It can be told to be slow, to fail, and to cut
 * the line; and it keeps its notices until a test sends them, in whatever order and as often as the test
 * likes.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { type FormValue, problemsOfParameters, readForm } from './parameter-types.ts';

const SECRET_KEY = 'sk_test_standin';
const WEBHOOK_SECRET = 'whsec_standin';
const THIRTY_MINUTES_S = 1_800;
const DAY_S = 86_400;

/** What goes wrong with a request: before Stripe has done what it asks, or after. */
export type Fault =
  | { readonly is: 'slow'; readonly ms: number }
  /** A 500 is kept with the idempotency key, because the work had begun; it may have been done as well. */
  | { readonly is: 'status'; readonly status: 429 | 500 | 503; readonly isDone?: boolean }
  /** A refusal for good. */
  | { readonly is: 'refused'; readonly status: 400 | 401 | 403 | 404; readonly message: string }
  | { readonly is: 'cut'; readonly when: 'before' | 'after' };

export interface StandInRequest {
  readonly method: string;
  /** Without the version, such as `/checkout/sessions`. */
  readonly path: string;
  readonly parameters: { readonly [name: string]: FormValue };
  readonly idempotencyKey: string | null;
}

interface Session {
  id: string;
  status: 'open' | 'complete' | 'expired';
  paymentStatus: 'unpaid' | 'paid';
  amountTotal: number;
  currency: string;
  applicationFee: number;
  destination: string;
  clientReferenceId: string | null;
  expiresAt: number;
  successUrl: string;
  cancelUrl: string;
  intentId: string | null;
  intentMetadata: unknown;
}

/** A charge that was paid. */
interface Charge {
  id: string;
  intentId: string;
  sessionId: string;
  amount: number;
  applicationFee: number;
  destination: string;
  refundedCents: number;
  transferId: string;
  /** What of the receiver's part was taken back. */
  isTransferReversed: boolean;
  isFeeRefunded: boolean;
  isDisputed: boolean;
}

interface Account {
  id: string;
  email: string;
  chargesEnabled: boolean;
  currentlyDue: string[];
}

export interface StandInNotice {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

class Refused extends Error {
  readonly answer: Answer;
  /** Whether the answer is kept with the idempotency key: what fails in its parameters is not. */
  readonly isKept: boolean;

  constructor(status: number, error: Record<string, unknown>, isKept = true) {
    super(String(error['message']));
    this.answer = { status, body: { error } };
    this.isKept = isKept;
  }
}

const invalid = (message: string, more: Record<string, unknown> = {}) =>
  new Refused(400, { type: 'invalid_request_error', message, ...more });

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

/**
 * @param nowMs the clock of Stripe.
 * @param secretKey of the operator's account; one of `sk_live_` is for real money.
 */
export async function startStripe({
  nowMs = Date.now,
  secretKey = SECRET_KEY,
}: {
  readonly nowMs?: () => number;
  readonly secretKey?: string;
} = {}) {
  const livemode = secretKey.startsWith('sk_live_');
  const signer = new Stripe(secretKey);
  const sessions = new Map<string, Session>();
  const charges = new Map<string, Charge>();
  const accounts = new Map<string, Account>();
  const requests: StandInRequest[] = [];
  const notices: StandInNotice[] = [];
  const kept = new Map<string, { readonly request: string; readonly atS: number; readonly answer: Answer }>();
  /** Is asked before each request. */
  let faultOf: (request: StandInRequest) => Fault | null = () => null;
  let count = 0;
  const nowS = () => Math.floor(nowMs() / 1_000);
  const nextId = (prefix: string) => {
    count += 1;
    return `${prefix}_test_${count}${randomUUID().replaceAll('-', '').slice(0, 8)}`;
  };

  const sessionBody = (session: Session) => ({
    id: session.id,
    object: 'checkout.session',
    livemode,
    status: session.status,
    payment_status: session.paymentStatus,
    amount_total: session.amountTotal,
    currency: session.currency,
    client_reference_id: session.clientReferenceId,
    payment_intent: session.intentId,
    url: session.status === 'open' ? `${url()}/pay/${session.id}` : null,
    expires_at: session.expiresAt,
  });
  const accountBody = ({ id, email, chargesEnabled, currentlyDue }: Account) => ({
    id,
    object: 'account',
    type: 'express',
    email,
    charges_enabled: chargesEnabled,
    requirements: { currently_due: currentlyDue },
  });
  const chargeBody = (charge: Charge) => ({
    id: charge.id,
    object: 'charge',
    livemode,
    payment_intent: charge.intentId,
    amount: charge.amount,
    amount_refunded: charge.refundedCents,
    refunded: charge.refundedCents === charge.amount,
    transfer: charge.transferId,
  });

  function notify(type: string, object: unknown): void {
    const id = nextId('evt');
    const event = { id, object: 'event', type, livemode, created: nowS(), data: { object } };
    notices.push({ id, type, payload: JSON.stringify(event) });
  }

  function expireOverdue(): void {
    for (const session of sessions.values()) if (session.expiresAt <= nowS()) expire(session);
  }

  function expire(session: Session): void {
    if (session.status !== 'open') return;
    session.status = 'expired';
    notify('checkout.session.expired', sessionBody(session));
  }

  function sessionNamed(id: string): Session {
    const session = sessions.get(id);
    if (!session)
      throw new Refused(404, { type: 'invalid_request_error', message: `No such session: ${id}` });
    return session;
  }

  function chargeOfIntent(intentId: unknown): Charge {
    const charge = charges.get(String(intentId));
    if (!charge) throw new Refused(404, { type: 'invalid_request_error', message: `No such payment_intent` });
    return charge;
  }

  function accountNamed(id: unknown): Account {
    const account = accounts.get(String(id));
    if (!account) throw new Refused(403, { type: 'invalid_request_error', message: 'No such account' });
    return account;
  }

  function check(file: string, type: string, parameters: FormValue): void {
    const [problem] = problemsOfParameters(file, type, parameters);
    if (problem !== undefined)
      throw new Refused(400, { type: 'invalid_request_error', message: problem }, false);
  }

  function createSession(parameters: StandInRequest['parameters']): unknown {
    check('Checkout/Sessions', 'Checkout.SessionCreateParams', parameters);
    const { line_items, payment_intent_data, expires_at, client_reference_id, success_url, cancel_url } =
      parameters;
    const expiresAt = Number(expires_at);
    if (expiresAt < nowS() + THIRTY_MINUTES_S || expiresAt > nowS() + DAY_S)
      throw invalid('The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from now.');
    const data = Object(payment_intent_data);
    const destination = String(Object(data.transfer_data).destination);
    if (!accountNamed(destination).chargesEnabled)
      throw invalid('Your destination account needs to have the transfers capability.');
    const items: readonly unknown[] = Array.isArray(line_items) ? line_items : [];
    const currencies = new Set(items.map((item) => String(Object(Object(item).price_data).currency)));
    const [currency = ''] = currencies;
    if (currencies.size !== 1 || !/^[a-z]{3}$/.test(currency))
      throw invalid(`Invalid currency: ${[...currencies]}`);
    const amountTotal = Array.isArray(line_items)
      ? line_items.reduce((sum: number, item) => {
          const { quantity, price_data } = Object(item);
          return sum + Number(quantity) * Number(Object(price_data).unit_amount);
        }, 0)
      : 0;
    const session: Session = {
      id: nextId('cs'),
      status: 'open',
      paymentStatus: 'unpaid',
      amountTotal,
      currency,
      applicationFee: Number(data.application_fee_amount),
      destination,
      clientReferenceId: typeof client_reference_id === 'string' ? client_reference_id : null,
      expiresAt,
      successUrl: String(success_url),
      cancelUrl: String(cancel_url),
      intentId: null,
      intentMetadata: data.metadata ?? {},
    };
    sessions.set(session.id, session);
    return sessionBody(session);
  }

  function createRefund(parameters: StandInRequest['parameters']): unknown {
    check('Refunds', 'RefundCreateParams', parameters);
    const charge = chargeOfIntent(parameters['payment_intent']);
    if (charge.isDisputed) throw invalid('This charge has been charged back.', { code: 'charge_disputed' });
    if (charge.refundedCents === charge.amount)
      throw invalid('This charge has already been refunded.', { code: 'charge_already_refunded' });
    refund(charge);
    if (parameters['reverse_transfer'] === 'true') charge.isTransferReversed = true;
    if (parameters['refund_application_fee'] === 'true') charge.isFeeRefunded = true;
    return { id: nextId('re'), object: 'refund', status: 'succeeded', payment_intent: charge.intentId };
  }

  /** The newest first: https://docs.stripe.com/api/events/list */
  function listEvents(parameters: StandInRequest['parameters']): unknown {
    check('Events', 'EventListParams', parameters);
    const { types, created, limit, starting_after } = parameters;
    const { gte = 0, lte = Number.POSITIVE_INFINITY } = Object(created);
    const known = notices.map(({ payload }) => JSON.parse(payload)).toReversed();
    const after = known.findIndex(({ id }) => id === starting_after) + 1;
    const meant = known
      .slice(after)
      .filter(({ type }) => Object.values(Object(types)).includes(type))
      .filter((event) => event.created >= Number(gte) && event.created <= Number(lte));
    const size = Number(limit ?? 10);
    return { object: 'list', data: meant.slice(0, size), has_more: meant.length > size };
  }

  function refund(charge: Charge): void {
    charge.refundedCents = charge.amount;
    notify('charge.refunded', chargeBody(charge));
  }

  function answerTo({ method, path, parameters }: StandInRequest): unknown {
    expireOverdue();
    const [, resource, id = '', action] =
      /^\/(checkout\/sessions|[a-z_]+)(?:\/([^/]+))?(?:\/([a-z_]+))?$/.exec(path) ?? [];
    switch (`${method} ${resource}${id === '' ? '' : '/:id'}${action === undefined ? '' : `/${action}`}`) {
      case 'POST checkout/sessions':
        return createSession(parameters);
      case 'GET checkout/sessions/:id':
        return sessionBody(sessionNamed(id));
      case 'POST checkout/sessions/:id/expire': {
        const session = sessionNamed(id);
        if (session.status !== 'open')
          throw invalid('Only Checkout Sessions with a status in ["open"] can be expired.');
        expire(session);
        return sessionBody(session);
      }
      case 'GET events':
        return listEvents(parameters);
      case 'POST refunds':
        return createRefund(parameters);
      case 'GET payment_intents/:id': {
        const charge = chargeOfIntent(id);
        const transfer = { id: charge.transferId, object: 'transfer', reversed: charge.isTransferReversed };
        return {
          id,
          object: 'payment_intent',
          metadata: sessionNamed(charge.sessionId).intentMetadata,
          latest_charge: parameters['expand'] ? { ...chargeBody(charge), transfer } : charge.id,
        };
      }
      case 'POST transfers/:id/reversals': {
        check('Transfers', 'TransferCreateReversalParams', parameters);
        const charge = [...charges.values()].find(({ transferId }) => transferId === id);
        if (!charge || charge.isTransferReversed) throw invalid('This transfer is already fully reversed.');
        charge.isTransferReversed = true;
        if (parameters['refund_application_fee'] === 'true') charge.isFeeRefunded = true;
        return { id: nextId('trr'), object: 'transfer_reversal' };
      }
      case 'POST accounts': {
        check('Accounts', 'AccountCreateParams', parameters);
        const account: Account = {
          id: nextId('acct'),
          email: String(parameters['email']),
          chargesEnabled: false,
          currentlyDue: ['external_account', 'individual.verification.document'],
        };
        accounts.set(account.id, account);
        return accountBody(account);
      }
      case 'GET accounts/:id':
        return accountBody(accountNamed(id));
      case 'POST accounts/:id/login_links':
        return { object: 'login_link', url: `${url()}/express/${accountNamed(id).id}` };
      case 'POST account_links':
        check('AccountLinks', 'AccountLinkCreateParams', parameters);
        return {
          object: 'account_link',
          url: `${url()}/onboarding/${accountNamed(parameters['account']).id}?return=${encodeURIComponent(String(parameters['return_url']))}`,
        };
      default:
        throw new Refused(404, {
          type: 'invalid_request_error',
          message: `Unrecognized request URL (${method}: ${path})`,
        });
    }
  }

  /** Answers as Stripe does to an idempotency key: https://docs.stripe.com/api/idempotent_requests */
  function answerOnce(request: StandInRequest): Answer {
    const { idempotencyKey, method, path, parameters } = request;
    const key = method === 'POST' ? idempotencyKey : null;
    const spelled = JSON.stringify([path, parameters]);
    const known = key === null ? undefined : kept.get(key);
    if (known && known.atS > nowS() - DAY_S) {
      if (known.request === spelled) return known.answer;
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      return { status: 400, body: { error: { type: 'idempotency_error', message } } };
    }
    try {
      const answer = { status: 200, body: answerTo(request) };
      if (key !== null) kept.set(key, { request: spelled, atS: nowS(), answer });
      return answer;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (key !== null && error.isKept)
        kept.set(key, { request: spelled, atS: nowS(), answer: error.answer });
      return error.answer;
    }
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { searchParams } = new URL(request.url ?? '/', 'http://stripe');
    const told: StandInRequest = {
      method: request.method ?? '',
      path,
      parameters: readForm(request.method === 'GET' ? searchParams.toString() : await text(request)),
      idempotencyKey: request.headers['idempotency-key']?.toString() ?? null,
    };
    requests.push(told);
    const fault = faultOf(told);
    if (fault?.is === 'slow') await sleep(fault.ms);
    if (fault?.is === 'cut' && fault.when === 'before') {
      request.socket.destroy();
      return;
    }
    if (fault?.is === 'status') {
      const answer = {
        status: fault.status,
        body: { error: { type: 'api_error', message: 'No' } },
      };
      const { idempotencyKey: key, parameters } = told;
      if (fault.status === 500 && told.method === 'POST' && key !== null && !kept.has(key)) {
        if (fault.isDone) answerOnce({ ...told, idempotencyKey: null });
        kept.set(key, { request: JSON.stringify([path, parameters]), atS: nowS(), answer });
      }
      return send(response, answer);
    }
    if (fault?.is === 'refused')
      return send(response, {
        status: fault.status,
        body: { error: { type: 'invalid_request_error', message: fault.message } },
      });
    const isAuthorized = request.headers.authorization === `Bearer ${secretKey}`;
    const answer = isAuthorized
      ? answerOnce(told)
      : {
          status: 401,
          body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
        };
    if (fault?.is === 'cut') request.socket.destroy();
    else send(response, answer);
  }

  function send(response: ServerResponse, { status, body }: Answer): void {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Request-Id': nextId('req'),
      // What is kept with an idempotency key is answered again.
      ...(status === 500 && { 'Stripe-Should-Retry': 'false' }),
    });
    response.end(JSON.stringify(body));
  }

  /** The pages that people see: paying, and telling Stripe what it asks for. */
  function servePage(response: ServerResponse, pathname: string, query: URLSearchParams): unknown {
    const [, kind, id = '', action] = pathname.split('/');
    const go = (to: string) => {
      response.writeHead(303, { Location: to });
      response.end();
    };
    const show = (body: string) => {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
      response.end(`<!doctype html><html lang="en"><title>Stand-in</title><main>${body}</main></html>`);
    };
    expireOverdue();
    if (kind === 'pay') {
      const session = sessions.get(id);
      if (session?.status !== 'open') return show('<h1>This page has expired</h1>');
      if (action === 'paid') {
        pay(id);
        return go(session.successUrl);
      }
      if (action === 'declined')
        return show(`<h1>Your card was declined</h1><a href="/pay/${id}">Try again</a>`);
      return show(
        `<h1>Pay $${(session.amountTotal / 100).toFixed(2)}</h1><a href="/pay/${id}/paid">Pay</a>
         <a href="/pay/${id}/declined">Pay with a bad card</a> <a href="${session.cancelUrl}">Back</a>`,
      );
    }
    if (kind === 'onboarding') {
      const back = query.get('return') ?? '/';
      if (action === 'done') {
        enable(id);
        return go(back);
      }
      return show(
        `<h1>Tell us more</h1><a href="/onboarding/${id}/done?return=${encodeURIComponent(back)}">Done</a> <a href="${back}">Later</a>`,
      );
    }
    return show(`<h1>${kind}</h1>`);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stripe');
    if (!pathname.startsWith('/v1/')) {
      servePage(response, pathname, searchParams);
      return;
    }
    serveApi(request, response, pathname.slice('/v1'.length)).catch((error: unknown) => {
      send(response, { status: 500, body: { error: { type: 'api_error', message: String(error) } } });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** The giver pays. @returns whether the page could still be paid on. */
  function pay(sessionId: string): boolean {
    expireOverdue();
    const session = sessionNamed(sessionId);
    if (session.status !== 'open') return false;
    session.status = 'complete';
    session.paymentStatus = 'paid';
    session.intentId = nextId('pi');
    charges.set(session.intentId, {
      id: nextId('ch'),
      intentId: session.intentId,
      sessionId,
      amount: session.amountTotal,
      applicationFee: session.applicationFee,
      destination: session.destination,
      refundedCents: 0,
      transferId: nextId('tr'),
      isTransferReversed: false,
      isFeeRefunded: false,
      isDisputed: false,
    });
    notify('checkout.session.completed', sessionBody(session));
    return true;
  }

  /** The owner of an account tells all that Stripe asks for. */
  function enable(accountId: string): void {
    const account = accountNamed(accountId);
    account.chargesEnabled = true;
    account.currentlyDue = [];
    notify('account.updated', accountBody(account));
  }

  return {
    url: url(),
    settings: { secretKey, webhookSecrets: [WEBHOOK_SECRET], apiBase: url() },
    sessions,
    charges,
    accounts,
    requests,
    notices,
    pay,
    enable,
    /** Lets the time of a page run out. */
    expire: (sessionId: string) => expire(sessionNamed(sessionId)),
    /** Refunds a charge as the operator does at Stripe: the receiver keeps their part. */
    refundAtStripe(intentId: string) {
      const charge = chargeOfIntent(intentId);
      if (charge.refundedCents === 0 && !charge.isDisputed) refund(charge);
    },
    /** The bank of the giver takes a charge back. */
    dispute(intentId: string) {
      const charge = chargeOfIntent(intentId);
      if (charge.refundedCents > 0 || charge.isDisputed) return;
      charge.isDisputed = true;
      notify('charge.dispute.created', {
        id: nextId('dp'),
        object: 'dispute',
        status: 'needs_response',
        payment_intent: intentId,
      });
    },
    /** @param next what goes wrong with each request from now on; null for nothing. */
    fail(next: (request: StandInRequest) => Fault | null): void {
      faultOf = next;
    },
    /** A notice with the signature that it gets at this moment. */
    sign({ payload }: StandInNotice, secret = WEBHOOK_SECRET, atMs = nowMs()) {
      const timestamp = Math.floor(atMs / 1_000);
      return {
        body: payload,
        signature: signer.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
      };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
