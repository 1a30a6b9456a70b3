/**
 * A stand-in for Stripe: an HTTP server with the part of its state and of its rules that payments of tips
 * meet, balances and fees included. The official package talks to it as to Stripe itself. It can be told to be
 * slow, to fail, and to cut the line; and it keeps its webhook events until a test sends them, in whatever order and as
 * often as the test likes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { readForm, readJson } from './parameter-types.ts';
import { type Account, createAccounts } from './stand-in-accounts.ts';
import { createCharges, type PaymentPlan } from './stand-in-charges.ts';
import {
  type Answer,
  check,
  createCore,
  listOf,
  Refused,
  type Routes,
  type StandInRequest,
  type StandInWebhookEvent,
} from './stand-in-core.ts';
import { createMoney, DAY_S } from './stand-in-money.ts';
import { createSessions } from './stand-in-sessions.ts';

const SECRET_KEY = 'sk_test_standin';
const WEBHOOK_SECRET = 'whsec_standin';
/** What the operator has on the account before the first tip, in cents. */
const STARTING_BALANCE = 100_000_00;

/** What goes wrong with a request: before Stripe has done what it asks, or after. */
export type Fault =
  | { readonly is: 'slow'; readonly ms: number }
  /** The request reaches Stripe once this has settled. */
  | { readonly is: 'held'; readonly until: Promise<unknown> }
  /** A 500 is kept with the idempotency key, because the work had begun; it may have been done as well. */
  | { readonly is: 'status'; readonly status: 429 | 500 | 503; readonly isDone?: boolean }
  /** A refusal for good. */
  | {
      readonly is: 'refused';
      readonly status: 400 | 401 | 403 | 404;
      readonly message: string;
      readonly code?: string;
    }
  | { readonly is: 'cut'; readonly when: 'before' | 'after' };

export type { StandInRequest, StandInWebhookEvent } from './stand-in-core.ts';

/** What the package repeats it repeats at once: its pauses of half a second are not what tests are about. */
Object.assign(Stripe.prototype, { getInitialNetworkRetryDelay: () => 0.001 });

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

/**
 * @param nowMs the clock of Stripe.
 * @param secretKey of the operator's account; one of `sk_live_` is for real money.
 * @param startingBalance in cents: refunds and disputes are paid out of the operator's balance.
 * @param hasReserves lets a connected account owe what is taken back from it, for which the operator answers.
 */
export async function startStripe({
  nowMs = Date.now,
  secretKey = SECRET_KEY,
  startingBalance = STARTING_BALANCE,
  hasReserves = false,
}: {
  readonly nowMs?: () => number;
  readonly secretKey?: string;
  readonly startingBalance?: number;
  readonly hasReserves?: boolean;
} = {}) {
  const signer = new Stripe(secretKey);
  const core = createCore({ nowMs, secretKey, hasReserves });
  const { webhookEvents, nowS, nextId } = core;
  const platform = nextId('acct');
  const money = createMoney(core, platform);
  const accounts = createAccounts(core, platform, () => url());
  const charges = createCharges(core, money, accounts, platform);
  const pages = createSessions(core, accounts, charges, () => url());
  const topUp = (amount: number, currency = 'usd') =>
    money.move(platform, 'topup', { amount, currency, source: 'topup' });
  topUp(startingBalance);

  const requests: StandInRequest[] = [];
  const kept = new Map<string, { readonly request: string; readonly atS: number; readonly answer: Answer }>();
  /** Is asked before each request. */
  let faultOf: (request: StandInRequest) => Fault | null = () => null;

  const routes: Routes = {
    ...money.routes,
    ...accounts.routes,
    ...charges.routes,
    ...pages.routes,
    'GET events': ({ parameters }) => {
      check('Events', 'EventListParams', parameters);
      const types = Object.values(Object(parameters['types']));
      const known = webhookEvents
        .map(({ payload }) => JSON.parse(payload))
        // Those of accounts are listed on their behalf.
        .filter(
          ({ object, type, account }) => object === 'event' && account === undefined && types.includes(type),
        );
      return listOf(known, parameters, (event) => event);
    },
  };

  /** Lets end what ends by time alone. */
  function passTime(): void {
    pages.expireOverdue();
    charges.lapse();
  }

  function answerTo(request: StandInRequest): unknown {
    passTime();
    const { method, path, account } = request;
    if (account !== null) accounts.accountNamed(account);
    const [, resource, id = '', action] =
      /^\/(checkout\/sessions|v2\/core\/[a-z_]+|[a-z_]+)(?:\/([^/]+))?(?:\/([a-z_]+))?$/.exec(path) ?? [];
    const route = `${method} ${resource}${id === '' ? '' : '/:id'}${action === undefined ? '' : `/${action}`}`;
    const answer = routes[route];
    if (!answer) throw new Refused(404, { message: `Unrecognized request URL (${method}: ${path})` });
    return answer(request, id);
  }

  /**
   * Answers as Stripe does to an idempotency key: https://docs.stripe.com/api/idempotent_requests. The second
   * version does again what has failed.
   */
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
      if (key !== null && error.isKept && !path.startsWith('/v2/'))
        kept.set(key, { request: spelled, atS: nowS(), answer: error.answer });
      return error.answer;
    }
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { searchParams } = new URL(request.url ?? '/', 'http://stripe');
    const isGet = request.method === 'GET';
    const body = isGet ? searchParams.toString() : await text(request);
    const isJson = !isGet && request.headers['content-type'] === 'application/json';
    const told: StandInRequest = {
      method: request.method ?? '',
      path,
      parameters: isJson ? readJson(body) : readForm(body),
      idempotencyKey: request.headers['idempotency-key']?.toString() ?? null,
      account: request.headers['stripe-account']?.toString() ?? null,
    };
    requests.push(told);
    const fault = faultOf(told);
    if (fault?.is === 'slow') await sleep(fault.ms);
    if (fault?.is === 'held') await fault.until;
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
        const isKept = !path.startsWith('/v2/');
        if (fault.isDone) answerOnce({ ...told, ...(isKept && { idempotencyKey: null }) });
        if (isKept) kept.set(key, { request: JSON.stringify([path, parameters]), atS: nowS(), answer });
      }
      return send(response, answer);
    }
    if (fault?.is === 'refused') {
      const { status, message, code } = fault;
      const error = { type: 'invalid_request_error', message, ...(code !== undefined && { code }) };
      return send(response, { status, body: { error } });
    }
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
      Date: new Date(core.nowMs()).toUTCString(),
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
    passTime();
    if (kind === 'pay') {
      const session = pages.sessions.get(id);
      if (session?.status !== 'open') return show('<h1>This page has expired</h1>');
      if (action === 'paid') {
        pages.pay(session);
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
        accounts.enable(id);
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
    if (!/^\/v[12]\//.test(pathname)) {
      servePage(response, pathname, searchParams);
      return;
    }
    serveApi(request, response, pathname.replace(/^\/v1/, '')).catch((error: unknown) => {
      send(response, { status: 500, body: { error: { type: 'api_error', message: String(error) } } });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { chargeNamed } = charges;

  return {
    url: url(),
    settings: { secretKey, webhookSecrets: [WEBHOOK_SECRET], apiBase: url() },
    /** Stripe's name of the operator's account. */
    platform,
    sessions: pages.sessions,
    charges: charges.charges,
    transfers: charges.transfers,
    accounts: accounts.accounts,
    payouts: money.payouts,
    movements: money.movements,
    requests,
    webhookEvents,

    /** Lets days go by at Stripe alone; a test with a clock of its own moves that one. */
    advance(days: number): void {
      core.advance(days);
      passTime();
    },
    /** The giver pays. @returns whether the page could still be paid on. */
    pay(sessionId: string): boolean {
      passTime();
      return pages.pay(pages.sessionNamed(sessionId));
    },
    /** A card is charged without a page, as by another program of the same account. */
    charge: (plan: Pick<PaymentPlan, 'amount' | 'applicationFee' | 'destination'> & Partial<PaymentPlan>) =>
      charges.authorise({
        sessionId: '',
        currency: 'usd',
        transferGroup: null,
        metadata: {},
        isHeld: false,
        ...plan,
      }),
    /** Lets the time of a page run out. */
    expire: (sessionId: string) => pages.expire(pages.sessionNamed(sessionId)),
    /** Takes what is held on a card or a part of it, as the operator may do at Stripe. */
    capture: (chargeId: string, cents?: number) => charges.capture(chargeNamed(chargeId), cents),
    /** Lets what is held on a card lapse, as it does after seven days. */
    expireAuthorisation: (chargeId: string) => charges.cancel(chargeNamed(chargeId), 'automatic'),

    /** An account that was there before. */
    addAccount: (account: Partial<Account> = {}) => accounts.addAccount(account),
    enable: accounts.enable,
    /** Takes the capabilities of an account away, with Stripe's name of the reason. */
    restrictAccount: accounts.restrict,
    /** The account is closed, or belongs to another platform from now on. */
    forgetAccount: (accountId: string) => accounts.accounts.delete(accountId),
    /** Changes an account without telling of it. */
    changeQuietly: (accountId: string, to: Partial<Account>) =>
      Object.assign(accounts.accountNamed(accountId), to),
    balanceOf: (account: string = platform, currency?: string) => money.balanceOf(account, currency),
    /** The operator pays in. */
    topUp,
    /** Pays out what is available: on an account's balance, or on the operator's. */
    payOut: (account?: string) => money.payOut(account),
    /** Pays out all that an account has, so that nothing can be taken back from it. */
    emptyAccount: (account: string) => money.payOut(account, true),

    /** Refunds a charge as the operator does at Stripe: the receiver keeps their part. */
    refundAtStripe(intentId: string) {
      const charge = chargeNamed(intentId);
      if (charge.isCaptured && charge.refundedCents === 0 && !charge.isDisputed) charges.refund(charge);
    },
    /** Refunds a part of a charge at Stripe. @returns how Stripe names the refund. */
    refundPart(
      intentId: string,
      cents: number,
      how: { readonly reverseTransfer?: boolean; readonly isPending?: boolean } = {},
    ): string {
      return charges.refund(chargeNamed(intentId), { amount: cents, ...how }).id;
    },
    failRefund: charges.failRefund,
    /** The bank of the giver takes a charge back, unless it is back already. */
    dispute(intentId: string) {
      const charge = chargeNamed(intentId);
      if (charge.isCaptured && charge.refundedCents === 0 && !charge.isDisputed) charges.openDispute(charge);
    },
    /** The bank of the giver takes what is left of a charge. @returns how Stripe names the dispute. */
    openDispute: (intentId: string, isInquiry = false): string =>
      charges.openDispute(chargeNamed(intentId), { isInquiry }).id,
    /** The bank takes a part of it. @returns how Stripe names the dispute. */
    disputePart: (intentId: string, cents: number): string =>
      charges.openDispute(chargeNamed(intentId), { amount: cents }).id,
    closeDispute: charges.closeDispute,
    changeDispute: charges.changeDispute,
    /** The operator takes a part back from the receiver at Stripe. */
    reverseTransfer(intentId: string, cents: number, refundsFee = true) {
      const { transfer } = chargeNamed(intentId);
      if (!transfer) throw new Error(`${intentId} has no transfer`);
      charges.reverseTransfer(transfer, cents, refundsFee);
    },

    /** @param next what goes wrong with each request from now on; null for nothing. */
    fail(next: (request: StandInRequest) => Fault | null): void {
      faultOf = next;
    },
    /** A webhook event with the signature that it gets at this moment. */
    sign({ payload }: StandInWebhookEvent, secret = WEBHOOK_SECRET, atMs = core.nowMs()) {
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
