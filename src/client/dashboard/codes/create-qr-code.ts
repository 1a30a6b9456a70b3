/**
 * Creates a code and adds the answer to the list in the cache, so that the list need not be loaded again.
 */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { failureOf } from '../../api/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { useShowCode } from './code-changes.ts';

export function useCreateQrCode() {
  const utils = trpc.useUtils();
  const show = useShowCode();
  return trpc.qrCodes.create.useMutation({
    async onSuccess(code) {
      await show(code);
      toastSuccess(`QR code created for ${CATEGORY_LABELS[code.serviceCategory]}`);
    },
    onError(error) {
      const { detail, code } = failureOf(error);
      toastError(detail ?? 'Failed to create QR code');
      // The code was created elsewhere, or by an attempt whose answer was lost: the list has to show it.
      if (code === 'qr_code_exists') void utils.qrCodes.list.invalidate();
    },
  });
}
