/** The context of every procedure: the chapters, the caller and the request. */
import type { Socket } from 'node:net';
import type { Context as HonoContext } from 'hono';
import type { createAnnouncements } from '#server/announcements.ts';
import type { Accounts } from '#server/auth/accounts.ts';
import type { ApiKeys } from '#server/auth/api-keys.ts';
import type { DeviceMark, DeviceMarks } from '#server/auth/device-marks.ts';
import type { FactorDuty } from '#server/auth/factor-duty.ts';
import type { Invitations } from '#server/auth/invitations.ts';
import type { Logins } from '#server/auth/logins.ts';
import type { MailLinks } from '#server/auth/mail-links.ts';
import type { SecondFactors } from '#server/auth/second-factors.ts';
import type { Sessions } from '#server/auth/sessions.ts';
import type { AccountEvents } from '#server/events/account-events.ts';
import type { Webhooks } from '#server/events/webhooks.ts';
import type { Exports } from '#server/export/exports.ts';
import type { Factors } from '#server/factors/factors.ts';
import type { Limits, Place } from '#server/limits/limits.ts';
import { Quota } from '#server/limits/quota.ts';
import type { Mail } from '#server/mail/mail.ts';
import type { Notifications } from '#server/notifications/notifications.ts';
import type { DisputeDeadlines } from '#server/payments/dispute-deadlines.ts';
import type { PaymentWatch } from '#server/payments/payment-watch.ts';
import type { Payouts } from '#server/payments/payouts.ts';
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { Printer } from '#server/print/printer.ts';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import type { OnHangUp } from '#server/queue/fair-queue.ts';
import type { StepOptions } from '#server/queue/step-queue.ts';
import type { WorkOwner, WorkQueue } from '#server/queue/work-queue.ts';
import type { Account, LiveApiKey } from '#server/storage/port/storage.ts';
import type { Earnings } from '#server/tips/earnings.ts';
import type { TipTerms } from '#server/tips/terms.ts';
import type { TipFeed } from '#server/tips/tip-feed.ts';
import type { TipMessages } from '#server/tips/tip-messages.ts';
import type { Transactions } from '#server/tips/transactions.ts';
import { AppError } from '#shared/errors.ts';
import type { ApiKeyId, UserId } from '#shared/ids.ts';
import { groupsAround } from '../http/client-address.ts';
import { nodeSideOf } from '../http/envelope.ts';
import type { Arrival } from '../http/request-log.ts';

export interface Services {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly qrCodes: QrCodes;
  readonly printer: Printer;
  readonly payments: TipPayments;
  /** Null for simulated payments and during maintenance. */
  readonly paymentWatch: PaymentWatch | null;
  readonly disputeDeadlines: DisputeDeadlines | null;
  readonly payouts: Payouts;
  readonly transactions: Transactions;
  readonly tipTerms: TipTerms;
  readonly tipMessages: TipMessages;
  readonly earnings: Earnings;
  readonly tipFeed: TipFeed;
  readonly notifications: Notifications;
  readonly accountEvents: AccountEvents;
  readonly webhooks: Webhooks;
  readonly invitations: Invitations;
  readonly mailLinks: MailLinks;
  readonly mail: Mail | null;
  readonly exports: Exports;
  readonly factors: Factors;
  readonly logins: Logins;
  readonly secondFactors: SecondFactors;
  readonly factorDuty: FactorDuty;
  readonly limits: Limits;
  readonly takesGuestTips: boolean;
  readonly hashingQueue: WorkQueue;
  readonly insightsQueue: WorkQueue;
  readonly announcements: ReturnType<typeof createAnnouncements>;
}

export interface Context {
  readonly services: Services;
  readonly requestId: string;
  readonly arrival: Arrival;
  /** The bearer token of the request, not yet checked. */
  readonly token: string | null;
  /** The API key that this token is, once REST has found that it may call the endpoint. */
  readonly key: LiveApiKey | null;
  /** The idempotency key of the attempt that the headers name; null when they name none. */
  readonly attempt: string | null;
  /** The caller's address and network, as limits count them. Reading them costs more than most answers. */
  address(): Place;
  readonly device: DeviceOfRequest;
  /** True for the further pages of a list that is sent as one answer, which was counted with the first. */
  readonly isFurtherPage: boolean;
  /** The rest of the limits that the request is counted by. */
  readonly quota: Quota;
  /**
   * Calls back at the end of the connection, also while the answer waits for its turn on it (RFC 9112, section 9.3.2),
   * where the request's own signal stays silent on older Node.js (seen on 20, not on 26).
   */
  readonly onHangUp: OnHangUp;
  readonly userAgent: string | undefined;
}

export function createContextReader(deps: {
  readonly services: Services;
  readonly deviceMarks: DeviceMarks;
}): (c: HonoContext) => Context {
  const { services, deviceMarks } = deps;
  return (c) => {
    const arrival = c.get('arrival');
    const socket = nodeSideOf(c).incoming?.socket;
    return {
      services,
      requestId: arrival.requestId,
      arrival,
      token: bearerToken(c.req.header('Authorization')),
      key: null,
      attempt: c.req.header('Idempotency-Key') ?? null,
      address: () => groupsAround(arrival.address),
      device: new DeviceOfRequest(() => deviceMarks.read(c.req.header('Cookie'))),
      isFurtherPage: false,
      quota: new Quota(),
      onHangUp: (listener) => onClose(socket, listener),
      userAgent: c.req.header('User-Agent'),
    };
  };
}

/** @throws AppError `mail_off`. */
export function mailOf({ services: { mail } }: Context): Mail {
  if (!mail) throw new AppError('mail_off');
  return mail;
}

export function countedAs({ account, key }: Context & { readonly account: Account }): UserId | ApiKeyId {
  return key?.id ?? account.id;
}

export function workOwner(context: Context & { readonly account: Account }): WorkOwner {
  const { address, onHangUp } = context;
  return { origin: address().network, account: countedAs(context), isKnown: false, onHangUp };
}

export function stepOptions({ key, onHangUp, isFurtherPage }: Context): StepOptions {
  return { onHangUp, isFurther: isFurtherPage, ...(key && { asker: key.id }) };
}

/** Calls `listener` also when the socket has closed before. @returns a function that stops listening. */
export function onClose(socket: Socket | undefined, listener: () => void): () => void {
  if (socket?.closed) listener();
  // A connection may carry any number of streams, and Node warns of the eleventh listener.
  socket?.setMaxListeners(0).once('close', listener);
  return () => socket?.off('close', listener);
}

/** The device mark of a request. It is read when first needed, because few requests need it. */
class DeviceOfRequest {
  readonly #read: () => DeviceMark;
  #mark: DeviceMark | null = null;

  constructor(read: () => DeviceMark) {
    this.#read = read;
  }

  /** One mark for all calls of a batch, so that each login is noted in it. */
  get mark(): DeviceMark {
    this.#mark ??= this.#read();
    return this.#mark;
  }

  headers(): Record<string, string> {
    const cookie = this.#mark?.setCookie() ?? null;
    return cookie === null ? {} : { 'set-cookie': cookie };
  }
}

/** Reads `Authorization: Bearer ...` (RFC 6750, section 2.1); a token in a URL is never read. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
