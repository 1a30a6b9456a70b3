/** The thank-yous that an account keeps ready. */
import { trpc } from '../../session/api-hooks.ts';
import { type Part, partOf } from '../../session/part.ts';

/** What is ready as long as somebody has chosen nothing else. */
export const PROPOSED = ['Thank you!', 'Thanks a lot, see you soon!', 'You made my day!'] as const;

export function useReadyThankYous(): { readonly texts: Part<readonly string[]>; readonly retry: () => void } {
  const query = trpc.words.thankYous.useQuery();
  return {
    texts: partOf(query, ({ texts }) => (texts.length > 0 ? texts : PROPOSED)),
    retry: () => void query.refetch(),
  };
}
