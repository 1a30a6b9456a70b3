/**
 * Creates a code; the answer joins the list in the cache, so that nothing needs to be loaded again.
 */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { failureOf } from '../../api.ts';
import { trpc } from '../../session/api-hooks.ts';
import { toastError, toastSuccess } from '../../toasts.ts';

export function useCreateQrCode() {
  const utils = trpc.useUtils();
  return trpc.qrCodes.create.useMutation({
    async onSuccess(code) {
      // A list that was asked for before this code was made would take it away again.
      await utils.qrCodes.list.cancel();
      utils.qrCodes.list.setData(undefined, (codes = []) => [
        ...codes.filter(({ id }) => id !== code.id),
        code,
      ]);
      toastSuccess(`QR code created for ${CATEGORY_LABELS[code.serviceCategory]}`);
    },
    onError(error) {
      const { detail, code } = failureOf(error);
      toastError(detail ?? 'Failed to create QR code');
      // Made elsewhere meanwhile, or by an attempt whose answer was lost: then let it be seen.
      if (code === 'qr_code_exists') void utils.qrCodes.list.invalidate();
    },
  });
}
