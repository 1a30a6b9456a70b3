/** Look-ups of codes that pass no door: those answered before any routing, and those of tip pages. */
import { IncomingMessage } from 'node:http';
import type { Context as HonoContext } from 'hono';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import { AppError } from '#shared/errors.ts';
import type { ProviderPage } from '#shared/qr-codes.ts';
import type { Lookup } from '#shared/rendered-page.ts';
import { wireTextOnce } from '../wire.ts';
import type { createClientAddress } from './client-address.ts';
import type { Envelope } from './envelope.ts';
import type { Report } from './problems.ts';
import { refusalOf } from './refusals.ts';
import type { RequestLog } from './request-log.ts';

const ROUTE = '/api/qr-codes/:qr_code_id';
const URL_OF_LOOKUP = /^https?:\/\/[^/]+(\/api\/qr-codes\/([A-Za-z0-9-]{1,64}))$/;

/**
 * Answers the look-up of a cached code as the REST door would; null for any other request. See
 * docs/decisions/010-hot-paths.md.
 */
export function createRecall(deps: {
  readonly qrCodes: QrCodes;
  readonly envelope: Envelope;
  readonly log: RequestLog;
  readonly clientAddress: ReturnType<typeof createClientAddress>;
}): (request: Request, bindings: unknown) => Response | null {
  const { qrCodes, envelope, log, clientAddress } = deps;
  return (request, bindings) => {
    const { method, url } = request;
    if (method !== 'GET') return null;
    const [, path, text] = URL_OF_LOOKUP.exec(url) ?? [];
    const found = text === undefined ? null : qrCodes.recall(text);
    // A signed-in caller may get another answer.
    if (!found || request.headers.has('Authorization')) return null;
    const incoming = incomingIn(bindings);
    // The door refuses other spellings of the path.
    if (incoming && incoming.url !== path) return null;
    const arrival = log.begin(
      // Reading it from the request would make all of its headers anew.
      clientAddress(incoming?.socket.remoteAddress, () => incoming?.headers['x-forwarded-for']?.toString()),
    );
    const response = envelope.json(arrival.requestId, wireTextOnce(found), 200);
    arrival.end('GET', ROUTE, 200);
    return response;
  };
}

function incomingIn(bindings: unknown): IncomingMessage | null {
  const isGiven = typeof bindings === 'object' && bindings !== null && 'incoming' in bindings;
  return isGiven && bindings.incoming instanceof IncomingMessage ? bindings.incoming : null;
}

/** The function never rejects, because a page shows what went wrong. */
export function createPageLookup(
  qrCodes: QrCodes,
  report: Report,
): (c: HonoContext, qrId: string) => Promise<Lookup> {
  return async (c, qrId) => {
    try {
      return { kind: 'found', found: await qrCodes.lookup(qrId) };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.code === 'qr_code_not_found') return { kind: 'unknown' };
      if (refusal.code === 'qr_code_replaced') return { kind: 'replaced' };
      if (refusal.code === 'qr_code_retired') return { kind: 'retired' };
      report(error, c.get('requestId'));
      return { kind: 'failed', detail: refusal.message };
    }
  };
}

export function createProviderLookup(qrCodes: QrCodes): (username: string) => Promise<ProviderPage | null> {
  return async (username) => {
    try {
      return await qrCodes.findProvider(username);
    } catch (error) {
      if (error instanceof AppError && error.code === 'provider_not_found') return null;
      throw error;
    }
  };
}
