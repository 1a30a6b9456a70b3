/** What making a code and changing it comes to. */
import type { PhotoName } from '#shared/ids.ts';
import type { CodeRefusal } from '../port/ledger.ts';
import type { NewQrCode, QrCodeChange, QrCodeRecord } from '../port/storage.ts';

/** The tip page of a new code, and what the code takes. */
export const NEW_PAGE = {
  status: 'active',
  displayName: null,
  greeting: null,
  thankYou: null,
  photoName: null,
  takesWords: true,
} as const;

/** A code as it is stored when it is new. */
export function newCodeRow({
  serviceCategory: category,
  ...code
}: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>) {
  return { ...code, category, ...NEW_PAGE };
}

/** The code that takes the place of another one, as it is stored. */
export function replacementRow({ id: _, serviceCategory: category, ...code }: QrCodeRecord, next: NewQrCode) {
  return { ...code, ...next, category };
}

/** What a code comes to with a change. */
export function changedCode(code: QrCodeRecord, change: QrCodeChange): QrCodeRecord {
  const { displayName = code.displayName, greeting = code.greeting, thankYou = code.thankYou } = change;
  const { takesWords = code.takesWords, status = code.status } = change;
  return { ...code, displayName, greeting, thankYou, takesWords, status };
}

/** A code that is there and current; else why nobody can change it, or tip it. */
export function currentCode<Code extends QrCodeRecord>(
  code: Code | undefined,
): { readonly outcome: 'current'; readonly code: Code } | CodeRefusal {
  switch (code?.status) {
    case undefined:
      return { outcome: 'unknown_code' };
    case 'replaced':
      return { outcome: 'code_replaced' };
    case 'retired':
      return { outcome: 'code_retired' };
    case 'active':
    case 'paused':
      return { outcome: 'current', code };
  }
}

/** The photo that goes when a code gets another one, or none; null when there is none to go. */
export function outgoingPhoto(code: QrCodeRecord, next: PhotoName | null): PhotoName | null {
  return code.photoName === next ? null : code.photoName;
}
