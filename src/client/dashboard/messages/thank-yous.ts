/** The thank-yous that an account keeps ready, and how long one may be. */
import { lengthOf, MAX_MESSAGE_LENGTH } from '#shared/message-rules.ts';
import type { MAX_READY_THANK_YOUS } from '#shared/tips.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { type Part, partOf } from '../../signed-in/part.ts';

/** The thank-yous of an account that has saved none; as many as it may have. */
export const PROPOSED = ['Thank you!', 'Thanks a lot, see you soon!', 'You made my day!'] as const satisfies {
  readonly length: typeof MAX_READY_THANK_YOUS;
};

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
