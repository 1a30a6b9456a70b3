/** Changes to a code, and the list in the cache that follows them. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { failureOf } from '../../api/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { toastError, toastSuccess } from '../../toasts.ts';

/** @returns a function that puts a code into the list: a changed one at its place, a new one at the end, for the one of its service. */
export function useShowCode(): (changed: QrCode) => Promise<void> {
  const utils = trpc.useUtils();
  return async (changed) => {
    // The answer of a list query that is under way may be older.
    await utils.qrCodes.list.cancel();
    utils.qrCodes.list.setData(undefined, (codes = []) =>
      codes.some(({ id }) => id === changed.id)
        ? codes.map((code) => (code.id === changed.id ? changed : code))
        : [...codes.filter((code) => code.serviceCategory !== changed.serviceCategory), changed],
    );
  };
}

/** Says that a change failed. A code that was changed elsewhere is loaded again. */
export function useShowFailure(): (error: unknown, fallback: string) => void {
  const utils = trpc.useUtils();
  return (error, fallback) => {
    const { detail, code } = failureOf(error);
    toastError(detail ?? fallback);
    if (code === 'qr_code_replaced' || code === 'qr_code_retired') void utils.qrCodes.invalidate();
  };
}

export function usePauseQrCode() {
  const show = useShowCode();
  const showFailure = useShowFailure();
  return trpc.qrCodes.update.useMutation({
    async onSuccess(code) {
      await show(code);
      const label = CATEGORY_LABELS[code.serviceCategory];
      toastSuccess(code.status === 'paused' ? `${label} is paused` : `${label} takes tips again`, code.id);
    },
    onError: (error) => showFailure(error, 'Failed to change the code'),
  });
}
