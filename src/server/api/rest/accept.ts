/** Which of the forms of an answer a client would rather have (RFC 9110, section 12.5.1). */
import type { Context as HonoContext } from 'hono';
import { accepts } from 'hono/accepts';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

/** Whether CSV is more welcome than JSON, which is answered where neither is preferred or neither is taken. */
export function prefersCsv(c: HonoContext): boolean {
  const wanted = accepts(c, {
    header: 'Accept',
    supports: [JSON_TYPE, CSV_TYPE],
    default: JSON_TYPE,
    // Hono's own match ignores that a type may be less welcome than any other.
    match: (ranges) => (qualityOf(CSV_TYPE, ranges) > qualityOf(JSON_TYPE, ranges) ? CSV_TYPE : JSON_TYPE),
  });
  return wanted === CSV_TYPE;
}

/** From 0 for a type that is not taken to 1: what the most specific range says that the type lies in. */
function qualityOf(type: string, ranges: readonly { readonly type: string; readonly q: number }[]): number {
  const widening = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const matching = widening.flatMap((range) => ranges.filter((each) => each.type.toLowerCase() === range));
  return matching[0]?.q ?? 0;
}
