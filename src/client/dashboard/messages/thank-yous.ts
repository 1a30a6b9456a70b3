/** The thank-yous that an account keeps ready. */
import type { MAX_READY_THANK_YOUS } from '#shared/tips.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { type Part, partOf } from '../../signed-in/part.ts';

/** What is ready as long as somebody has chosen nothing else: as many as there may be. */
export const PROPOSED = ['Thank you!', 'Thanks a lot, see you soon!', 'You made my day!'] as const satisfies {
  readonly length: typeof MAX_READY_THANK_YOUS;
};

export function useReadyThankYous(): { readonly texts: Part<readonly string[]>; readonly retry: () => void } {
  const query = trpc.words.thankYous.useQuery();
  return {
    texts: partOf(query, ({ texts }) => (texts.length > 0 ? texts : PROPOSED)),
    retry: () => void query.refetch(),
  };
}
