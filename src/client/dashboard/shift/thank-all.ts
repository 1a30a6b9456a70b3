/** Thanks the givers of many tips by one text. */
import type { Failure } from '../../api-client/api.ts';

/** Fewer than the server takes of an account in a minute, so that one tap never meets the limit. */
export const MAX_AT_ONCE = 100;
const TOGETHER = 10;

interface ThankedAll {
  readonly thankedCount: number;
  /** Tips that were thanked for elsewhere, or taken back. */
  readonly skippedCount: number;
  /** Why the rest was not tried; null when every tip was. */
  readonly failure: Failure | null;
}

interface Thanking<Tip> {
  /** Thanks for one tip; a repetition changes nothing. */
  readonly thank: (tip: Tip) => Promise<void>;
  readonly failureOf: (error: unknown) => Failure;
}

/** Stops after a failure that the next tips would meet as well. Trying again goes on with the rest. */
export async function thankAll<Tip>(
  tips: readonly Tip[],
  { thank, failureOf }: Thanking<Tip>,
): Promise<ThankedAll> {
  let thankedCount = 0;
  let skippedCount = 0;
  for (let first = 0; first < tips.length; first += TOGETHER) {
    const results = await Promise.allSettled(tips.slice(first, first + TOGETHER).map(thank));
    const failures = results.filter(({ status }) => status === 'rejected').map(reasonOf);
    const [failure] = failures.filter(({ code }) => !isOfOneTip(code));
    thankedCount += results.length - failures.length;
    skippedCount += failures.filter(({ code }) => isOfOneTip(code)).length;
    if (failure) return { thankedCount, skippedCount, failure };
  }
  return { thankedCount, skippedCount, failure: null };

  function reasonOf(result: PromiseSettledResult<void>): Failure {
    return failureOf(result.status === 'rejected' ? result.reason : null);
  }
}

function isOfOneTip(code: Failure['code']): boolean {
  return code === 'thanked_already' || code === 'transaction_not_found';
}
