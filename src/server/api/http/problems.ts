/** Turns errors into answers: problem details (RFC 9457), or tRPC's own shape through the tRPC door; and logs them. */
import type { Hono, Context as HonoContext } from 'hono';
import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { REFUSALS } from '#shared/refusals.ts';
import { wireName } from '../wire.ts';
import type { createClientAddress } from './client-address.ts';
import type { Envelope } from './envelope.ts';
import { headersOf, refusalOf, trpcErrorOf } from './refusals.ts';
import type { RequestLog } from './request-log.ts';
import type { UnreadAnswer } from './unread-requests.ts';

/** Fields that are headers of the REST door. */
const HEADERS: Readonly<Record<string, string>> = {
  idempotencyKey: 'Idempotency-Key',
  lastEventId: 'Last-Event-ID',
};

const TRPC_DOORS = /^\/(?:operator\/)?trpc\b/;

export type Report = (error: unknown, requestId: string) => void;

export function createReport(log: Logger): Report {
  return (error, requestId) => {
    const { code, cause } = refusalOf(error);
    if (code === 'internal') log.error({ requestId, err: cause }, 'unexpected error');
    if (code === 'storage_unavailable') log.warn({ requestId, err: cause }, 'storage unavailable');
  };
}

/** `instance` is the request id as a URN (RFC 9562). */
export function problemOf(refusal: AppError, requestId: string, publicUrl: string) {
  const { title, status } = REFUSALS[refusal.code];
  return {
    type: `${publicUrl}/api/docs#${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    instance: `urn:uuid:${requestId}`,
    code: refusal.code,
    ...(refusal.fieldErrors.length > 0 && {
      errors: refusal.fieldErrors.map(({ field, message, isAsSent }) => ({
        field: isAsSent ? field : (HEADERS[field] ?? wireName(field)),
        message,
      })),
    }),
  };
}

export function answerErrors(app: Hono, publicUrl: string, report: Report): void {
  const answer = (c: HonoContext, refusal: AppError, body: object, type: string) => {
    c.get('arrival').refuse(refusal);
    for (const [name, value] of Object.entries(headersOf(refusal))) c.header(name, value);
    return c.body(JSON.stringify(body), refusal.status, { 'Content-Type': type });
  };
  const answerProblem = (c: HonoContext, refusal: AppError) =>
    answer(c, refusal, problemOf(refusal, c.get('requestId'), publicUrl), 'application/problem+json');

  app.notFound((c) => answerProblem(c, new AppError('not_found')));
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    report(error, requestId);
    const refusal = refusalOf(error);
    if (!TRPC_DOORS.test(c.req.path)) return answerProblem(c, refusal);
    return answer(c, refusal, { error: trpcErrorOf(refusal, requestId, null) }, 'application/json');
  });
}

export function createUnreadAnswers(deps: {
  readonly envelope: Envelope;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly log: RequestLog;
  readonly clientAddress: ReturnType<typeof createClientAddress>;
  readonly report: Report;
}): (refusal: AppError, peer?: string) => UnreadAnswer {
  const { envelope, publicUrl, clock, log, clientAddress, report } = deps;
  return (refusal, peer) => {
    // The headers could not be read, so that the client behind a proxy is not known.
    const requestId = log.noteUnread(
      clientAddress(peer, () => undefined),
      refusal,
    );
    report(refusal, requestId);
    return {
      status: refusal.status,
      headers: {
        ...envelope.headers(requestId),
        'content-type': 'application/problem+json',
        date: new Date(clock()).toUTCString(),
        connection: 'close',
      },
      body: JSON.stringify(problemOf(refusal, requestId, publicUrl)),
    };
  };
}
