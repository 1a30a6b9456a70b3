/** Changes to codes. Their answers update the list in the cache, so that it need not be loaded again. */
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { toastError, toastSuccess } from '../../toasts.ts';

/** @returns a function that replaces a code in the list, or appends it in place of its service's former code. */
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

export const CODE_GONE = 'Nothing was changed: this code is no longer in use.';

const GONE = 410;

/** Whether the code was replaced meanwhile, or its service is no longer offered. */
export function isGone(error: unknown): boolean {
  return failureOf(error).status === GONE;
}

/** What the provider is told of a failed change: of a code that is gone the server's sentence is for givers. */
export function sentenceOf(error: unknown, fallback: string): string {
  return isGone(error) ? CODE_GONE : (failureOf(error).detail ?? fallback);
}

export function useShowFailure(): (error: unknown, fallback: string) => void {
  const utils = trpc.useUtils();
  return (error, fallback) => {
    toastError(sentenceOf(error, fallback));
    if (isGone(error)) void utils.qrCodes.invalidate();
  };
}

const NOT_CREATED = 'Failed to create QR code';

const createdFor = (category: ServiceCategory) => `QR code created for ${CATEGORY_LABELS[category]}`;

export function useCreateQrCode() {
  const utils = trpc.useUtils();
  const show = useShowCode();

  /** The list knows whether only the answer was lost. */
  async function lookFor(category: ServiceCategory): Promise<void> {
    const codes = await utils.client.qrCodes.list.query().catch(() => null);
    if (codes === null) toastError(unanswered('the code was created'));
    else if (codes.some(({ serviceCategory }) => serviceCategory === category))
      toastSuccess(createdFor(category));
    else toastError(NOT_CREATED);
  }

  return trpc.qrCodes.create.useMutation({
    async onSuccess(code) {
      await show(code);
      toastSuccess(createdFor(code.serviceCategory));
    },
    onError(error, { serviceCategory }) {
      const { detail, code, status } = failureOf(error);
      if (status === null) void lookFor(serviceCategory);
      else toastError(detail ?? NOT_CREATED);
      if (code === 'qr_code_exists') void utils.qrCodes.list.invalidate();
    },
  });
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
    onError: (error) => showFailure(error, unanswered('the code was changed')),
  });
}
