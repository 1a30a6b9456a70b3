/**
 * What every procedure is given: the chapters, and who is calling through which request. Hides how Node's side of a
 * request is reached.
 */
import type { Socket } from 'node:net';
import type { Context as HonoContext } from 'hono';
import type { Accounts } from '#server/auth/accounts.ts';
import type { DeviceMark, DeviceMarks } from '#server/auth/device-marks.ts';
import type { Sessions } from '#server/auth/sessions.ts';
import type { Exports } from '#server/export/exports.ts';
import type { Caller, Limits } from '#server/limits/limits.ts';
import { Quota } from '#server/limits/quota.ts';
import type { Notifications } from '#server/notifications/notifications.ts';
import type { Payouts } from '#server/payments/payouts.ts';
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { Printer } from '#server/print/printer.ts';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import type { OnHangUp } from '#server/queue/fair-queue.ts';
import type { StepTerms } from '#server/queue/step-queue.ts';
import type { WorkOwner, WorkQueue } from '#server/queue/work-queue.ts';
import type { Account } from '#server/storage/port/storage.ts';
import type { Earnings } from '#server/tips/earnings.ts';
import type { TipFeed } from '#server/tips/tip-feed.ts';
import type { TipMessages } from '#server/tips/tip-messages.ts';
import type { Transactions } from '#server/tips/transactions.ts';
import { groupAround, networkAround } from '../http/client-address.ts';
import { nodeSideOf } from '../http/envelope.ts';
import type { Arrival } from '../http/request-log.ts';

export interface Services {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly qrCodes: QrCodes;
  readonly printer: Printer;
  readonly payments: TipPayments;
  readonly payouts: Payouts;
  readonly transactions: Transactions;
  readonly tipMessages: TipMessages;
  readonly earnings: Earnings;
  readonly tipFeed: TipFeed;
  readonly notifications: Notifications;
  readonly exports: Exports;
  readonly limits: Limits;
  /** Whether tips can be given without an account. */
  readonly takesGuestTips: boolean;
  readonly hashingQueue: WorkQueue;
  readonly insightsQueue: WorkQueue;
}

export interface Context {
  readonly services: Services;
  readonly requestId: string;
  /** For what the log says of the request. */
  readonly arrival: Arrival;
  /** The bearer token that came with the request, not yet checked. */
  readonly token: string | null;
  /** The idempotency key of the attempt that the headers are about; null when they name none. */
  readonly attempt: string | null;
  /** The caller's address and the network around it, as limits count them. Reading them costs more than most answers. */
  address(): Pick<Caller, 'address' | 'network'>;
  readonly device: DeviceOfRequest;
  /** Whether it is a page of a list that is sent as one answer, which was counted with the first. */
  readonly isFurtherPage: boolean;
  /** What is left of the limits that the request is counted by. */
  readonly quota: Quota;
  /**
   * Hears of the end of the connection, also when the answer was still waiting for its turn on it (RFC 9112, section 9.3.2), of which a
   * request's own signal hears nothing on older Node.js (seen on 20, not on 26).
   */
  readonly onHangUp: OnHangUp;
  /** The User-Agent header. */
  readonly userAgent: string | undefined;
}

/** Makes the function that reads the context of a request. */
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
      attempt: c.req.header('Idempotency-Key') ?? null,
      address() {
        const address = groupAround(arrival.address);
        return { address, network: networkAround(address) };
      },
      device: new DeviceOfRequest(() => deviceMarks.read(c.req.header('Cookie'))),
      isFurtherPage: false,
      quota: new Quota(),
      onHangUp: (listener) => onClose(socket, listener),
      userAgent: c.req.header('User-Agent'),
    };
  };
}

/** Who asks for a turn at work that is not hashing, for as long as they wait for it. */
export function workOwner({
  account,
  address,
  onHangUp,
}: Context & { readonly account: Account }): WorkOwner {
  return { origin: address().network, account: account.id, isKnown: false, onHangUp };
}

/** How a step of the event loop is asked for, for as long as somebody waits for it. */
export function stepTerms({ onHangUp, isFurtherPage }: Context): StepTerms {
  return { onHangUp, isFurther: isFurtherPage };
}

/** Calls `listener` when the socket has closed, which may have been before. @returns a function that stops listening. */
function onClose(socket: Socket | undefined, listener: () => void): () => void {
  if (socket?.closed) listener();
  // One connection may carry any number of streams, and Node would warn of the eleventh listener.
  socket?.setMaxListeners(0).once('close', listener);
  return () => socket?.off('close', listener);
}

/** The device mark that came with a request. It is read when it is first asked for, because few requests need it. */
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

  /** The headers by which the answer gives the mark to the device; none when nothing was noted in it. */
  headers(): Record<string, string> {
    const cookie = this.#mark?.setCookie() ?? null;
    return cookie === null ? {} : { 'set-cookie': cookie };
  }
}

/** The token of `Authorization: Bearer ...` (RFC 6750, section 2.1); a token in a URL is never read. */
function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
