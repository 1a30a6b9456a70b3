/** Asks before a code is replaced, and replaces it. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { toastSuccess } from '../../toasts.ts';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { useShowCode, useShowFailure } from './code-changes.ts';

interface ReplaceCodeProps {
  readonly code: QrCode;
  /** Is called before the list shows that the code is gone. */
  readonly onGone: () => void;
  readonly onLeave: () => void;
}

export function ReplaceCode({ code, onGone, onLeave }: ReplaceCodeProps) {
  const label = CATEGORY_LABELS[code.serviceCategory];
  const utils = trpc.useUtils();
  const show = useShowCode();
  const showFailure = useShowFailure();
  const replacing = trpc.qrCodes.replace.useMutation({
    async onSuccess(next) {
      onGone();
      await show(next);
      void utils.qrCodes.ended.invalidate();
      toastSuccess(`New code for ${label}. Print it again.`);
    },
    onError(error) {
      // It may have been replaced, here without an answer or elsewhere.
      onGone();
      showFailure(error, unanswered('the code was replaced'));
    },
  });
  return (
    <Confirmation
      title={`Replace the ${label} code?`}
      confirm={replacing.isPending ? 'Replacing...' : 'Replace'}
      isUnderWay={replacing.isPending}
      onConfirm={() => replacing.mutate({ id: code.id }, { onError: onLeave })}
      onCancel={onLeave}
    >
      <p>
        You get a new code with the same tip page. The old one no longer works: anyone who scans it sees that
        it was replaced. You can’t undo this. Print the new code and take the old one down.
      </p>
    </Confirmation>
  );
}
