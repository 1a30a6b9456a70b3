/** Rows of codes, and what a change of the tip page or the closing of the account makes of them. */
import type { CodeRefusal, NewQrCode, QrCodeChange, QrCodeRecord } from '../port/codes.ts';
import { type All, CLOSED_ACCOUNT } from './accounts.ts';

export const NEW_PAGE = {
  status: 'active',
  displayName: null,
  greeting: null,
  thankYou: null,
  photoName: null,
  takesWords: true,
  isListed: false,
} as const;

/** What becomes of the codes of a closed account; the statement throws for a column that is missing here. */
export const CLOSED_PAGE = {
  displayName: CLOSED_ACCOUNT,
  greeting: null,
  thankYou: null,
  photoName: null,
  isListed: false,
} as const;

export function newCodeRow({
  serviceCategory: category,
  ...code
}: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>) {
  return { ...code, category, ...NEW_PAGE };
}

export function replacementRow({ id: _, serviceCategory: category, ...code }: QrCodeRecord, next: NewQrCode) {
  return { ...code, ...next, category };
}

export function changedCode(code: QrCodeRecord, change: QrCodeChange): QrCodeRecord {
  const { displayName = code.displayName, greeting = code.greeting, thankYou = code.thankYou } = change;
  const { takesWords = code.takesWords, isListed = code.isListed, status = code.status } = change;
  const changed = {
    displayName,
    greeting,
    thankYou,
    takesWords,
    isListed,
    status,
  } satisfies All<QrCodeChange>;
  return { ...code, ...changed };
}

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
