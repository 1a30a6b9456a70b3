/** The thank-yous that an account keeps ready, and how long one may be. */
import { lengthOf, MAX_MESSAGE_LENGTH, PROPOSED_THANK_YOUS } from '#shared/message-rules.ts';
import type { MAX_READY_THANK_YOUS } from '#shared/tips.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { type Part, partOf } from '../../signed-in/part.ts';

/** As many as an account may have. */
export const PROPOSED = PROPOSED_THANK_YOUS satisfies { readonly length: typeof MAX_READY_THANK_YOUS };

export function useReadyThankYous(): { readonly texts: Part<readonly string[]>; readonly retry: () => void } {
  const query = trpc.messages.thankYous.useQuery();
  return {
    texts: partOf(query, ({ texts }) => (texts.length > 0 ? texts : PROPOSED)),
    retry: () => void query.refetch(),
  };
}

export function counted(text: string): string {
  return `${lengthOf(text)} of ${MAX_MESSAGE_LENGTH} characters`;
}
