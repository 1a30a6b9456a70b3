/** Look-ups of codes that go past both doors: those that are answered before any routing, and those of tip pages. */
import type { Context as HonoContext } from 'hono';
import type { QrCodes } from '#server/qr-codes/qr-codes.ts';
import type { Lookup } from '#shared/rendered-page.ts';
import type { Envelope } from './envelope.ts';
import type { Report } from './problems.ts';
import { refusalOf } from './refusals.ts';
import { wireTextOnce } from './wire.ts';

const ROUTE = '/api/qr-codes/:qr_code_id';
const URL_OF_LOOKUP = /^https?:\/\/[^/]+\/api\/qr-codes\/([A-Za-z0-9-]{1,64})$/;

/**
 * Makes the function that answers a look-up of a remembered code as the REST door answered it before, with an id and a
 * line in the log of its own; null for every other request. See docs/decisions/010-hot-paths.md.
 */
export function createRecall(qrCodes: QrCodes, envelope: Envelope): (request: Request) => Response | null {
  return ({ method, url }) => {
    if (method !== 'GET') return null;
    const text = URL_OF_LOOKUP.exec(url)?.[1];
    const found = text === undefined ? null : qrCodes.recall(text);
    if (!found) return null;
    const arrival = envelope.receive();
    const response = envelope.json(arrival.requestId, wireTextOnce(found), 200);
    envelope.log(arrival, 'GET', ROUTE, 200);
    return response;
  };
}

/** Makes the function that looks up the code of a tip page. It never rejects: a page says what went wrong. */
export function createPageLookup(
  qrCodes: QrCodes,
  report: Report,
): (c: HonoContext, qrId: string) => Promise<Lookup> {
  return async (c, qrId) => {
    try {
      return { status: 'found', found: await qrCodes.lookup(qrId) };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.code === 'qr_code_not_found') return { status: 'unknown' };
      if (refusal.code === 'qr_code_replaced') return { status: 'replaced' };
      if (refusal.code === 'qr_code_retired') return { status: 'retired' };
      report(error, c.get('requestId'));
      return { status: 'failed', detail: refusal.message };
    }
  };
}
