/** The conditions on a code, each with its error. */
import type { CodeRefusal } from '#server/storage/port/codes.ts';
import { AppError } from '#shared/errors.ts';
import { type PhotoName, type QrCodeId, readQrCodeId, type UserId } from '#shared/ids.ts';
import { PHOTO_PREFIX } from '#shared/page-paths.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';

/** @throws AppError `qr_code_not_found` for a text that is no id in any spelling. */
export function requireId(text: string): QrCodeId {
  const id = readQrCodeId(text);
  if (!id) throw new AppError('qr_code_not_found');
  return id;
}

/** @throws AppError `qr_code_not_found` for an unknown code, and alike for another account's. */
export function requireOwn<Code extends { readonly userId: UserId }>(
  code: Code | null,
  userId: UserId,
): Code {
  if (code?.userId !== userId) throw new AppError('qr_code_not_found');
  return code;
}

/** @throws AppError `qr_code_replaced`, `qr_code_retired`. */
export function requireCurrent<Code extends { readonly status: QrCodeStatus }>(code: Code) {
  const { status } = code;
  if (status === 'replaced' || status === 'retired') throw new AppError(`qr_code_${status}`);
  return { ...code, status };
}

export function refusalOfCode({ outcome }: CodeRefusal): AppError {
  const codes = {
    unknown_code: 'qr_code_not_found',
    code_replaced: 'qr_code_replaced',
    code_retired: 'qr_code_retired',
  } as const;
  return new AppError(codes[outcome]);
}

export function photoUrl(name: PhotoName | null): string | null {
  return name && PHOTO_PREFIX + name;
}
