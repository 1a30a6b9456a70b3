/**
 * Making codes and changing them, each in one transaction. The account of their owner is locked first, as it is when a tip is
 * recorded, so that no tip reaches a code once it was told to be paused, replaced or retired.
 */
import type { QrCodeId, UserId } from '#shared/ids.ts';
import { CLOSED_ACCOUNT } from '../closed-accounts.ts';
import { changedCode, currentCode, newCodeRow, outgoingPhoto, replacementRow } from '../rules.ts';
import type { NewPicture, NewQrCode, Photo, QrCodeChange, QrCodeRecord } from '../storage.ts';
import type { Statements } from './statements.ts';

/** @param isRepeated whether this step may have been committed before. */
export async function createCode(
  statements: Statements,
  code: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>,
  picture: NewPicture,
  isRepeated: boolean,
) {
  const row = newCodeRow(code);
  const { userId, category } = row;
  await statements.lockAccount.execute({ id: userId });
  const offered = await statements.categoryOffered.execute({ userId, category });
  if (offered.length === 0) return 'category_not_offered';
  if ((await statements.insertQrCode.run(row)) === 0) {
    const [present] = await statements.codeOfCategory.execute({ userId, category });
    if (isRepeated && present?.id === code.id) return 'created';
    return present ? 'category_taken' : 'id_taken';
  }
  await insertPicture(statements, code.id, picture);
  return 'created';
}

export async function updateCode(statements: Statements, userId: UserId, id: QrCodeId, change: QrCodeChange) {
  const found = await lockOwn(statements, userId, id);
  if (found.outcome !== 'current') return found;
  const code = changedCode(found.code, change);
  await save(statements, code);
  return { outcome: 'updated', code } as const;
}

/** @param isRepeated whether this step may have been committed before. */
export async function replaceCode(
  statements: Statements,
  userId: UserId,
  id: QrCodeId,
  next: NewQrCode,
  picture: NewPicture,
  isRepeated: boolean,
) {
  const found = await lockOwn(statements, userId, id);
  const [taken] = await statements.codeById.execute({ id: next.id });
  if (isRepeated && taken?.userId === userId) return { outcome: 'replaced', code: taken } as const;
  if (found.outcome !== 'current') return found;
  if (taken) return { outcome: 'id_taken' } as const;
  const { code } = found;
  // The photo goes over to the new code: the old one shows nothing any more.
  await save(statements, { ...code, status: 'replaced', photoName: null });
  if ((await statements.insertQrCode.run(replacementRow(code, next))) === 0)
    throw new Error('an id of 50 random bits was taken at the same moment');
  await insertPicture(statements, next.id, picture);
  return { outcome: 'replaced', code: { ...code, id: next.id } } as const;
}

export async function setPhoto(statements: Statements, userId: UserId, id: QrCodeId, photo: Photo | null) {
  const found = await lockOwn(statements, userId, id);
  if (found.outcome !== 'current') return found;
  if (photo) await statements.insertPhoto.run({ name: photo.name, jpeg: Buffer.from(photo.jpeg) });
  const code = { ...found.code, photoName: photo?.name ?? null };
  await save(statements, code);
  await forgetPhoto(statements, outgoingPhoto(found.code, code.photoName));
  return { outcome: 'updated', code } as const;
}

/** Retires the current code of a service that is no longer offered, if there is one. The account has to be locked. */
export async function retireCode(
  statements: Statements,
  userId: UserId,
  category: QrCodeRecord['serviceCategory'],
): Promise<void> {
  const [current] = await statements.codeOfCategory.execute({ userId, category });
  const [code] = current ? await statements.codeById.execute({ id: current.id }) : [];
  if (!code) return;
  await save(statements, { ...code, status: 'retired', photoName: null });
  await forgetPhoto(statements, code.photoName);
}

/**
 * Retires all codes of an account that is closed. Its tip pages get a name of their own, so that nothing leads from one to another.
 * The account has to be locked.
 */
export async function closeCodes(statements: Statements, userId: UserId): Promise<void> {
  const photos = await statements.photosOfUser.execute({ userId });
  await statements.clearCodesOfUser.execute({ userId, displayName: CLOSED_ACCOUNT });
  for (const { name } of photos) await forgetPhoto(statements, name);
}

async function lockOwn(statements: Statements, userId: UserId, id: QrCodeId) {
  await statements.lockAccount.execute({ id: userId });
  const [code] = await statements.codeById.execute({ id });
  return currentCode(code?.userId === userId ? code : undefined);
}

async function save(
  statements: Statements,
  { userId: _, serviceCategory: __, ...code }: QrCodeRecord,
): Promise<void> {
  await statements.updateCode.execute(code);
}

async function insertPicture(
  statements: Statements,
  qrCodeId: QrCodeId,
  { address, png }: NewPicture,
): Promise<void> {
  await statements.insertPicture.run({ qrCodeId, address, png: Buffer.from(png) });
}

async function forgetPhoto(statements: Statements, name: QrCodeRecord['photoName']): Promise<void> {
  if (name !== null) await statements.deletePhoto.execute({ name });
}
